import { expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openQueue } from '../../src/queue/pg-boss.ts';
import { testDatabase } from '../support/database.ts';

it('[F-24] the queue uses only the connection of a transaction, from the first call after its start', async () => {
  const { database: url, schema } = await testDatabase();
  const database = new Database({ url, schema, connections: 2, leaseMs: 15_000 });
  await migrate(database);
  const queue = await openQueue(database, 'worker', true, ['webhook', 'function']);
  const elsewhere = vi.spyOn(database, 'execute');
  await database.transaction(async (sql) => {
    await queue.setTimer(sql, 'approval', 1_000);
    await queue.announce(sql, 'approval', 'requested');
    await queue.send(sql, {
      id: crypto.randomUUID(),
      key: 'ann',
      tenant: 'default',
      agent: 'default',
      priority: 0,
      startAfter: undefined,
    });
    expect(await queue.fetchScheduled(sql)).toBeUndefined();
  });
  // Maintenance of the queue has statements of its own.
  expect(elsewhere.mock.calls.filter(([text]) => /from .*\.queue\b/i.test(text))).toEqual([]);
  await queue.close();
  await database.close();
});
