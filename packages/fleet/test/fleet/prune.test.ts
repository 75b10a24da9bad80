import { DatabaseUnavailableError } from '@coxswain/fleet';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { prune } from '../../src/fleet/prune.ts';

/** A database with turns so large that a statement can remove only `most` of them in its time. */
function slowDatabase(turns: number, most: number): Pick<Database, 'query' | 'transaction'> {
  let left = turns;
  const query = async (text: string, values: readonly unknown[] = []): Promise<object[]> => {
    const size = Number(values[1]);
    if (!text.includes('as turns')) return [{ logged: 0 }];
    if (Math.min(size, left) > most) throw new DatabaseUnavailableError('The query failed', '57014');
    const removed = Math.min(size, left);
    left -= removed;
    return [{ turns: removed, events: removed * 1_000, approvals: 0 }];
  };
  const transaction = (work: (sql: object) => Promise<unknown>): Promise<unknown> => work({ query });
  // The caller states the types of the rows and of the result.
  return { query: query as Database['query'], transaction: transaction as Database['transaction'] };
}

it('[F-14] prune() removes turns that are too large for one statement in smaller batches', async () => {
  // `prune` calls nothing else.
  const database = slowDatabase(600, 10) as Database;
  expect(await prune(database, { turnsBefore: new Date(0) })).toMatchObject({ turns: 600, events: 600_000 });
});

it('[F-14] prune() fails if a single turn takes too long', async () => {
  const database = slowDatabase(3, 0) as Database;
  await expect(prune(database, { turnsBefore: new Date(0) })).rejects.toMatchObject({ reason: '57014' });
});
