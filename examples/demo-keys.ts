import { on } from 'node:events';

/** Waits for one of these keys. Resolves with undefined without a terminal, or when the question is withdrawn. */
export async function keyPress(keys: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  const askedAt = performance.now();
  stdin.setRawMode(true);
  stdin.resume();
  try {
    for await (const [data] of on(stdin, 'data', { signal })) {
      const key = String(data).toLowerCase();
      // In raw mode, the terminal does not turn Ctrl-C into a signal.
      if (key === '\u0003') process.kill(process.pid, 'SIGINT');
      // Ignore keys typed before the question was visible.
      if (keys.includes(key) && performance.now() - askedAt > READ_MS) return key;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
  return undefined;
}

const READ_MS = 300;
