import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Queue, Waiters } from '../../src/stream/queue.ts';

function rest<T>(queue: Queue<T>): T[] {
  const items: T[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

describe('a queue', () => {
  it('[S-12] returns items in the order in which they were pushed, then undefined', () => {
    const queue = new Queue<string>();
    for (const item of ['a', 'b', 'c']) expect(queue.push(item, 1)).toBe(0);
    expect([queue.length, queue.bytes]).toEqual([3, 3]);
    expect(rest(queue)).toEqual(['a', 'b', 'c']);
    expect([queue.length, queue.bytes, queue.shift()]).toEqual([0, 0, undefined]);
  });

  it('[S-4] drops the oldest items above its limit and returns their number', () => {
    const queue = new Queue<number>(30);
    const dropped = Array.from({ length: 5 }, (_, n) => queue.push(n, 10));
    expect(dropped).toEqual([0, 0, 0, 1, 1]);
    expect(rest(queue)).toEqual([2, 3, 4]);
  });

  it('[S-4] keeps the newest item, however large it is', () => {
    const queue = new Queue<string>(10);
    queue.push('small', 5);
    expect(queue.push('huge', 1_000)).toBe(1);
    expect([queue.bytes, queue.shift()]).toEqual([1_000, 'huge']);
  });

  it('[S-12] is empty after clear, and can be used again', () => {
    const queue = new Queue<string>();
    queue.push('old', 7);
    queue.clear();
    expect([queue.length, queue.bytes]).toEqual([0, 0]);
    queue.push('new', 2);
    expect([queue.bytes, queue.shift()]).toEqual([2, 'new']);
  });

  it('[S-12] stays small while its reader is always one item behind', () => {
    const queue = new Queue<number>();
    queue.push(0, 1);
    for (let n = 1; n <= 5_000; n++) {
      queue.push(n, 1);
      expect(queue.shift()).toBe(n - 1);
      expect(queue.length).toBe(1);
    }
  });

  it('[S-4, S-12] behaves like an array for any sequence of pushes, shifts and clears', () => {
    const action = fc.oneof(
      { weight: 6, arbitrary: fc.record({ push: fc.integer({ min: 0, max: 20 }) }) },
      { weight: 4, arbitrary: fc.constant('shift' as const) },
      { weight: 1, arbitrary: fc.constant('clear' as const) },
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 200 }), fc.integer({ min: 1, max: 100 }), (actions, maxBytes) => {
        const queue = new Queue<number>(maxBytes);
        let model: { item: number; bytes: number }[] = [];
        for (const [item, next] of actions.entries()) {
          if (next === 'shift') expect(queue.shift()).toBe(model.shift()?.item);
          else if (next === 'clear') {
            queue.clear();
            model = [];
          } else {
            model.push({ item, bytes: next.push });
            let dropped = 0;
            for (; model.length > 1 && sum(model) > maxBytes; dropped++) model.shift();
            expect(queue.push(item, next.push)).toBe(dropped);
          }
          expect([queue.length, queue.bytes]).toEqual([model.length, sum(model)]);
        }
      }),
    );
  });
});

describe('waiters', () => {
  it('[Q-13] wait until all of them are woken together', async () => {
    const waiters = new Waiters();
    expect(waiters.any).toBe(false);
    const waits = [waiters.wait(), waiters.wait()];
    expect(waiters.any).toBe(true);
    waiters.wake();
    await Promise.all(waits);
    expect(waiters.any).toBe(false);
  });
});

function sum(entries: readonly { bytes: number }[]): number {
  return entries.reduce((all, { bytes }) => all + bytes, 0);
}
