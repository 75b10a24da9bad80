import { expect, it, vi } from 'vitest';
import { PreferredJobs } from '../../src/worker/preferred-jobs.ts';

it('[F-37] searches once for many jobs that are left to other workers, with one timer, and for the last one, too', async () => {
  vi.useFakeTimers();
  try {
    const ended = new AbortController();
    let woken = 0;
    const hub = {
      wait: async () => {},
      wake: () => {
        woken += 1;
      },
    };
    const jobs = new PreferredJobs({ hub, preferMs: 200, hasProcesses: () => false, signal: ended.signal });
    for (let n = 0; n < 1_000; n += 1) await jobs.await();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(100);
    for (let n = 0; n < 1_000; n += 1) await jobs.await();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(110);
    expect(woken).toBe(1);
    vi.advanceTimersByTime(100);
    expect([woken, vi.getTimerCount()]).toEqual([2, 0]);
    await jobs.await();
    ended.abort();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('[F-37] searches at once if the worker has processes', async () => {
  const ended = new AbortController();
  const topics: string[] = [];
  const hub = { wait: async () => {}, wake: (topic: string) => void topics.push(topic) };
  const jobs = new PreferredJobs({ hub, preferMs: 60_000, hasProcesses: () => true, signal: ended.signal });
  await jobs.await();
  ended.abort();
  expect(topics).toEqual(['jobs']);
});
