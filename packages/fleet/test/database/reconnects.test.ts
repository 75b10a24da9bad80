import { expect, it } from 'vitest';
import { Reconnects } from '../../src/database/reconnects.ts';

it('[F-12] a server that accepts connections but stores nothing gets fewer and fewer new ones, until it stores something', () => {
  let now = 0;
  const reconnects = new Reconnects(() => now);
  const made: number[] = [];
  // Requests a connection every 100 ms for five minutes, and drops it after 3 s of silence.
  for (; now < 300_000; now += 100) {
    if (now - (made.at(-1) ?? Number.NEGATIVE_INFINITY) < 3_000) continue;
    if (made.length > 0 && now - (made.at(-1) ?? 0) === 3_000) reconnects.recordSilence();
    try {
      reconnects.check();
      made.push(now);
    } catch {
      // Refused: it is too early.
    }
  }
  expect(made.length).toBeLessThan(18);
  // After a stored write, a new connection is opened at once.
  expect(made.slice(0, 3)).toEqual([0, 3_000, 6_000]);
  expect(() => reconnects.check()).toThrow('did not answer');
  reconnects.recordStored();
  for (let n = 0; n < 10; n += 1) reconnects.check();
});
