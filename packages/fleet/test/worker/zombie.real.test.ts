import { readFileSync } from 'node:fs';
import { openFleet, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { dying, quick as limits, scriptedAgent, takingOver } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';

describe.concurrent('a worker that was presumed dead', () => {
  it.each(['sent', 'result', 'committing'])(
    '[F-5] and was stopped at "%s" past its lease, then continued, writes nothing and completes nothing',
    async (step) => {
      const { database, schema } = await testDatabase();
      await using fleet = await openFleet({ database, schema, limits });
      const first = await fleet.submit({ key: 'ann', prompt: 'one' });
      await using zombie = startWorkerProcess({
        database,
        schema,
        name: 'zombie',
        limits: dying,
        slots: 1,
        stopAt: { step, nth: 1 },
      });
      await zombie.line('stopping');
      await using _other = await startWorker({
        database,
        schema,
        limits: takingOver,
        agent: scriptedAgent((turn) => turn.say('by the other')),
      });
      expect((await first.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
      const before = { turn: await first.info(), transcript: await fleet.transcript('ann') };
      const second = await fleet.submit({ key: 'ann', prompt: 'two' });
      zombie.child.kill('SIGCONT');
      expect((await second.outcome()).outcome).toMatchObject({ kind: 'completed' });
      // It claims turns again, so it is running; its old turn belongs to another worker.
      const third = await fleet.submit({ key: 'bob', prompt: 'three' });
      await third.outcome();
      expect(await first.info()).toEqual(before.turn);
      const seen: string[] = [];
      for await (const item of first.follow()) seen.push(item.kind);
      expect(seen.filter((kind) => kind === 'outcome')).toHaveLength(1);
      expect((await fleet.transcript('ann')).slice(0, before.transcript.length)).toEqual(before.transcript);
    },
  );

  it("[F-5] ends its agent's processes before its lease expires if the database cannot be reached", async ({
    expect,
  }) => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await fleet.submit({ key: 'ann', prompt: 'hang' });
    const leaseMs = 5_000;
    await using worker = startWorkerProcess({
      database,
      schema,
      name: 'cut off',
      limits: { ...limits, leaseMs },
      slots: 1,
      processes: true,
    });
    await worker.line('ready');
    const children = (): string[] => {
      try {
        return readFileSync(`/proc/${worker.pid}/task/${worker.pid}/children`, 'utf8').split(' ').filter(Boolean);
      } catch {
        return [];
      }
    };
    await expect.poll(async () => (await fleet.turns({ state: 'sent' })).length, { timeout: 20_000 }).toBe(1);
    expect(children().length).toBeGreaterThan(0);
    const { Client } = (await import('pg')).default;
    const cutter = new Client({ connectionString: database });
    await cutter.connect();
    // The locked row blocks all renewals, as if the network dropped the worker's requests.
    await cutter.query('begin');
    const lease = await cutter.query(
      `select lease_until - clock_timestamp() as rest, lease_until from ${schema}.conversation for update`,
    );
    const ends = Date.now() + leaseMs;
    await expect.poll(() => children().length, { timeout: leaseMs, interval: 50 }).toBe(0);
    expect(Date.now()).toBeLessThan(ends);
    expect(lease.rowCount).toBe(1);
    await cutter.query('rollback');
    await cutter.end();
  });
});
