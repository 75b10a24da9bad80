import { fstatSync } from 'node:fs';
import { UsageError } from '../exit-codes.ts';

/** How to wait for the input. */
export interface Patience {
  /** How long to wait for the first input; without it, for ever. */
  readonly patienceMs: number | undefined;
  /** Reads only a pipe or a file. A program that starts this one may leave an empty socket open as stdin. */
  readonly onlyPipes: boolean;
}

/** All piped input, or undefined without any. */
export async function pipedInput(stdin: NodeJS.ReadStream, options: Patience): Promise<string> {
  if (stdin.isTTY === true || (options.onlyPipes && !isPipeOrFile())) return '';
  stdin.setEncoding('utf8');
  let text = '';
  const timer = options.patienceMs && setTimeout(() => text === '' && stdin.destroy(), options.patienceMs);
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
