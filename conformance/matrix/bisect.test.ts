import { describe, expect, it } from 'vitest';
import { nextStep, spanOf } from './bisect.ts';
import type { Measured } from './measured.ts';

const RELEASES = Array.from({ length: 400 }, (_, index) => `1.0.${index}`);

/** Searches like the command; each feature was introduced in a known release. */
function search(began: Readonly<Record<string, number>>, floor = 0): { measured: Measured; steps: string[] } {
  const searches = Object.keys(began).map((id) => ({ id, floor: RELEASES[floor] ?? '' }));
  const measured: Measured = {};
  const steps: string[] = [];
  for (let step = nextStep(searches, RELEASES, measured); step; step = nextStep(searches, RELEASES, measured)) {
    const { version, features } = step;
    steps.push(version);
    const has = (id: string): boolean => RELEASES.indexOf(version) >= (began[id] ?? 0);
    const found = features.map((id) => [id, has(id) ? { verdict: 'yes' } : { verdict: 'no', note: '' }]);
    measured[version] = { ...measured[version], ...Object.fromEntries(found) };
  }
  return { measured, steps };
}

describe('the search for the first release of a feature', () => {
  it('[K-5] finds it, with the release before it measured too, in few steps', () => {
    const began = { a: 137, b: 138, c: 301, d: 399, e: 0 };
    const { measured, steps } = search(began);
    for (const [id, first] of Object.entries(began)) {
      const span = spanOf({ id, floor: '1.0.0' }, RELEASES, measured);
      expect(span).toEqual({ lacks: first - 1, has: first });
      expect(measured[RELEASES[first] ?? '']?.[id]).toEqual({ verdict: 'yes' });
      if (first > 0) expect(measured[RELEASES[first - 1] ?? '']?.[id]).toMatchObject({ verdict: 'no' });
    }
    expect(steps.length).toBeLessThan(30);
    expect(new Set(steps).size).toBe(steps.length);
  });

  it('[K-5] measures the newest and the oldest release first, and no others if both agree', () => {
    expect(search({ a: 0 }, 86).steps).toEqual(['1.0.399', '1.0.86']);
    expect(search({ a: 1_000 }).steps).toEqual(['1.0.399']);
  });

  it('[K-5] prefers a release that is already installed, if it is nearly as informative', () => {
    const measured: Measured = {
      '1.0.0': { a: { verdict: 'no', note: '' } },
      '1.0.399': { a: { verdict: 'differs', note: 'somewhat' } },
    };
    const step = nextStep([{ id: 'a', floor: '1.0.0' }], RELEASES, measured, new Set(['1.0.180', '1.0.3']));
    expect(step).toEqual({ version: '1.0.180', features: ['a'] });
  });

  it('[K-5] counts a release that lost the feature again as lacking it', () => {
    const measured: Measured = {
      '1.0.10': { a: { verdict: 'yes' } },
      '1.0.20': { a: { verdict: 'no', note: '' } },
      '1.0.30': { a: { verdict: 'yes' } },
    };
    expect(spanOf({ id: 'a', floor: '1.0.0' }, RELEASES, measured)).toEqual({ lacks: 20, has: 30 });
  });
});
