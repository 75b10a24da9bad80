import { type FleetEvent, openFleet, serveHealth, startWorker } from '@coxswain/fleet';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { dying, quick as limits, scriptedAgent, takingOver } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';

describe('operating a fleet', () => {
  it('[F-8, F-4, F-35] approvals of the last worker that may try are void with it; a turn whose workers all die is dead, and can be sent again', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const short = { ...dying, maxAttempts: 1 };
    const asking = await fleet.submit({ key: 'ann', prompt: 'ask' });
    await using first = startWorkerProcess({ database, schema, name: 'first', limits: short, slots: 1 });
    for await (const item of asking.follow()) if (item.kind === 'permission-requested') break;
    const [approval] = await fleet.approvals();
    first.child.kill('SIGKILL');
    // The worker is dead, but not detected yet, and it was the only attempt: the answer cannot reach the agent.
    await fleet.answer(approval?.id ?? '', { decision: 'allow' }, { by: 'late', hash: approval?.hash ?? '' });
    await using second = startWorkerProcess({
      database,
      schema,
      name: 'second',
      limits: short,
      slots: 1,
      dieAt: { step: 'claimed', nth: 1 },
    });
    expect((await asking.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
    expect(await fleet.approvals()).toEqual([]);
    expect(await fleet.approvals({ state: 'answered' })).toEqual([]);
    expect(await fleet.approvals({ state: 'void' })).toMatchObject([{ id: approval?.id, by: 'late' }]);
    await expect(
      fleet.answer(approval?.id ?? '', { decision: 'allow' }, { by: 'ann', hash: approval?.hash ?? '' }),
    ).rejects.toMatchObject({
      code: 'approval-closed',
      state: 'void',
    });
    const doomed = await fleet.submit({ key: 'ann', prompt: 'two' });
    await second.exited;
    await using worker = await startWorker({
      database,
      schema,
      limits: { ...takingOver, maxAttempts: 1 },
      agent: scriptedAgent(),
    });
    expect((await doomed.outcome()).outcome).toMatchObject({ kind: 'dead', attempts: 1 });
    expect(await fleet.turns({ outcome: 'dead' })).toMatchObject([{ id: doomed.id, key: 'ann' }]);
    const again = await fleet.resend(doomed.id, { by: 'ann' });
    expect((await again.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did two' });
    expect(await again.info()).toMatchObject({ resendOf: doomed.id, submittedBy: 'ann' });
    expect(worker.health().ready).toBe(true);
  });

  it('yields events live and afterwards, serves health and metrics, and lists conversations', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const seen: FleetEvent[] = [];
    const reading = (async () => {
      for await (const event of fleet.events()) {
        seen.push(event);
        if (event.kind === 'turn-ended') return;
      }
    })();
    await using worker = await startWorker({
      database,
      schema,
      limits,
      agent: scriptedAgent((turn) => turn.say('ok').result({ costUsd: 0.5 })),
    });
    await using health = await serveHealth(worker, { port: 0, fleet });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one', tenant: 'team' });
    await turn.outcome();
    await reading;
    expect(seen.map(({ kind }) => kind)).toEqual(['worker-started', 'turn-submitted', 'turn-claimed', 'turn-ended']);
    const again: string[] = [];
    for await (const event of fleet.events({ after: seen[1]?.cursor ?? '' })) {
      again.push(event.kind);
      if (event.kind === 'turn-ended') break;
    }
    expect(again).toEqual(['turn-claimed', 'turn-ended']);
    const get = async (path: string): Promise<{ status: number; text: string }> => {
      const response = await fetch(`http://127.0.0.1:${health.port}${path}`);
      return { status: response.status, text: await response.text() };
    };
    expect(await get('/readyz')).toMatchObject({ status: 200 });
    const metrics = await get('/metrics');
    expect(metrics.text).toMatch(/^coxswain_worker_turns_ended_total 1$/m);
    expect(metrics.text).toMatch(/^coxswain_fleet_cost_usd_today 0\.5$/m);
    expect((await get('/none')).status).toBe(404);
    expect(await fleet.conversations({ tenant: 'team' })).toMatchObject([
      { key: 'ann', turns: 1, waiting: 0, running: false, costUsd: 0.5 },
    ]);
    await worker.drain();
    expect(await get('/readyz')).toMatchObject({ status: 503 });
  });

  it('yields events in order, even if transaction ids get another digit', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    for (const xid of [9, 10, 99, 100])
      await sql(database, `insert into ${schema}.log (xid, kind, detail) values ('${xid}', 'resumed', '{}')`);
    const xids: string[] = [];
    for await (const { cursor } of fleet.events({ after: '0.0' }))
      if (xids.push(cursor.split('.')[0] ?? '') === 4) break;
    expect(xids).toEqual(['9', '10', '99', '100']);
  });

  it('[F-21] schedules turns: each run starts once, at its minute, however many workers there are', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const minutely = {
      name: 'minutely',
      cron: '* * * * *',
      timeZone: 'Europe/Berlin',
      key: 'min',
      prompt: 'Run the tests.',
    };
    await fleet.schedule(minutely);
    expect(await fleet.schedules()).toEqual([minutely]);
    // As if it had been set before this minute: the run is due at once; the queue checks every five seconds.
    await sql(database, `update ${schema}.schedule set data = data - 'firstRunAt'`);
    const start = (): ReturnType<typeof startWorker> =>
      startWorker({ database, schema, limits, agent: scriptedAgent() });
    await using _a = await start();
    await using _b = await start();
    await expect
      .poll(() => fleet.turns({ key: 'min', state: 'done' }).then(({ length }) => length), {
        timeout: 30_000,
        interval: 200,
      })
      .toBeGreaterThan(0);
    const turns = await fleet.turns();
    expect(turns[0]).toMatchObject({ key: 'min', submittedBy: 'schedule', outcome: { kind: 'completed' } });
    const minutes = turns.map(({ createdAt }) => Math.floor(createdAt / 60_000));
    expect(new Set(minutes).size).toBe(minutes.length);
    // A schedule of another program, not of a fleet.
    await sql(
      database,
      `insert into ${schema}.schedule (name, key, cron, timezone, data) values ('scheduled', 'foreign', '0 3 * * *', 'UTC', '{"key": 5}')`,
    );
    expect(await fleet.schedules()).toEqual([minutely]);
    for (const name of ['minutely', 'foreign']) await fleet.unschedule(name);
    expect(await fleet.schedules()).toEqual([]);
  });

  it('a run that cannot be submitted is skipped and reported, and does not delay the other schedules', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await fleet.submit({ key: 'acme', prompt: 'x', tenant: 'acme', startAfter: 3_600_000 });
    const wrong = { name: 'wrong', cron: '0 3 * * *', key: 'acme', prompt: 'x' };
    await expect(fleet.schedule(wrong)).rejects.toMatchObject({ code: 'submission', field: 'tenant' });
    for (const [field, given] of Object.entries({ prompt: '', name: 'a b', cron: '0 0 3 * * *', timeZone: 'Mars/One' }))
      await expect(fleet.schedule({ ...wrong, tenant: 'acme', [field]: given })).rejects.toMatchObject({
        code: 'submission',
        field,
      });
    await expect(fleet.schedule({ ...wrong, tenant: 'acme', cron: '99 * * * *' })).rejects.toMatchObject({
      field: 'cron',
    });
    // Another tenant created the conversation after the schedule; both runs are due.
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    const foreign = { name: 'foreign', key: 5, prompt: 'z' };
    for (const { name, ...turn } of [wrong, foreign, { name: 'right', key: 'right', prompt: 'y' }])
      await client.query(`insert into ${schema}.job (name, data) values ('scheduled', $1)`, [
        JSON.stringify({ ...turn, schedule: name }),
      ]);
    await client.end();
    const errors: unknown[] = [];
    await using _worker = await startWorker({
      database,
      schema,
      limits,
      agent: scriptedAgent(),
      onError: (error) => errors.push(error),
    });
    await expect.poll(() => fleet.turns({ key: 'right', state: 'done' }), { timeout: 20_000 }).toHaveLength(1);
    expect(errors).toMatchObject([
      { code: 'scheduled-run', schedule: 'wrong', key: 'acme' },
      { code: 'scheduled-run', schedule: 'foreign', key: '5' },
    ]);
    expect(await fleet.turns({ key: 'acme' })).toHaveLength(1);
  });
});
