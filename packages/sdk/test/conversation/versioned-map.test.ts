import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VersionedMap } from '../../src/conversation/versioned-map.ts';

describe('a versioned map', () => {
  it('[W-10] keeps the entries of every version, whichever is read or derived from', () => {
    const step = fc.record({ from: fc.nat(), key: fc.constantFrom('a', 'b', 'c', 'd'), value: fc.option(fc.nat(9)) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 20 }), (steps, reads) => {
        const versions = [new VersionedMap<number>()];
        const models = [new Map<string, number>()];
        for (const { from, key, value } of steps) {
          const at = from % versions.length;
          const model = new Map(models[at]);
          const version = versions[at] ?? expect.unreachable();
          if (value === null) model.delete(key);
          else model.set(key, value);
          versions.push(value === null ? version.without(key) : version.with(key, value));
          models.push(model);
        }
        for (const read of reads) {
          const at = read % versions.length;
          expect(versions[at]?.size).toBe(models[at]?.size);
          expect(new Set(versions[at]?.keys())).toEqual(new Set(models[at]?.keys()));
          for (const key of 'abcd') expect(versions[at]?.get(key)).toBe(models[at]?.get(key));
        }
      }),
    );
  });

  it('[W-10] has constant cost over 200,000 changes, and returns the oldest entry', () => {
    let map = new VersionedMap<true>();
    for (let nth = 0; nth < 100_000; nth++) map = map.with(String(nth), true);
    for (let nth = 0; nth < 99_990; nth++) map = map.without(String(nth));
    expect(map.size).toBe(10);
    expect(map.first).toBe('99990');
  });
});
