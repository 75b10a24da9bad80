import { lstat, readFile } from 'node:fs/promises';
import { RehearsalError } from '../rehearsal-error.ts';

/** The text of a regular file: reading a pipe or a device might never end. @throws RehearsalError */
export async function regularText(path: string): Promise<string> {
  await checkRegular(path);
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(path, error);
  });
}

/** @throws RehearsalError unless it is a regular file of a readable size */
export async function checkRegular(path: string): Promise<void> {
  const stats = await lstat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!stats.isFile()) throw new RehearsalError('unreadable', `${path} is not a regular file.`);
  if (stats.size > LONGEST) {
    throw new RehearsalError('unreadable', `${path} is larger than ${LONGEST / 1_000_000} MB.`);
  }
}

const LONGEST = 100_000_000;

function unreadable(path: string, error: unknown): RehearsalError {
  return new RehearsalError(
    'unreadable',
    `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    error,
  );
}
