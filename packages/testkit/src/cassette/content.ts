import { Buffer, isUtf8 } from 'node:buffer';
import type { JsonObject } from '../json.ts';

/**
 * A line, or one write of the host: a JSON object if it can be written back character by character, otherwise the text,
 * or the bytes if they are not text. A `frame` ends with a line feed that is not shown.
 */
export type Content = { readonly frame: JsonObject } | { readonly text: string } | { readonly base64: string };

/** Keeps a line, given without its line feed. */
export function contentOfLine(line: string): Content {
  const frame = exactFrame(line);
  return frame ? { frame } : { text: line };
}

/** Keeps one write of the host: a frame if it is one whole line. */
export function contentOfWrite(text: string): Content {
  const frame = text.endsWith('\n') ? exactFrame(text.slice(0, -1)) : undefined;
  return frame ? { frame } : { text };
}

/** Keeps bytes that may not be text; `clean` removes secrets from them. */
export function contentOfBytes(bytes: Uint8Array, clean: (line: string) => string): Content {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return contentOfLine(clean(buffer.toString('utf8')));
  // Each byte becomes one character, so that plain text in it can still be found and masked.
  return { base64: Buffer.from(clean(buffer.toString('latin1')), 'latin1').toString('base64') };
}

/** A JSON object, or undefined. */
export function frameOf(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    // JSON that begins with a brace is an object.
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

/** Only JSON that serialises back unchanged: spaces, escapes, numbers and duplicate keys may be part of a test. */
function exactFrame(line: string): JsonObject | undefined {
  const frame = frameOf(line);
  try {
    return frame && JSON.stringify(frame) === line ? frame : undefined;
  } catch {
    // Nested too deeply to be written.
    return undefined;
  }
}
