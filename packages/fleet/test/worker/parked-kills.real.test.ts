import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Approval, type Fleet, type FleetTurn, openFleet } from '@coxswain/fleet';
import { allow, deny } from 'coxswain';
import { describe, expect, it, vi } from 'vitest';
import { dying, takingOver } from '../support/agents.ts';
import { type Crash, type CrashingServer, crashingServer } from '../support/crashing-server.ts';
import { BINARIES, sql, testDatabase } from '../support/database.ts';
import { startWorkerProcess, type WorkerConfig, type WorkerProcess } from '../support/processes.ts';

const WAIT = { timeout: 30_000, interval: 50 };

/** A fleet with a conversation of two turns: the first one asks for a tool. */
interface Stage extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly asking: FleetTurn;
  readonly later: FleetTurn;
  hire(config?: Partial<WorkerConfig>): WorkerProcess;
  query(text: string): Promise<Record<string, unknown>[]>;
  /** The commands that tools have run. */
  ran(): string[];
}

let stages = 0;

async function stage(
  place: { readonly database: string; readonly schema: string },
  prompt = 'p1 asks',
): Promise<Stage> {
  stages += 1;
  const agentLog = join(tmpdir(), `fleet-parked-${process.pid}-${stages}`);
  const fleet = await openFleet({ ...place, limits: takingOver });
  const workers: WorkerProcess[] = [];
  return {
    fleet,
    asking: await fleet.submit({ key: 'ann', prompt, id: 'asking' }),
    later: await fleet.submit({ key: 'ann', prompt: 'p2', id: 'later' }),
    hire(config = {}) {
      const shared = { ...place, name: `w${workers.length}`, limits: dying, slots: 2, agentLog, parkAfterMs: 0 };
      const worker = startWorkerProcess({ ...shared, ...config });
      workers.push(worker);
      return worker;
    },
    query: (text) => sql(place.database, text.replaceAll('@', place.schema)),
    ran: () =>
      readFileSync(agentLog, { encoding: 'utf8', flag: 'a+' })
        .split('\n')
        .filter((line) => line.startsWith('ran ')),
    async [Symbol.asyncDispose]() {
      for (const worker of workers) await worker[Symbol.asyncDispose]();
      await fleet.close();
    },
  };
}

/** The approval, once another worker can resume its turn. */
async function resumable({ fleet, query }: Stage): Promise<Approval> {
  await vi.waitFor(
    async () => expect(await query('select 1 from @.approval where parked is not null')).toHaveLength(1),
    WAIT,
  );
  const [approval] = await fleet.approvals();
  if (approval === undefined) throw new Error('There is no approval.');
  return approval;
}

/** The approval of a turn that no worker has. */
async function parked(on: Stage): Promise<Approval> {
  await vi.waitFor(async () => expect((await on.asking.info()).state).toBe('parked'), WAIT);
  return resumable(on);
}

/** Parks the turn on a worker that then leaves. */
async function parkedAndLeft(on: Stage): Promise<Approval> {
  const first = on.hire();
  const approval = await parked(on);
  first.child.kill('SIGTERM');
  await first.exited;
  return approval;
}

const answer = (fleet: Fleet, { id, hash }: Approval, decision: Decision): Promise<void> =>
  fleet.answer(id, decision === 'allow' ? allow() : deny('no'), { by: 'bob', hash });

type Decision = 'allow' | 'deny';
const DECISIONS: readonly Decision[] = ['allow', 'deny'];

