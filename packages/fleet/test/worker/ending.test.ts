import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailableError, LeaseLostError } from '../../src/errors.ts';
import { Ending, lossOf } from '../../src/worker/ending.ts';

describe('the ending of a run', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('[F-19] the first reason of each kind counts, and an error ends the agent once', () => {
    const ending = new Ending();
    const lost = new LeaseLostError('ann');
    ending.record('cancelledBy', 'ann');
    ending.record('cancelledBy', 'bob');
    expect(ending.signal.aborted).toBe(false);
    ending.now('lost', 'database', lost);
    ending.now('lost', 'taken', new LeaseLostError('bob'));
    ending.now('fault', { error: 'late' }, new Error('late'));
    expect(ending.reasons).toEqual({ cancelledBy: 'ann', lost: 'database', fault: { error: 'late' } });
    expect(ending.signal.reason).toBe(lost);
  });

  it('[F-9, F-11] a deadline of the agent only becomes earlier', () => {
    const ending = new Ending();
    expect(ending.within(10_000)).toBe(true);
    vi.advanceTimersByTime(2_000);
    expect(ending.within(10_000)).toBe(false);
    expect(ending.within(1_000)).toBe(true);
    vi.advanceTimersByTime(999);
    expect(ending.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(ending.signal.aborted).toBe(true);
  });

  it('[F-11] a deadline has no effect once the agent has exited, and the longest possible one does not pass at once', () => {
    const exited = new Ending();
    exited.within(1_000);
    exited.clear();
    const patient = new Ending();
    patient.within(2 ** 31 + 5_000);
    vi.advanceTimersByTime(2_000);
    expect([exited.signal.aborted, patient.signal.aborted]).toEqual([false, false]);
  });

  it('[F-5, F-19] an error is recognized as a loss even if the session store has wrapped it', () => {
    const wrapped = (cause: unknown): Error => new Error('the store failed', { cause });
    expect(lossOf(wrapped(wrapped(new LeaseLostError('ann'))))).toBe('taken');
    expect(lossOf(wrapped(new DatabaseUnavailableError('The query failed', '57P03')))).toBe('database');
    expect(lossOf(wrapped('agent'))).toBeUndefined();
    const circular = wrapped(undefined);
    circular.cause = wrapped(circular);
    expect(lossOf(circular)).toBeUndefined();
  });
});
