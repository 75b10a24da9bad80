import { fstatSync } from 'node:fs';
import { UsageError } from '../exit-codes.ts';

/** How the input is waited for. */
export interface Patience {
  /** How long nothing may come before nothing is expected; left out, for ever. */
  readonly patienceMs: number | undefined;
  /** Reads a pipe or a file only. A program that starts this one may leave a socket open as stdin, with nothing in it. */
  readonly onlyPipes: boolean;
}

/** Everything that is piped in, or nothing where nothing is. */
export async function pipedInput(stdin: NodeJS.ReadStream, options: Patience): Promise<string> {
  if (stdin.isTTY === true || (options.onlyPipes && !isPipeOrFile())) return '';
  stdin.setEncoding('utf8');
  let text = '';
  const timer = options.patienceMs && setTimeout(() => text === '' && stdin.destroy(), options.patienceMs);
  try {
    for await (const chunk of stdin) {
      text += String(chunk);
      if (text.length > MOST)
        throw new UsageError(`More than ${MOST} characters came in on stdin: too much for a prompt.`);
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
