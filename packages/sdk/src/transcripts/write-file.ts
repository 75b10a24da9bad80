import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SessionFileError } from '../errors/transcript.ts';

/** Makes or replaces a file in one step, for this user only; a link in its place is replaced, not followed. @throws SessionFileError */
export async function writeWhole(path: string, text: string): Promise<void> {
  const draft = join(dirname(path), `.coxswain-${process.pid}-${crypto.randomUUID()}`);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw new SessionFileError('Writing', path, error);
  }
}

/**
 * Adds lines to the end of a file that exists, with a single write: a CLI that has it open may add its own at the same
 * time, and nobody's are lost. @throws SessionFileError
 */
export async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  try {
    const file = await open(path, constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
    try {
      const { size } = await file.stat();
      const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: Math.max(0, size - 1) });
      // A line that was cut off by a crash must not swallow the next one.
      const start = size === 0 || buffer[0] === 0x0a ? '' : '\n';
      await file.write(`${start}${lines.join('\n')}\n`);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new SessionFileError('Writing', path, error);
  }
}
