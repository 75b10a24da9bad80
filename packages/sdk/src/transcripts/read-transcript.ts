import { Buffer } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { SessionFileError } from '../errors/transcript.ts';
import { LineFramer } from '../wire/lines.ts';
import { type Entry, entryOf, objectOn, textIn } from './entry.ts';
import type { Transcript } from './main-chain.ts';
import { READ_FLAGS } from './paths.ts';

/** Longer lines, which the CLI does not write, are skipped like broken ones. */
const LONGEST_LINE = 256 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Reads a transcript. Leaves out broken lines and lines that are not part of the conversation. @throws SessionFileError */
export async function readTranscript(path: string): Promise<Transcript> {
  const entries: Entry[] = [];
  let lastLeaf: string | undefined;
  const line = (bytes: Uint8Array): void => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    // Most of a transcript may be records of API requests, which need not be parsed.
    if (!text.includes('"uuid"') && !text.includes('"leafUuid"')) return;
    const object = objectOn(text) ?? {};
    const entry = entryOf(object, text);
    if (entry) entries.push(entry);
    else if (object.type === 'last-prompt') lastLeaf = textIn(object, 'leafUuid') ?? lastLeaf;
  };
  const framer = new LineFramer(LONGEST_LINE, { line, oversize() {} });
  let file: FileHandle | undefined;
  try {
    file = await open(path, READ_FLAGS);
    for (;;) {
      // The framer keeps part of the chunk until its line is complete, so each read needs a new buffer.
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      framer.push(buffer.subarray(0, bytesRead));
    }
  } catch (error) {
    throw new SessionFileError('Reading', path, error);
  } finally {
    await file?.close();
  }
  const rest = framer.end();
  if (rest) line(rest);
  return { entries, lastLeaf };
}
