import { Buffer } from 'node:buffer';
import { open } from 'node:fs/promises';
import { SessionFileError } from '../errors/transcript.ts';
import { objectIn } from '../wire/kinds.ts';
import { LineFramer } from '../wire/lines.ts';
import { type Entry, entryOf, textIn } from './entry.ts';
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
    const object = objectIn(text) ?? {};
    const entry = entryOf(object, text);
    if (entry) entries.push(entry);
    else if (object.type === 'last-prompt') lastLeaf = textIn(object, 'leafUuid') ?? lastLeaf;
  };
  const framer = new LineFramer(LONGEST_LINE, { line, oversize() {} });
  try {
    const file = await open(path, READ_FLAGS);
    for await (const chunk of file.createReadStream({ highWaterMark: CHUNK_BYTES })) framer.push(chunk);
  } catch (error) {
    throw new SessionFileError('Reading', path, error);
  }
  const rest = framer.end();
  if (rest) line(rest);
  return { entries, lastLeaf };
}
