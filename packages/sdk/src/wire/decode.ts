import type { CoxswainError } from '../errors/base.ts';
import { JsonDecodeError, UnexpectedMessageError, Utf8DecodeError } from '../errors/decode.ts';
import type { Message } from './messages.ts';
import { keepRaw } from './raw.ts';

const LF = 0x0a;
const CR = 0x0d;

/** Turns bytes into text, or says that they are not valid UTF-8. Supplied by the shell: the platform does it best. */
export type DecodeUtf8 = (bytes: Uint8Array) => string | undefined;

/** Where decoded lines go. */
export interface MessageSink {
  message(message: Message, rawJson: string): void;
  undecodable(error: CoxswainError): void;
}

/** Decodes a block of whole lines (each with its LF) in one go; only a block with bad UTF-8 in it is taken line by line. */
export function decodeLines(block: Uint8Array, decodeUtf8: DecodeUtf8, sink: MessageSink): void {
  const text = decodeUtf8(block);
  if (text === undefined) {
    decodeOneByOne(block, decodeUtf8, sink);
    return;
  }
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    decodeLine(text.slice(from, end), sink);
    from = end + 1;
  }
}

/** Decodes one line without its LF. */
export function decodeLine(line: string, sink: MessageSink): void {
  const json = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (json.length === 0) return;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    if (json.trim() !== '') sink.undecodable(new JsonDecodeError(json, cause));
    return;
  }
  if (isMessage(value)) {
    keepRaw(value, json);
    sink.message(value, json);
  } else {
    sink.undecodable(new UnexpectedMessageError(json));
  }
}

/** Only `type` is required of a message: everything else may be missing, new or different in another release. */
function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function decodeOneByOne(block: Uint8Array, decodeUtf8: DecodeUtf8, sink: MessageSink): void {
  for (let from = 0; from < block.length; ) {
    const end = block.indexOf(LF, from);
    const line = block.subarray(from, end);
    const text = decodeUtf8(line);
    if (text !== undefined) decodeLine(text, sink);
    else sink.undecodable(new Utf8DecodeError(Uint8Array.from(withoutCr(line))));
    from = end + 1;
  }
}

function withoutCr(line: Uint8Array): Uint8Array {
  return line.at(-1) === CR ? line.subarray(0, -1) : line;
}
