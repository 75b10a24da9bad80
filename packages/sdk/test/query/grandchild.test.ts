import { describe, expect, it, onTestFinished } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { INIT, result, type Step, say } from '../support/say.ts';

/** Time from the message after the start of the grandchild to the end of the run; the grandchild is ended with the test. */
async function timeAfterLast(
  steps: readonly Step[],
): Promise<{ ms: number; grandchild: number; types: string[]; error: unknown }> {
  const types: string[] = [];
  let grandchild = 0;
  let last = performance.now();
  const error = await (async () => {
    for await (const message of say(steps, { limits: { exitReadMs: 500 } }).stream) {
      last = performance.now();
      types.push(message.type);
      if ('pid' in message) grandchild = Number(message.pid);
    }
  })().catch((reason: unknown) => reason);
  const ms = performance.now() - last;
  onTestFinished(() => {
    if (isAlive(grandchild)) process.kill(grandchild, 'SIGKILL');
  });
  return { ms, grandchild, types, error };
}

describe('a grandchild that keeps the pipes open', () => {
  it('[Q-9] delays the end of a run by about 500 ms without losing output', async () => {
    const { ms, grandchild, types, error } = await timeAfterLast([
      { grandchild: ['stdout', 'stderr'], hidden: true },
      { message: INIT },
      { message: result() },
      { exit: 0 },
    ]);
    expect(types).toEqual(['system', 'system', 'result']);
    expect(error).toBeUndefined();
    expect(isAlive(grandchild)).toBe(true);
    expect(ms).toBeGreaterThan(300);
    expect(ms).toBeLessThan(5_000);
  });

  it('[Q-9, Q-5] delays the end of a run without a result equally', async () => {
    const { ms, error } = await timeAfterLast([
      { grandchild: ['stdout', 'stderr'], hidden: true },
      { err: 'Error: Invalid settings\n' },
      { message: INIT },
      { exit: 1 },
    ]);
    expect(error).toMatchObject({ code: 'process', exitCode: 1, hint: 'Check the option settings.' });
    expect(ms).toBeLessThan(5_000);
  });
});

describe('a stdout closed by a running CLI', () => {
  it('[Q-9] causes a TransportError, and the CLI is ended', async () => {
    const run = say([{ message: INIT }, { close: 1 }, { stay: true }], { limits: { exitReadMs: 500 } });
    const { messages: items, terminalError } = await run.stream.collect();
    expect(items).toEqual([INIT]);
    expect(terminalError).toMatchObject({ code: 'transport' });
    expect(await run.stream.closed).toMatchObject({ ended: 'interrupted' });
    expect(isAlive(run.pid)).toBe(false);
  });
});
