import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { SessionFileError } from '../errors/transcript.ts';
import { LineFramer } from '../wire/lines.ts';
import { type Entry, entryOf, objectOn, textIn } from './entry.ts';
import type { Conversation } from './main-chain.ts';

/** Longer lines are skipped like broken ones; the CLI writes none. */
const LONGEST_LINE = 256 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Reads a transcript. Lines that are broken, or are no part of a conversation, are left out. @throws SessionFileError */
export async function readConversation(path: string): Promise<Conversation> {
  const entries: Entry[] = [];
  let lastLeaf: string | undefined;
  const take = (line: string): void => {
    // Most of a transcript may be records of API requests: not worth parsing.
    if (!line.includes('"uuid"') && !line.includes('"leafUuid"')) return;
    const object = objectOn(line);
    if (object === undefined) return;
    const entry = entryOf(object, line);
    if (entry) entries.push(entry);
    else if (object.type === 'last-prompt') lastLeaf = textIn(object, 'leafUuid') ?? lastLeaf;
  };
  await eachLine(path, take);
  return { entries, lastLeaf };
}

async function eachLine(path: string, take: (line: string) => void): Promise<void> {
  const takeBlock = (block: Uint8Array): void => {
    const text = Buffer.from(block.buffer, block.byteOffset, block.byteLength).toString('utf8');
    for (const line of text.split('\n')) if (line !== '') take(line);
  };
  const framer = new LineFramer(LONGEST_LINE, { lines: takeBlock, oversize() {} });
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    for (;;) {
      // The framer keeps a piece of the chunk until its line is whole, so each read needs a buffer of its own.
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
  if (rest) takeBlock(rest);
}
