import { getEventListeners, getMaxListeners, setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { onAbort } from '../../src/timing/caller.ts';

const listenersOn = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('onAbort()', () => {
  it('[Q-12] calls its function once, at the abort', () => {
    const controller = new AbortController();
    let calls = 0;
    const forget = onAbort(controller.signal, () => {
      calls += 1;
    });
    expect(calls).toBe(0);
    controller.abort();
    controller.abort();
    expect(calls).toBe(1);
    forget();
  });

  it('[Q-12, R-4] leaves no listener on the signal', () => {
    const { signal } = new AbortController();
    const most = getMaxListeners(signal);
    const forgetters = Array.from({ length: 50 }, () => onAbort(signal, () => {}));
    expect(listenersOn(signal)).toBe(50);
    for (const forget of [...forgetters, ...forgetters]) forget();
    expect(listenersOn(signal)).toBe(0);
    expect(getMaxListeners(signal)).toBe(most);
  });

  it('[Q-14] causes no warning for many listeners on one signal, and keeps the caller’s own limit', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    const { signal } = new AbortController();
    setMaxListeners(2, signal);
    const forgetters = Array.from({ length: 100 }, () => onAbort(signal, () => {}));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings).toEqual([]);
    expect(getMaxListeners(signal)).toBe(102);
    for (const forget of forgetters) forget();
  });

  it('[Q-12] keeps a limit of 0, and accepts undefined or a signal of another library', () => {
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    expect(() => onAbort(signal, () => {})()).not.toThrow();
    expect(() => onAbort(undefined, () => {})()).not.toThrow();
    const calls: string[] = [];
    const foreign = { addEventListener: () => calls.push('add'), removeEventListener: () => calls.push('remove') };
    onAbort(foreign as unknown as AbortSignal, () => {})(); // What a polyfill looks like.
    expect(calls).toEqual(['add', 'remove']);
  });
});
