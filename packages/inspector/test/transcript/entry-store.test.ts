import { readdirSync } from 'node:fs';
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

/** Measured after a garbage collection. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

describe('the entries of a conversation', () => {
  it('[I-3] are the same in memory and in the file, after any order of changes', () => {
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

  it('[I-3] use little memory for 100,000 entries, and the first is read as fast as the last', () => {
    const store = new EntryStore();
    const before = heapUsed();
    const text = 'x'.repeat(1_000);
    for (let n = 0; n < 100_000; n += 1) store.put(entry(n, text));
    const grown = (heapUsed() - before) / 1024 / 1024;
    expect(store.get(0)).toEqual(entry(0, text));
    expect(store.get(99_999)).toEqual(entry(99_999, text));
    // The texts alone have 100 MB.
    expect(grown).toBeLessThan(20);
    store.clear();
  });

  it('[I-3] of many conversations share one file, which reuses freed pages', () => {
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const text = (which: number, length: number): string => String.fromCharCode(97 + (which % 26)).repeat(length);
    const before = openFiles();
    const stores = Array.from({ length: 100 }, () => new EntryStore());
    // Pages of 64 KB: some texts fill a part of one, others several.
    const length = (which: number): number => 20_000 + (which % 7) * 30_000;
    for (const [which, store] of stores.entries()) store.keepPart(text(which, length(which)));
    for (const [which, store] of stores.entries()) store.keepPart(text(which + 1, length(which)));
    expect(openFiles() - before).toBe(1);
    for (const store of stores.slice(0, 50)) store.clear();
    const later = Array.from({ length: 50 }, () => new EntryStore());
    for (const [which, store] of later.entries()) store.keepPart(text(which + 2, 150_000));
    const read = (store: EntryStore | undefined, part: number): string | undefined => store?.part(part)?.toString();
    for (let which = 50; which < 100; which += 1) {
      expect(read(stores[which], 0) === text(which, length(which))).toBe(true);
      expect(read(stores[which], 1) === text(which + 1, length(which))).toBe(true);
      expect(read(later[which - 50], 0) === text(which - 48, 150_000)).toBe(true);
    }
    for (const store of [...stores, ...later]) store.clear();
    expect(openFiles()).toBe(before);
  });

  it('[I-3] keep the full text of each cut, byte for byte', () => {
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
