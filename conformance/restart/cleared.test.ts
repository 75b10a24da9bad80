import { describe, expect, it } from 'vitest';
import { isTestedNow, pinnedVersion } from '../harness/real-cli.ts';
import { type ClearRound, killAroundClear } from './around-clear.ts';

const ROUNDS: readonly (readonly [release: string, rounds: ClearRound[]])[] = [
  // It writes a transcript of the empty conversation, which it can neither resume nor replace under the same id.
  [
    '2.1.197',
    [
      { point: 'init', turnsBefore: 1 },
      { point: { cleared: 0 }, turnsBefore: 1 },
      { point: { cleared: 60 }, turnsBefore: 0 },
    ],
  ],
  // The same, until it has answered the clear.
  ['2.1.290', [{ point: 'init', turnsBefore: 0 }]],
  [pinnedVersion, [{ point: 'init', turnsBefore: 0 }]],
];

describe.concurrent('a restarting session whose CLI is killed around clear()', () => {
  it.each(ROUNDS.filter(([release]) => isTestedNow(release)))(
    '[A-2] of %s recovers, and the next prompt is sent and answered once',
    async (version, rounds) => {
      expect(await killAroundClear(version, rounds)).toEqual([]);
    },
  );
});
