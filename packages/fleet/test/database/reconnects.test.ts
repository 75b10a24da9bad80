import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Reconnects } from '../../src/database/reconnects.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A server whose probes are silent until `answer()`. */
function silentServer(): { reconnects: Reconnects; probes: { readonly at: number; open: boolean }[]; answer(): void } {
  const probes: { readonly at: number; open: boolean }[] = [];
  let answered: () => void = () => {};
  const reconnects = new Reconnects(
    (signal) =>
      new Promise((resolve) => {
        const probe = { at: Date.now() - start, open: true };
        probes.push(probe);
        const end = (value: boolean): void => {
          probe.open = false;
          resolve(value);
        };
        signal.addEventListener('abort', () => end(false));
        answered = () => end(true);
      }),
  );
  const start = Date.now();
  return { reconnects, probes, answer: () => answered() };
}

it('[F-12] after one silent connection, connections are opened as before', () => {
  const { reconnects, probes } = silentServer();
  reconnects.recordSilence();
  reconnects.check();
  expect(probes).toEqual([]);
});

it('[F-12] a server that accepts connections but stores nothing gets one probe at a time, less and less often', async () => {
  const { reconnects, probes } = silentServer();
  for (let n = 0; n < 5; n += 1) reconnects.recordSilence();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(() => reconnects.check()).toThrow('did not answer');
  expect(probes.map(({ at }) => at / 1_000)).toEqual([0, 3, 9, 21, 45, 75]);
  expect(probes.filter(({ open }) => open)).toHaveLength(1);
});

it('[F-12] when the probe is answered, connections are opened at once', async () => {
  const { reconnects, probes, answer } = silentServer();
  for (let n = 0; n < 2; n += 1) reconnects.recordSilence();
  await vi.advanceTimersByTimeAsync(100_000);
  answer();
  await vi.advanceTimersByTimeAsync(0);
  for (let n = 0; n < 10; n += 1) reconnects.check();
  reconnects.recordSilence();
  reconnects.check();
  expect(probes.filter(({ open }) => open)).toEqual([]);
});

it('[F-12] close() ends the probe, and no other follows', async () => {
  const { reconnects, probes } = silentServer();
  for (let n = 0; n < 2; n += 1) reconnects.recordSilence();
  reconnects.close();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(probes).toEqual([{ at: 0, open: false }]);
  expect(vi.getTimerCount()).toBe(0);
});
