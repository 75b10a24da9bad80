import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadlines } from '../../src/hooks/deadlines.ts';
import { countedCalls } from './counted-calls.ts';

describe('deadlines on one timer', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('[H-6] expire each at its time, in whatever order they were set', () => {
    const { deadlines, expired } = make();
    for (const deadline of [300, 100, 200, 100]) deadlines.add({ deadline });
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(99);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual([100, 100]);
    vi.advanceTimersByTime(1_000);
    expect(expired).toEqual([100, 100, 200, 300]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('do not expire once met, nor once cleared', () => {
    const { deadlines, expired } = make();
    const met = { deadline: 10 };
    deadlines.add(met);
    deadlines.delete(met);
    deadlines.add({ deadline: 20 });
    deadlines.clear();
    deadlines.add({ deadline: Number.POSITIVE_INFINITY });
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(expired).toEqual([]);
  });

  it('cost one timer, however many are met in time', () => {
    const set = countedCalls('setTimeout');
    const { deadlines } = make();
    for (let i = 0; i < 1_000; i++) {
      const item = { deadline: Date.now() + 60_000 };
      deadlines.add(item);
      deadlines.delete(item);
      vi.advanceTimersByTime(1);
    }
    expect(set.calls).toBe(1);
  });

  it('that are over already expire with the next tick of the timer', () => {
    const { deadlines, expired } = make();
    deadlines.add({ deadline: -5 });
    vi.advanceTimersByTime(1);
    expect(expired).toEqual([-5]);
  });
});

function make(): { deadlines: Deadlines<{ readonly deadline: number }>; expired: number[] } {
  const expired: number[] = [];
  return { deadlines: new Deadlines(Date.now, ({ deadline }) => expired.push(deadline)), expired };
}
