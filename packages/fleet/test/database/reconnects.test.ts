import { expect, it } from 'vitest';
import { Reconnects } from '../../src/database/reconnects.ts';

it('[F-12] a server that accepts connections and stores nothing gets fewer and fewer of them, until it does', () => {
  let now = 0;
  const reconnects = new Reconnects(() => now);
  const made: number[] = [];
  // Something wants a connection each 100 ms for five minutes, and gives it up when it was silent for 3 s.
  for (; now < 300_000; now += 100) {
    if (now - (made.at(-1) ?? Number.NEGATIVE_INFINITY) < 3_000) continue;
    if (made.length > 0 && now - (made.at(-1) ?? 0) === 3_000) reconnects.recordSilence();
    try {
      reconnects.check();
      made.push(now);
    } catch {
      // Later.
    }
  }
  expect(made.length).toBeLessThan(18);
  // One that is new is made at once, as long as nothing else was silent.
  expect(made.slice(0, 3)).toEqual([0, 3_000, 6_000]);
  expect(() => reconnects.check()).toThrow('did not answer');
  reconnects.recordStored();
  for (let n = 0; n < 10; n += 1) reconnects.check();
});
