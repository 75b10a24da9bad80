import { expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { sql, testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/proxy.ts';

it('[F-12] a server that accepts connections but stores nothing gets few of them, and is used at once when it stores again', {
  timeout: 60_000,
}, async () => {
  const { database: url, schema } = await testDatabase();
  await sql(url, `create schema ${schema}; create table ${schema}.written (n integer)`);
  // A role without privileges on the server itself.
  await sql(url, `create role stalled_writer login; grant usage on schema ${schema} to stalled_writer`);
  await sql(url, `grant insert on ${schema}.written to stalled_writer`);
  await using wire = await databaseProxy(url);
  const database = new Database({
    url: wire.url.replace('postgres@', 'stalled_writer@'),
    schema,
    connections: 4,
    leaseMs: 4_000,
  });
  const write = (): Promise<string> =>
    database.queryExpress('insert into @.written values (1)', []).then(
      () => 'stored',
      (error: Error) => error.message,
    );
  try {
    expect(await write()).toBe('stored');
    wire.stall();
    await expect.poll(write, { timeout: 20_000 }).toContain('the server did not answer on earlier connections');
    for (let n = 0; n < 200; n += 1) expect(await write()).toContain('did not answer');
    expect(wire.open).toBeLessThanOrEqual(1);
    wire.thaw();
    await expect.poll(write, { timeout: 1_000, interval: 20 }).toBe('stored');
  } finally {
    await database.close();
  }
});