/** The turn goes on with the answer, exactly once, and the next one after it. */
async function goesOn({ fleet, asking, later, ran }: Stage, { id }: Approval, decision: Decision): Promise<void> {
  expect((await asking.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did p1' });
  expect((await later.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did p2' });
  expect(ran()).toEqual(decision === 'allow' ? ['ran asking first'] : []);
  expect(await fleet.approvals({ state: 'answered' })).toMatchObject([{ id, answer: { decision } }]);
  const kinds = (await fleet.audit({ approval: id })).map(({ kind }) => kind);
  expect(kinds).toEqual(['requested', 'answered', 'delivered']);
}

describe.concurrent.each(DECISIONS)('a turn whose approval waits, answered with %s', (decision) => {
  it('[F-8, F-26, F-35] survives kill -9 of the worker that holds its request', async () => {
    await using on = await stage(await testDatabase());
    const victim = on.hire({ parkAfterMs: 'never' });
    const approval = await resumable(on);
    victim.child.kill('SIGKILL');
    await victim.exited;
    await answer(on.fleet, approval, decision);
    on.hire({ limits: takingOver });
    await goesOn(on, approval, decision);
    // The costs of the killed worker are not known.
    expect((await on.asking.outcome()).cost?.complete).toBe(false);
  });

  it('[F-8, F-35] survives kill -9 right after it was parked', async () => {
    await using on = await stage(await testDatabase());
    await on.hire({ dieAt: { step: 'parked', nth: 1 } }).exited;
    const approval = await parked(on);
    on.hire({ limits: takingOver });
    await answer(on.fleet, approval, decision);
    await goesOn(on, approval, decision);
  });

  it.each(['fetched', 'claimed', 'opening'])(
    '[F-8, F-35] survives kill -9 of the worker that resumes it, at "%s"',
    async (step) => {
      await using on = await stage(await testDatabase());
      const approval = await parkedAndLeft(on);
      await answer(on.fleet, approval, decision);
      await on.hire({ dieAt: { step, nth: 1 } }).exited;
      on.hire({ limits: takingOver });
      await goesOn(on, approval, decision);
    },
  );

  it('[F-8, F-11, F-35] is parked by SIGTERM of its worker', async () => {
    await using on = await stage(await testDatabase());
    const first = on.hire({ parkAfterMs: 'never' });
    const approval = await resumable(on);
    first.child.kill('SIGTERM');
    await first.exited;
    expect((await on.asking.info()).state).toBe('parked');
    await answer(on.fleet, approval, decision);
    on.hire({ limits: takingOver });
    await goesOn(on, approval, decision);
  });

  it.each<[Crash, Partial<WorkerConfig>]>([
    ['immediate', { parkAfterMs: 0 }],
    ['kill', { parkAfterMs: 0 }],
    ['immediate', { parkAfterMs: 'never' }],
  ])('[F-8, F-17, F-35] survives crashes of PostgreSQL (%s, %o), before and after the answer', async (how, config) => {
    await using server: CrashingServer = await crashingServer(BINARIES);
    const again = async (): Promise<void> => {
      await server.crash(how);
      await server.start();
    };
    await using on = await stage({ database: server.url, schema: 'coxswain' });
    on.hire({ ...config, limits: takingOver });
    const approval = config.parkAfterMs === 0 ? await parked(on) : await resumable(on);
    await again();
    await vi.waitFor(async () => expect((await on.fleet.health()).reachable).toBe(true), WAIT);
    await answer(on.fleet, approval, decision);
    await again();
    await goesOn(on, approval, decision);
  });
});

describe.concurrent('kill -9 after the answer was given', () => {
  it.each(DECISIONS)(
    '[F-4, F-35] (%s) and the agent has done more: nothing that it did is done again',
    async (decision) => {
      await using on = await stage(await testDatabase(), 'p1 asks acts');
      const approval = await parkedAndLeft(on);
      await answer(on.fleet, approval, decision);
      const runs = decision === 'allow' ? ['ran asking first', 'ran asking act'] : ['ran asking act'];
      // Nothing is stored on time: the worker dies first.
      const limits = { ...dying, flushMs: 60_000 };
      await on.hire({ limits, dieAt: { step: 'ran', nth: runs.length } }).exited;
      expect(on.ran()).toEqual(runs);
      on.hire({ limits: takingOver });
      expect((await on.asking.outcome()).outcome).toMatchObject({ kind: 'interrupted' });
      expect((await on.later.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did p2' });
      expect(on.ran()).toEqual(runs);
      expect(await on.fleet.approvals({ state: 'answered' })).toMatchObject([{ id: approval.id }]);
    },
  );

  it('[F-4, F-26, F-35] and before the result is stored: the allowed tool has run once, and the turn is interrupted', async () => {
    await using on = await stage(await testDatabase());
    const approval = await parkedAndLeft(on);
    const { costUsd } = await on.asking.info();
    await answer(on.fleet, approval, 'allow');
    await on.hire({ dieAt: { step: 'ran', nth: 1 } }).exited;
    on.hire({ limits: takingOver });
    const ended = await on.asking.outcome();
    expect(ended).toMatchObject({ outcome: { kind: 'interrupted' }, costUsd, cost: { costUsd, complete: false } });
    expect(costUsd).toBeGreaterThan(0);
    expect((await on.later.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did p2' });
    expect(on.ran()).toEqual(['ran asking first']);
    expect(await on.fleet.approvals({ state: 'answered' })).toMatchObject([{ id: approval.id }]);
  });

  it.each(DECISIONS)(
    '[F-4, F-35] (%s) on the way to the agent that asked again: at most one run, and one outcome',
    async (decision) => {
      await using on = await stage(await testDatabase());
      const approval = await parkedAndLeft(on);
      await answer(on.fleet, approval, decision);
      await on.hire({ dieAt: { step: 'sent', nth: 1 } }).exited;
      on.hire({ limits: takingOver });
      const { kind } = (await on.asking.outcome()).outcome;
      expect(['completed', 'interrupted']).toContain(kind);
      expect((await on.later.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did p2' });
      if (decision === 'deny') expect(on.ran()).toEqual([]);
      else expect(on.ran().length).toBeLessThanOrEqual(1);
      if (decision === 'allow' && kind === 'completed') expect(on.ran()).toHaveLength(1);
      expect(await on.fleet.approvals({ state: 'answered' })).toMatchObject([{ id: approval.id }]);
    },
  );
});
