import { fstatSync } from 'node:fs';
import { UsageError } from '../exit-codes.ts';

/** How to wait for piped input. */
export interface InputWait {
  /** Time to wait for the first input; unlimited if undefined. */
  readonly waitMs: number | undefined;
  /** Reads only a pipe or a file. A parent process may leave an empty socket open as stdin. */
  readonly onlyPipes: boolean;
}

/** All piped input; undefined if there is none. */
export async function pipedInput(stdin: NodeJS.ReadStream, options: InputWait): Promise<string> {
  if (stdin.isTTY === true || (options.onlyPipes && !isPipeOrFile())) return '';
  stdin.setEncoding('utf8');
  let text = '';
  const timer = options.waitMs && setTimeout(() => text === '' && stdin.destroy(), options.waitMs);
  try {
    for await (const chunk of stdin) {
      text += String(chunk);
      if (text.length > MOST)
        throw new UsageError(`stdin has more than ${MOST} characters, which is too much for a prompt.`);
    }
  } catch (error) {
    if (error instanceof UsageError || text !== '') throw error;
  } finally {
    if (timer) clearTimeout(timer);
  }
  return text;
}

const MOST = 10_000_000;

function isPipeOrFile(): boolean {
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || stats.isFile();
  } catch {
    return false;
  }
}
