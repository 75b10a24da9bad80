import { describe, expect, it } from 'vitest';
import { within } from '../../src/timing/timers.ts';

describe('within()', () => {
  it('[E-4] causes no TimeoutNegativeWarning on Node 24 for a deadline in the past', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    expect(await within(-3, new Promise(() => {}))).toBeUndefined();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('[E-4] resolves to a value that arrives in time, or to undefined', async () => {
    expect(await within(-3, Promise.resolve('here'))).toBe('here');
    await expect(within(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('[E-4] accepts a plain value, which a transport in JavaScript may return', async () => {
    const nothing: unknown = undefined;
    expect(await within(1_000, nothing as Promise<void>)).toBeUndefined();
  });
});
