import { describe, expect, it } from 'vitest';
import { shareOf } from '../../src/queue/routes.ts';
import { sql, testDatabase } from '../support/database.ts';

describe('the share of a conversation', () => {
  it('[F-51] is spread evenly, stays as it is, and differs from release to release', async () => {
    const { database } = await testDatabase();
    const shares = (seed: string): Promise<Record<string, unknown>[]> =>
      sql(database, `select ${shareOf('$1::text', `'key-' || n`)}::float8 as share from generate_series(1, 4000) n`, [
        seed,
      ]);
    const [one, again, other] = await Promise.all([
      shares('default 1 -'),
      shares('default 1 -'),
      shares('default 2 -'),
    ]);
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
    for (const limit of [0.1, 0.5, 0.9]) {
      const part = one.filter(({ share }) => Number(share) < limit).length / one.length;
      expect(Math.abs(part - limit)).toBeLessThan(0.05);
    }
    expect(one.every(({ share }) => Number(share) >= 0 && Number(share) < 1)).toBe(true);
    // Stored shares must mean the same after an upgrade of PostgreSQL or of this package.
    expect((await shares('default 1 -'))[0]?.share).toBeCloseTo(SHARE_OF_KEY_1, 12);
  });
});

/** Computed with SHA-256 elsewhere. */
const SHARE_OF_KEY_1 = 0.1360229253768921;
