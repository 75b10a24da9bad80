import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/api.ts';
import { EntryStore } from '../../src/transcript/entry-store.ts';

const entry = (n: number, text: string): Entry => ({
  ...{ n, at: n, turn: null, parent: null, depth: 0 },
  ...{ kind: 'system', subtype: 'note', text, detail: null },
});

/** After a collection of garbage. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

describe('the entries of a conversation', () => {
  it('[I-3] are the same whether they are in memory or in the file, in any order of changes', () => {
    const step = fc.record({ target: fc.double({ min: 0, max: 1, noNaN: true }), text: fc.string({ maxLength: 30 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 10 }), (steps, hotEntries) => {
        const store = new EntryStore({ hotEntries, hotBytes: 3_000 });
        const model: Entry[] = [];
        for (const { target, text } of steps) {
          const n = Math.min(model.length, Math.floor(target * (model.length + 3)));
          model[n] = entry(n, text);
          store.put(entry(n, text));
        }
        expect(store.total).toBe(model.length);
        expect(store.window(0, 1_000)).toEqual(model);
        expect(store.window(3, 4)).toEqual(model.slice(3, 7));
        store.clear();
      }),
      { numRuns: 60 },
    );
  });

  it('[I-3] 100,000 of them take little memory, and the first is as near as the last', () => {
    const store = new EntryStore();
    const before = heapUsed();
    const text = 'x'.repeat(1_000);
    for (let n = 0; n < 100_000; n += 1) store.put(entry(n, text));
    const grown = (heapUsed() - before) / 1024 / 1024;
    expect(store.get(0)).toEqual(entry(0, text));
    expect(store.get(99_999)).toEqual(entry(99_999, text));
    // The texts alone are 100 MB.
    expect(grown).toBeLessThan(20);
    store.clear();
  });

  it('[I-3] keeps the whole of what was cut, byte for byte', () => {
    const store = new EntryStore();
    const whole = 'ä'.repeat(1_000_000);
    const number = store.keepPart(whole);
    store.keepPart('another');
    expect(store.part(number)?.toString()).toBe(whole);
    expect(store.part(7)).toBeUndefined();
    store.clear();
    expect(store.part(number)).toBeUndefined();
  });
});
