import { describe, expect, it } from 'vitest';
import { LONG_FORM } from '../../packages/sdk/test/support/long-form.ts';
import { isTestedNow, pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { keptCounterexamples, walksFrom } from './counterexamples.ts';
import { generateWalk } from './generate.ts';
import { runWalk } from './run-walk.ts';
import type { WalkKind } from './steps.ts';

const BETWEEN = '2.1.290';

/** `npm run do -- walk` runs more seeds and longer walks; these are few, so that the tests stay fast. */
const SEEDS: readonly (readonly [release: string, kind: WalkKind, seed: number])[] = [
  ...[...testedVersions, BETWEEN].filter(isTestedNow).map((release) => [release, 'session', 19] as const),
  [pinnedVersion, 'restarting', 7],
  [pinnedVersion, 'pool', 7],
];

describe.concurrent('a random walk', { timeout: 900_000 }, () => {
  it.each(SEEDS)(
    '[S-3] of %s, %s, seed %i: every answer belongs to its prompt, and every mode is kept',
    async (release, kind, seed) => {
      const { violations, trace } = await runWalk(generateWalk({ seed, release, kind, length: LONG_FORM ? 18 : 12 }));
      expect(violations, trace.join('\n')).toEqual([]);
    },
  );

  const kept = keptCounterexamples().flatMap((example) =>
    walksFrom(example).map((walk) => ({ name: example.name, release: walk.release, walk })),
  );
  it.each(kept.filter(({ release }) => isTestedNow(release)))(
    '[S-3] passes now although it failed earlier: $name, $release',
    async ({ walk }) => {
      const { violations, trace } = await runWalk(walk);
      expect(violations, trace.join('\n')).toEqual([]);
    },
  );
});
