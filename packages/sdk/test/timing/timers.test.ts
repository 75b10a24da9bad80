import { expect, it, vi } from 'vitest';
import { Timers } from '../../src/timing/timers.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';

fakeClock();

it('[R-4] a timer runs once, is replaced by the next timer with its name, and can be cleared', async () => {
  const timers = new Timers<'a' | 'b' | 'c'>();
  const ran: string[] = [];
  timers.set('a', 10, () => ran.push('a too early'));
  timers.set('a', 20, () => ran.push('a'));
  timers.set('b', 30, () => ran.push('b'));
  timers.set('c', 40, () => ran.push('c'));
  await pass(20);
  expect(ran).toEqual(['a']);
  expect([timers.has('a'), timers.has('b')]).toEqual([false, true]);
  timers.clear('b');
  await pass(20);
  expect(ran).toEqual(['a', 'c']);
  timers.set('a', 10, () => ran.push('a'));
  timers.clear();
  expect(vi.getTimerCount()).toBe(0);
});

it('[R-4, S-7] a timer with a longer delay than Node allows does not run immediately', async () => {
  const timers = new Timers<'a'>();
  const run = vi.fn();
  timers.set('a', 2 ** 31, run);
  await pass(24 * 3_600_000);
  expect(run).not.toHaveBeenCalled();
  timers.clear();
});
