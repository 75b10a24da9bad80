import { describe, expect, it } from 'vitest';
import { startHost } from '../support/hosts.ts';
import { isAlive, waitUntil } from '../support/processes.ts';
import { cliPath, INIT, result, STUBBORN, type Step } from '../support/say.ts';
import { script } from '../support/say-script.ts';

/** Runs a host until it has nothing left to do, and returns the time until its exit. */
async function timeToExit(
  way: 'break' | 'end' | 'result',
  steps: readonly Step[],
): Promise<{ ms: number; cli: number }> {
  const host = startHost('../query-hosts/leaves.mjs', cliPath('say.sh'), way, script(steps));
  const cli = Number(await host.line());
  expect(await host.line()).toBe('done');
  const from = performance.now();
  expect(await host.exited).toEqual({ code: 0, signal: null });
  return { ms: performance.now() - from, cli };
}

const LINGERS: readonly Step[] = [STUBBORN, { message: INIT }, { message: result() }, { stay: true }];

describe('a host with nothing left to do and a CLI that ignores every signal', () => {
  it.each(['break', 'end', 'result'] as const)(
    '[R-6, R-3] exits by itself after %s, and the CLI has exited',
    async (way) => {
      const { ms, cli } = await timeToExit(
        way,
        way === 'break' ? [STUBBORN, { message: INIT }, { stay: true }] : LINGERS,
      );
      // The shutdown steps would take 5 s or more.
      expect(ms).toBeLessThan(4_500);
      await waitUntil('the CLI has exited', () => !isAlive(cli));
    },
  );
});
