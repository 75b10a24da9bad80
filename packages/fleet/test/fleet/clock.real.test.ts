import { openFleet, startWorker } from '@coxswain/fleet';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { dying, quick, scriptedAgent, takingOver } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';

const DAY = 24 * 3_600_000;

/** Makes the clock of this process wrong from now on. */
function skew(ms: number): void {
  const now = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);
}

describe('a machine whose clock is wrong', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each([-DAY, DAY])('[F-1] (%i ms) delays a turn by the given time', async (ms) => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    skew(ms);
    await fleet.submit({ key: 'ann', prompt: 'one', startAfter: 3_600_000 });
    const [turn] = await sql(
      database,
      `select round(extract(epoch from start_after - created_at))::integer as seconds from ${schema}.turn`,
    );
    expect(turn).toEqual({ seconds: 3_600 });
  });

  it('[F-14] prunes only what is older than the given age by the clock of the database', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    await fleet.cancel((await fleet.submit({ key: 'ann', prompt: 'one' })).id);
    skew(365 * DAY);
    const ages = { turnsBefore: 30 * DAY, conversationsBefore: 30 * DAY };
    expect(await fleet.prune(ages)).toMatchObject({ turns: 0, conversations: 0, logged: 0 });
    expect(await fleet.turns()).toHaveLength(1);
  });

  it('[F-5] and is set back after an outage takes over from a dead worker', { timeout: 60_000 }, async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    const turn = await fleet.submit({ key: 'ann', prompt: 'hang' });
    await using victim = startWorkerProcess({ database, schema, name: 'dying', limits: dying, slots: 1 });
    for await (const item of turn.follow()) if (item.kind === 'message') break;
    await using worker = await startWorker({ database, schema, limits: takingOver, agent: scriptedAgent() });
    await sql(
      database,
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name like 'coxswain%'`,
    );
    await expect.poll(() => worker.health().database.reachable).toBe(true);
    skew(-DAY);
    victim.child.kill('SIGKILL');
    await victim.exited;
    const signal = AbortSignal.timeout(40_000);
    expect((await turn.outcome({ signal })).outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
  });
});
