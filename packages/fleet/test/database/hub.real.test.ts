import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { Hub } from '../../src/database/hub.ts';
import { notify } from '../../src/database/log.ts';
import { sql, testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/proxy.ts';

it('[F-7] a connection that silently stops to carry notifications is replaced', { timeout: 90_000 }, async () => {
  const { database, schema } = await testDatabase();
  await using proxy = await databaseProxy(database);
  const behind = new Database({ url: proxy.url, schema, connections: 1, leaseMs: 10_000 });
  const direct = new Database({ url: database, schema, connections: 1, leaseMs: 10_000 });
  const hub = new Hub(behind, 1_000);
  await hub.open();
  await expect.poll(() => hub.listening).toBe(true);
  const before = await sql(database, LISTENERS);
  proxy.strand();
  await expect.poll(() => sql(database, LISTENERS), { timeout: 20_000, interval: 100 }).not.toEqual(before);
  // Whichever notification comes first after the new connection listens.
  const woken = hub.wait('news', 20_000).then(() => true);
  for (let done = false; !done; ) {
    await notify(direct, schema, 'news');
    done = await Promise.race([woken, delay(100, false)]);
  }
  await hub.close();
  await Promise.all([behind.close(), direct.close()]);
});

const LISTENERS = `select pid from pg_stat_activity where application_name = 'coxswain-fleet listener' order by backend_start desc limit 1`;
