import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Agents choose file names: do not follow links or wait for pipes. Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The last bytes of a regular file, at most `limit`. Rejects if it cannot be opened, or is not a regular file. */
export async function endOfFile(path: string, limit: number): Promise<Buffer> {
  const file = await open(path, FLAGS);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`${path} is not a regular file.`);
    const bytes = Buffer.alloc(Math.min(found.size, limit));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, found.size - bytes.length);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
