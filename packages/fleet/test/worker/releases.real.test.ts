import { createHash } from 'node:crypto';
import {
  type Fleet,
  type FleetAgent,
  type FleetTurn,
  openFleet,
  type Release,
  startWorker,
  type Worker,
} from '@coxswain/fleet';
import { inMemoryCli, type ScriptedCli, script, scriptedCli } from '@coxswain/testkit';
import { describe, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

const KEYS = Array.from({ length: 8 }, (_, n) => `c${n}`);

interface World extends AsyncDisposable {
  readonly database: string;
  readonly schema: string;
  readonly fleet: Fleet;
  hire(version: string, agent?: FleetAgent): Promise<Worker>;
  /** Runs a turn in each conversation; returns the version that ran it, by key. */
  versions(): Promise<Record<string, string | null>>;
}

async function newWorld(): Promise<World> {
  const place = await testDatabase();
  const fleet = await openFleet({ ...place, limits });
  const workers: Worker[] = [];
  return {
    ...place,
    fleet,
    hire: async (version, agent = scriptedAgent()) => {
      const worker = await startWorker({ ...place, limits, agent: { ...agent, version } });
      workers.push(worker);
      return worker;
    },
    versions: async () => {
      const turns = await Promise.all(KEYS.map((key) => fleet.submit({ key, prompt: 'x' })));
      const infos = await Promise.all(turns.map(ended));
      return Object.fromEntries(infos.map(({ key, agentVersion }) => [key, agentVersion]));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await fleet.close();
    },
  };
}

async function ended(turn: FleetTurn): Promise<Awaited<ReturnType<FleetTurn['info']>>> {
  await turn.outcome();
  return turn.info();
}

/** Where a conversation is between 0 and 1, by the hash of its key. */
function shareOf(seed: string, key: string): number {
  return createHash('sha256').update(`${seed} ${key}`).digest().readUIntBE(0, 3) / 2 ** 24;
}

const keysOf = (versions: Record<string, string | null>, version: string): string[] =>
  KEYS.filter((key) => versions[key] === version);

describe.concurrent('the versions of workers', () => {
  it('[F-49] workers announce agents, versions and their CLI; a turn records what ran it', async ({ expect }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const reports = (version: string): FleetAgent => ({
      version: 'b7',
      options: () => ({
        transport: inMemoryCli(
          script()
            .version(version)
            .otherwise((turn) => turn.say('done')),
        ).transport,
      }),
    });
    const worker = await startWorker({
      ...place,
      limits,
      name: 'one',
      agents: { review: reports('2.1.290'), plain: scriptedAgent() },
    });
    const [before] = await fleet.workers();
    expect(before).toMatchObject({ id: worker.id, name: 'one', alive: true, draining: false });
    expect(before?.agents.map(({ name, version }) => [name, version])).toEqual([
      ['plain', null],
      ['review', 'b7'],
    ]);
    const turn = await fleet.submit({ key: 'ann', prompt: 'x', agent: 'review' });
    expect(await turn.info()).toMatchObject({ agent: 'review' });
    expect(await ended(turn)).toMatchObject({ worker: worker.id, agent: 'review', agentVersion: 'b7', cli: '2.1.290' });
    const plain = await ended(await fleet.submit({ key: 'bob', prompt: 'x', agent: 'plain' }));
    expect(plain).toMatchObject({ agent: 'plain', agentVersion: null, cli: expect.any(String) });
    // The release of the last turn, once the next heartbeat is stored.
    await worker.check();
    const [after] = await fleet.workers();
    expect(after?.agents[1]).toEqual({ name: 'review', version: 'b7', cli: '2.1.290' });
    await worker.drain();
    expect(await fleet.workers()).toEqual([]);
  });

  it('[F-49] a worker that died announces nothing once it is lost, and then is no longer listed', async ({
    expect,
  }) => {
    await using w = await newWorld();
    await sql(
      w.database,
      `insert into ${w.schema}.worker (id, name, host, pid, slots, agents, heartbeat_at) values
         ('lost', 'lost', 'h', 1, 1, '{"default": {"version": "1"}}', now() - $1 * interval '1 ms'),
         ('gone', 'gone', 'h', 1, 1, '{"default": {"version": "1"}}', now() - $1 * interval '5 ms')`,
      [limits.leaseMs * 1.5],
    );
    expect((await w.fleet.workers()).map(({ name, alive }) => [name, alive])).toEqual([
      ['lost', false],
      ['gone', false],
    ]);
    await w.hire('2');
    await expect
      .poll(async () => (await w.fleet.workers()).map(({ name, agents }) => [name, agents.length]), { timeout: 20_000 })
      .toEqual([
        ['lost', 0],
        [expect.any(String), 1],
      ]);
  });
});

describe.concurrent('a staged release', () => {
  it('[F-51] gets its share of the conversations; while it grows, none moves back; with 0, all do', async ({
    expect,
  }) => {
    await using w = await newWorld();
    await w.hire('1');
    await w.hire('2');
    let before: string[] = [];
    for (const share of [0, 0.5, 1]) {
      await w.fleet.setRelease('default', { version: '2', share, by: 'ann' });
      const released = keysOf(await w.versions(), '2');
      expect(released).toEqual(expect.arrayContaining(before));
      expect(released).toEqual(KEYS.filter((key) => shareOf('default 2 -', key) < share));
      before = released;
    }
    expect(await w.fleet.releases()).toMatchObject([
      { agent: 'default', version: '2', cli: null, share: 1, whenNone: 'wait', by: 'ann' },
    ]);
    await w.fleet.setRelease('default', { version: '2', share: 0 });
    expect(keysOf(await w.versions(), '1')).toEqual(KEYS);
    await w.fleet.setRelease('default', null);
    expect(await w.fleet.releases()).toEqual([]);
  });

  it('[F-51] keeps the order of each conversation while its share changes under load, and loses or doubles nothing', async ({
    expect,
  }) => {
    await using w = await newWorld();
    const ran: string[] = [];
    const noting = scriptedAgent((turn, job) => {
      ran.push(`${job.key} ${String(job.prompt)}`);
      return turn.say('done');
    });
    await w.hire('1', noting);
    await w.hire('2', noting);
    const turns: FleetTurn[] = [];
    for (const [round, share] of [0, 0.5, 1].entries()) {
      await w.fleet.setRelease('default', { version: '2', share });
      turns.push(...(await Promise.all(KEYS.map((key) => w.fleet.submit({ key, prompt: `${round}` })))));
    }
    const kinds = await Promise.all(turns.map(async (turn) => (await turn.outcome()).outcome.kind));
    expect(new Set(kinds)).toEqual(new Set(['completed']));
    for (const key of KEYS)
      expect(ran.filter((one) => one.startsWith(`${key} `))).toEqual([0, 1, 2].map((n) => `${key} ${n}`));
  });

  it('[F-51] turns whose side has no worker wait and are counted, or run on any worker, by option', async ({
    expect,
  }) => {
    await using w = await newWorld();
    const old = await w.hire('1');
    await w.fleet.setRelease('default', { version: '2', share: 1 });
    const turn = await w.fleet.submit({ key: 'ann', prompt: 'x' });
    await expect
      .poll(async () => (await w.fleet.stats()).unserved)
      .toEqual([
        { agent: 'default', waiting: 1, missing: 'release', reason: 'no worker runs the agent default with version 2' },
      ]);
    expect(await turn.info()).toMatchObject({ state: 'waiting', attempt: 0 });
    await w.fleet.setRelease('default', { version: '2', share: 1, whenNone: 'any' });
    expect(await ended(turn)).toMatchObject({ agentVersion: '1' });
    expect((await w.fleet.stats()).unserved).toEqual([]);
    // With a worker of its side, the turn goes there, also if another one is free.
    await w.hire('2');
    expect(await ended(await w.fleet.submit({ key: 'ann', prompt: 'y' }))).toMatchObject({ agentVersion: '2' });
    await old.drain();
    await w.fleet.setRelease('default', { version: '2', share: 0 });
    const back = await w.fleet.submit({ key: 'ann', prompt: 'z' });
    await expect
      .poll(async () => (await w.fleet.stats()).unserved)
      .toMatchObject([{ missing: 'other-release', reason: expect.stringContaining('anything but version 2') }]);
    await w.hire('1');
    expect(await ended(back)).toMatchObject({ agentVersion: '1' });
  });

  it('[F-51] a turn that was parked on the old version is resumed by the new one, which it records', async ({
    expect,
  }) => {
    await using w = await newWorld();
    const asking: FleetAgent = {
      ...scriptedAgent((turn) => turn.useTool('Bash', { command: 'make' }, { permission: 'ask' }).say('made')),
      parkAfterMs: 0,
    };
    await w.hire('1', asking);
    const turn = await w.fleet.submit({ key: 'ann', prompt: 'x' });
    await expect.poll(async () => (await turn.info()).state, { timeout: 40_000 }).toBe('parked');
    await w.hire('2', asking);
    await w.fleet.setRelease('default', { version: '2', share: 1 });
    const [approval] = await w.fleet.approvals();
    await w.fleet.answer(approval?.id ?? '', { decision: 'allow' }, { by: 'ann', hash: approval?.hash ?? '' });
    expect(await ended(turn)).toMatchObject({ agentVersion: '2', outcome: { kind: 'completed' } });
  });

  it('[F-51] may be a release of the CLI, which a worker announces before its first turn', async ({ expect }) => {
    await using w = await newWorld();
    const place = { database: w.database, schema: w.schema };
    const cliOf = (version: string): Promise<ScriptedCli> =>
      scriptedCli(
        script()
          .version(version)
          .otherwise((turn) => turn.say('done')),
      );
    await using older = await cliOf('2.1.290');
    await using newer = await cliOf('2.1.311');
    const agent: FleetAgent = { options: () => ({}) };
    await using _old = await startWorker({ ...place, limits, name: 'old', agent, cli: older.path });
    await using _new = await startWorker({ ...place, limits, name: 'new', agent, cli: newer.path });
    const announced = (await w.fleet.workers()).map(({ name, agents }) => [name, agents[0]?.cli]);
    expect(announced).toEqual([
      ['old', '2.1.290'],
      ['new', '2.1.311'],
    ]);
    for (const [share, version] of [
      [1, '2.1.311'],
      [0, '2.1.290'],
    ] as const) {
      await w.fleet.setRelease('default', { cli: '2.1.311', share });
      expect(await ended(await w.fleet.submit({ key: 'ann', prompt: 'x' }))).toMatchObject({ cli: version });
    }
  });

  it('[F-16, F-51] what is set is checked before it is stored', async ({ expect }) => {
    await using w = await newWorld();
    const wrong: readonly (readonly [object, string])[] = [
      [{ share: 1 }, 'version'],
      [{ version: '2' }, 'share'],
      [{ version: '2', share: 1.1 }, 'share'],
      [{ version: '2', share: Number.NaN }, 'share'],
      [{ version: '', share: 1 }, 'version'],
      [{ version: '2', share: 1, whenNone: 'never' }, 'whenNone'],
      [{ version: '2', share: 1, percent: 3 }, 'percent'],
    ];
    for (const [release, field] of wrong)
      await expect(w.fleet.setRelease('default', release as Release)).rejects.toMatchObject({
        code: 'fleet-input',
        field,
      });
    await expect(w.fleet.setRelease('a b', { version: '2', share: 1 })).rejects.toMatchObject({ field: 'agent' });
    expect(await w.fleet.releases()).toEqual([]);
  });
});
