import { openFleet, type Schedule, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

const MINUTE = 60_000;

/** The current and the next minute of the hour, by the clock of the database. */
async function minutesOf(database: string): Promise<{ readonly now: number; readonly cron: string }> {
  const [clock] = await sql(database, 'select extract(epoch from clock_timestamp())::float8 * 1000 as now');
  const now = Number(clock?.now);
  const minute = new Date(now).getUTCMinutes();
  return { now, cron: `${minute},${(minute + 1) % 60} * * * *` };
}

describe('a schedule', () => {
  it('[F-21] does not run in the minute in which it is set or changed', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await using _worker = await startWorker({ database, schema, limits, agent: scriptedAgent() });
    await fleet.schedule({ name: 'changed', cron: '0 0 1 1 *', key: 'changed', prompt: 'Run the tests.' });
    const { now, cron } = await minutesOf(database);
    for (const name of ['new', 'changed']) await fleet.schedule({ name, cron, key: name, prompt: 'Run the tests.' });
    // The queue has checked both schedules, and a worker has handled the runs.
    const done = `select 1 from ${schema}.job where name = 'scheduled' and state = 'completed'`;
    await expect.poll(() => sql(database, done), { timeout: 40_000, interval: 200 }).toHaveLength(2);
    const next = (Math.floor(now / MINUTE) + 1) * MINUTE;
    for (const { createdAt } of await fleet.turns()) expect(createdAt).toBeGreaterThanOrEqual(next);
  });

  it('[F-21] that is set again with the same times keeps a run that is due', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const { cron } = await minutesOf(database);
    const minutely: Schedule = { name: 'minutely', cron, key: 'min', prompt: 'Run the tests.' };
    await fleet.schedule(minutely);
    // As if it had been set a minute earlier.
    await sql(database, `update ${schema}.schedule set data = jsonb_set(data, '{firstRunAt}', '1')`);
    await fleet.schedule({ ...minutely, prompt: 'Run all tests.' });
    await using _worker = await startWorker({ database, schema, limits, agent: scriptedAgent() });
    const done = (): ReturnType<typeof fleet.turns> => fleet.turns({ key: 'min', state: 'done' });
    await expect.poll(async () => (await done()).length, { timeout: 40_000, interval: 200 }).toBeGreaterThan(0);
    expect(await done()).toMatchObject([{ prompt: 'Run all tests.', submittedBy: 'schedule' }]);
  });

  it('[F-21] whose conversation cannot be changed now does not stop the others, and runs later', {
    timeout: 120_000,
  }, async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await fleet.submit({ key: 'refused', prompt: 'x', startAfter: 3_600_000 });
    await sql(
      database,
      `create function ${schema}.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
       create trigger refuse before update on ${schema}.conversation for each row when (old.key = 'refused')
       execute function ${schema}.refuse()`,
    );
    const { cron } = await minutesOf(database);
    for (const key of ['refused', 'good', 'better']) await fleet.schedule({ name: key, cron, key, prompt: 'x' });
    // As if they had been set a minute earlier.
    await sql(database, `update ${schema}.schedule set data = jsonb_set(data, '{firstRunAt}', '1')`);
    await using _worker = await startWorker({ database, schema, limits, agent: scriptedAgent() });
    const isDue = `select 1 from ${schema}.job where name = 'scheduled' and data->>'key' = 'refused' and start_after > created_on`;
    await expect.poll(() => sql(database, isDue), { timeout: 60_000, interval: 200 }).not.toHaveLength(0);
    const done = async (key: string): Promise<number> => (await fleet.turns({ key, state: 'done' })).length;
    for (const key of ['good', 'better'])
      await expect.poll(() => done(key), { timeout: 20_000, interval: 100 }).toBeGreaterThan(0);
    await sql(database, `drop trigger refuse on ${schema}.conversation`);
    await sql(database, `update ${schema}.job set start_after = now() where name = 'scheduled'`);
    await expect.poll(() => done('refused'), { timeout: 20_000, interval: 100 }).toBeGreaterThan(0);
  });

  it('[F-16, F-21] has next times in its time zone; an invalid expression is refused', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const [first, second] = await fleet.nextRuns({ cron: '30 3 * * *', timeZone: 'Asia/Kolkata' }, 2);
    expect(first?.toISOString()).toMatch(/T22:00:00\.000Z$/);
    expect((second?.getTime() ?? 0) - (first?.getTime() ?? 0)).toBe(24 * 60 * MINUTE);
    expect(await fleet.nextRuns({ cron: 'FREQ=DAILY;UNTIL=20200101T000000Z' })).toEqual([]);
    await expect(fleet.nextRuns({ cron: '99 * * * *' })).rejects.toMatchObject({ code: 'submission', field: 'cron' });
    await expect(fleet.nextRuns({ cron: '* * * * *' }, 0)).rejects.toMatchObject({ field: 'count' });
  });
});
