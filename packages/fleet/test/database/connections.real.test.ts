import { openFleet, serveHealth, startWorker } from '@coxswain/fleet';
import { expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

/** Counts the connections of a role until it is stopped; returns the maximum. */
function mostConnections(database: string, role: string): { stop(): Promise<number> } {
  let most = 0;
  let stopped = false;
  const counting = (async () => {
    while (!stopped) {
      const [row] = await sql(
        database,
        `select count(*)::integer as open from pg_stat_activity where usename = '${role}'`,
      );
      most = Math.max(most, Number(row?.open));
    }
  })();
  return {
    async stop() {
      stopped = true;
      await counting;
      return most;
    },
  };
}

it('[F-25] a worker that serves health and metrics uses 7 connections, and a client 6, however busy they are', async () => {
  const { database, schema } = await testDatabase();
  const urlOf = async (role: string): Promise<string> => {
    await sql(database, `create role ${role} login superuser`);
    return database.replace('postgres@', `${role}@`);
  };
  await using fleet = await openFleet({ database: await urlOf('counted_client'), schema, limits });
  const counts = ['counted_worker', 'counted_client'].map((role) => mostConnections(database, role));
  await using worker = await startWorker({
    database: await urlOf('counted_worker'),
    schema,
    limits,
    slots: 20,
    agent: scriptedAgent(),
  });
  await using health = await serveHealth(worker, { port: 0, fleet: true });
  const get = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${health.port}/${path}`)).text();
  const turns = Array.from({ length: 60 }, async (_, n) => {
    const turn = await fleet.submit({ key: `c${n}`, prompt: 'x' });
    return (await turn.outcome()).outcome.kind;
  });
  const looks = Array.from({ length: 30 }, () => Promise.all([get('metrics'), get('readyz'), fleet.stats()]));
  expect(new Set(await Promise.all(turns))).toEqual(new Set(['completed']));
  const [[metrics] = []] = await Promise.all(looks);
  expect(metrics).toMatch(/^coxswain_fleet_workers_alive 1$/m);
  const [ofWorker, ofClient] = await Promise.all(counts.map((count) => count.stop()));
  expect(ofWorker).toBeLessThanOrEqual(7);
  expect(ofClient).toBeLessThanOrEqual(6);
  expect(ofWorker).toBeGreaterThan(ofClient ?? 0);
});
