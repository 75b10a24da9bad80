import { describe, expect, it } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { assistant, INIT, result, say } from '../support/say.ts';

describe('many concurrent queries', () => {
  it('[Q-14, R-4] share nothing, cause no warning and leave nothing open (100)', {
    timeout: 30_000,
  }, async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const listeners = (): number[] =>
      ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name));
    const before = listeners();
    const { signal } = new AbortController();
    const numbers = Array.from({ length: 100 }, (_, number) => number);
    const runs = numbers.map((number) =>
      say(
        [
          { read: true },
          { message: { ...INIT, session_id: `session-${number}` } },
          { message: { type: `news-${number % 2}` } },
          { message: assistant(String(number)) },
          { message: result({ result: `answer ${number}` }) },
          { exit: number % 3 },
        ],
        { signal, orphanGuard: true },
      ),
    );
    const texts = await Promise.all(runs.map(({ stream }) => stream.text()));
    const reports = await Promise.all(runs.map(({ stream }) => stream.close()));
    process.off('warning', onWarning);
    expect(texts).toEqual(numbers.map((number) => `answer ${number}`));
    expect(reports.map(({ exitCode }) => exitCode)).toEqual(numbers.map((number) => number % 3));
    expect(runs.map(({ stream }) => stream.sessionId)).toEqual(numbers.map((number) => `session-${number}`));
    for (const [number, run] of runs.entries()) {
      const codes = ['unknown-message-type', ...(number % 3 > 0 ? ['non-zero-exit-after-result'] : [])];
      expect(run.warnings.map(({ code }) => code)).toEqual(codes);
      expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, index) => index));
    }
    expect(new Set(runs.map(({ pid }) => pid)).size).toBe(100);
    expect(runs.filter(({ pid }) => isAlive(pid))).toEqual([]);
    expect(warnings).toEqual([]);
    expect(listeners()).toEqual(before);
  });

  it('[Q-14] do not affect each other if one fails or is aborted', async () => {
    const controller = new AbortController();
    const good = say([{ message: INIT }, { message: result() }]);
    const bad = say([{ exit: 9 }]);
    const aborted = say([{ stay: true }], { signal: controller.signal });
    controller.abort();
    const ends = await Promise.all([good, bad, aborted].map(({ stream }) => stream.collect()));
    expect(ends.map(({ terminalError }) => terminalError)).toMatchObject([
      undefined,
      { code: 'process' },
      { code: 'abort' },
    ]);
  });
});
