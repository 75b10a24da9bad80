import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFleet, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/database/migrations.ts';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/proxy.ts';

describe('the schema of a fleet', () => {
  it('[F-14] must not be a keyword of SQL; a refused one leaves nothing behind', async () => {
    const { database } = await testDatabase();
    const opening = openFleet({ database, schema: 'select', limits });
    await expect(opening).rejects.toMatchObject({ code: 'fleet-input', field: 'schema' });
    expect(await sql(database, `select 1 from pg_namespace where nspname = 'select'`)).toEqual([]);
  });
});

describe('a worker that cannot start', () => {
  it('[F-12] closes its connections', async () => {
    const { database, schema } = await testDatabase();
    await (await openFleet({ database, schema, limits })).close();
    const user = `${schema}_worker`;
    await sql(database, `create role ${user} login superuser; alter table ${schema}.worker rename to gone`);
    const url = database.replace('postgres@', `${user}@`);
    await expect(startWorker({ database: url, schema, limits, agent: scriptedAgent() })).rejects.toThrow('worker');
    const connections = `select 1 from pg_stat_activity where usename = '${user}'`;
    await expect.poll(() => sql(database, connections), { timeout: 10_000 }).toEqual([]);
  });

  it('[F-12] retries for `connectTimeoutMs`, even if the database goes down after the first connection', async () => {
    const { database, schema } = await testDatabase();
    await (await openFleet({ database, schema, limits })).close();
    await using wire = await databaseProxy(database);
    const given = { database: wire.url, schema, limits, agent: scriptedAgent() };
    // The first statement of a worker.
    const announcement = `insert into "${schema}".worker`;
    wire.cutRequest(announcement);
    await expect(startWorker(given)).rejects.toMatchObject({ code: 'database-unavailable' });
    wire.cutRequest(announcement);
    await using worker = await startWorker({ ...given, connectTimeoutMs: 20_000 });
    expect(worker.health().ready).toBe(true);
  });
});

describe('a fleet that is opened with create: false', () => {
  it('[F-14, F-16] is not created: a schema without one is an error, and nothing is left behind', async () => {
    const { database, schema } = await testDatabase();
    const before = await sql(database, 'select nspname from pg_namespace order by 1');
    const opening = openFleet({ database, schema, limits, create: false });
    await expect(opening).rejects.toMatchObject({ code: 'no-fleet', place: schema });
    await expect(opening).rejects.toThrow(`There is no fleet in the schema "${schema}"`);
    expect(await sql(database, 'select nspname from pg_namespace order by 1')).toEqual(before);
  });

  it('[F-14] is listed and counted by a user that may only read', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await fleet.submit({ key: 'ann', prompt: 'Hello', id: 'one' });
    await sql(
      database,
      `create role ${schema}_reader login; grant usage on schema ${schema} to ${schema}_reader;
       grant select on all tables in schema ${schema} to ${schema}_reader`,
    );
    const url = database.replace('postgres@', `${schema}_reader@`);
    await using reader = await openFleet({ database: url, schema, limits, create: false });
    expect(await reader.turns()).toMatchObject([{ id: 'one' }]);
    expect(await reader.stats()).toMatchObject({ turns: { waiting: 1 }, heldBack: [] });
    expect(await reader.quotas()).toEqual([]);
    expect(await reader.schedules()).toEqual([]);
    await expect(reader.submit({ key: 'ann', prompt: 'Hello' })).rejects.toThrow('permission denied');
  });

  it('[F-14] is not upgraded: older and newer tables are errors', async () => {
    const { database, schema } = await testDatabase();
    await (await openFleet({ database, schema, limits })).close();
    await sql(database, `update ${schema}.fleet_version set version = version - 1`);
    await expect(openFleet({ database, schema, limits, create: false })).rejects.toMatchObject({
      code: 'schema-too-old',
    });
    await sql(database, `update ${schema}.fleet_version set version = 99`);
    await expect(openFleet({ database, schema, limits, create: false })).rejects.toMatchObject({
      code: 'schema-too-new',
    });
    // The tables of the queue have their own version.
    await sql(
      database,
      `update ${schema}.fleet_version set version = ${migrations.length}; drop table ${schema}.version`,
    );
    await expect(openFleet({ database, schema, limits, create: false })).rejects.toMatchObject({
      code: 'schema-too-old',
    });
    await sql(database, `drop table ${schema}.fleet_version`);
    await expect(openFleet({ database, schema, limits, create: false })).rejects.toMatchObject({ code: 'no-fleet' });
  });

  it('[F-13] starts no embedded PostgreSQL in a folder without one', async () => {
    const home = mkdtempSync(join(tmpdir(), 'coxswain-open-'));
    const directory = join(home, 'postgres');
    const opening = openFleet({ embedded: { directory }, create: false });
    await expect(opening).rejects.toMatchObject({ code: 'no-fleet', place: directory });
    expect(readdirSync(home)).toEqual([]);
    rmSync(home, { recursive: true });
  });
});
