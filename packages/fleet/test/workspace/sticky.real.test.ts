import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Fleet,
  type FleetAgent,
  type FollowItem,
  openFleet,
  startWorker,
  stickyWorkspace,
  type Worker,
} from '@coxswain/fleet';
import { describe, it } from 'vitest';
import { quick as limits, scriptedAgent, takingOver } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

interface World extends AsyncDisposable {
  readonly database: string;
  readonly schema: string;
  readonly fleet: Fleet;
  /** A worker whose agent adds a line to a file, on the disk with this name. */
  hire(disk: string, version?: string): Promise<Worker>;
  /** The lines of the file after a turn, the worker that ran it, and what the agent had to read before. */
  run(key: string, prompt: string): Promise<{ lines: string[]; worker: string | null; notices: string[] }>;
}

async function newWorld(): Promise<World> {
  const place = await testDatabase();
  const root = await mkdtemp(join(tmpdir(), 'coxswain-sticky-test-'));
  const fleet = await openFleet({ ...place, limits });
  const workers: Worker[] = [];
  const written = new Map<string, string[]>();
  const agentOn = (disk: string, version: string | undefined): FleetAgent => {
    const workspace = stickyWorkspace({ directory: join(root, disk) });
    const scripted = scriptedAgent((turn) => turn.say('done'));
    return {
      ...scripted,
      version,
      workspace: {
        ...workspace,
        prepare: async (job) => {
          const prepared = await workspace.prepare(job);
          const file = join(prepared.cwd, 'lines');
          const before = await readFile(file, 'utf8').catch(() => '');
          await writeFile(file, `${before}${String(job.prompt)}\n`);
          written.set(job.id, (await readFile(file, 'utf8')).trim().split('\n'));
          return prepared;
        },
      },
    };
  };
  return {
    ...place,
    fleet,
    hire: async (disk, version) => {
      const worker = await startWorker({ ...place, limits: takingOver, agent: agentOn(disk, version) });
      workers.push(worker);
      return worker;
    },
    run: async (key, prompt) => {
      const turn = await fleet.submit({ key, prompt });
      const items: FollowItem[] = [];
      for await (const item of turn.follow()) items.push(item);
      const notices = items.flatMap((item) => (item.kind === 'notice' ? [item.text] : []));
      return { lines: written.get(turn.id) ?? [], worker: (await turn.info()).worker, notices };
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await fleet.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

describe.concurrent('stickyWorkspace()', () => {
  it('[F-52] keeps the files of each conversation on one worker, to which all its turns go', async ({ expect }) => {
    await using w = await newWorld();
    await w.hire('one');
    await w.hire('two');
    const keys = Array.from({ length: 6 }, (_, n) => `c${n}`);
    const workers = new Map<string, string | null>();
    const run = async (key: string, round: number): Promise<void> => {
      const { lines, worker, notices } = await w.run(key, `${round}`);
      expect(lines).toEqual(['1', '2'].slice(0, round));
      expect(workers.get(key) ?? worker).toBe(worker);
      expect(notices).toEqual([]);
      workers.set(key, worker);
    };
    await Promise.all(keys.map((key) => run(key, 1)));
    // One after the other: both workers have nothing else to do.
    for (const key of keys) await run(key, 2);
    expect(new Set(workers.values()).size).toBe(2);
  });

  it('[F-52] a worker that starts on the same disk has the files; on another one the agent and followers read that they are gone', async ({
    expect,
  }) => {
    await using w = await newWorld();
    const first = await w.hire('one');
    await w.run('ann', '1');
    await first.drain();
    const second = await w.hire('one');
    expect(await w.run('ann', '2')).toMatchObject({ lines: ['1', '2'], worker: second.id, notices: [] });
    const other = await w.hire('two');
    // The disk lives: the other worker leaves the conversation to it.
    expect(await w.run('ann', '3')).toMatchObject({ lines: ['1', '2', '3'], worker: second.id });
    await second.drain();
    const moved = await w.run('ann', '4');
    expect(moved).toMatchObject({ lines: ['4'], worker: other.id, notices: [expect.stringContaining('is empty now')] });
    expect(JSON.stringify(await w.fleet.transcript('ann'))).toMatch(/is empty now[^"]*\\n\\n4"/);
    // It has other files by now, so the old ones are not used again.
    await other.drain();
    await w.hire('one');
    expect(await w.run('ann', '5')).toMatchObject({ lines: ['5'], notices: [expect.any(String)] });
  });

  it('[F-52] a worker that is presumed dead loses its conversations to others', async ({ expect }) => {
    await using w = await newWorld();
    const first = await w.hire('one');
    await w.run('ann', '1');
    await first.drain();
    // As after kill -9: its row remains.
    const [row] = await sql(w.database, `select place from ${w.schema}.conversation`);
    await sql(
      w.database,
      `insert into ${w.schema}.worker (id, name, host, pid, slots, places, heartbeat_at)
       values ('dead', 'dead', 'h', 1, 1, array[$1], now() + interval '1 hour')`,
      [row?.place],
    );
    const other = await w.hire('two');
    const turn = await w.fleet.submit({ key: 'ann', prompt: '2' });
    expect(await w.run('bob', 'x')).toMatchObject({ worker: other.id });
    expect(await turn.info()).toMatchObject({ state: 'waiting' });
    await sql(w.database, `update ${w.schema}.worker set heartbeat_at = now() - interval '1 day' where id = 'dead'`);
    await turn.outcome();
    expect(await turn.info()).toMatchObject({ worker: other.id });
  });

  it('[F-52, F-51] a staged release moves a conversation away from its files', async ({ expect }) => {
    await using w = await newWorld();
    await w.hire('one', '1');
    await w.run('ann', '1');
    const next = await w.hire('two', '2');
    await w.fleet.setRelease('default', { version: '2', share: 1 });
    expect(await w.run('ann', '2')).toMatchObject({ lines: ['2'], worker: next.id, notices: [expect.any(String)] });
  });

  it('[F-52] no key leads out of the directory, and no two keys share a folder', async ({ expect }) => {
    await using w = await newWorld();
    const directory = await mkdtemp(join(tmpdir(), 'coxswain-sticky-keys-'));
    await using _removed = { [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
    const keys = ['..', '../x', '/etc/passwd', 'a/b', 'A', 'a', 'place', 'c-a', '.', 'ann ', 'ann', 'x'.repeat(400)];
    const { prepare } = stickyWorkspace({ directory });
    const job = { id: 't', tenant: 'default', prompt: 'x', data: null, attempt: 1, epoch: 1, previousEpoch: 0 };
    const folders = await Promise.all(
      keys.map(async (key) => (await prepare({ ...job, key, previousPlace: null })).cwd),
    );
    for (const folder of folders) expect(folder.startsWith(`${directory}/c-`) && !folder.includes('..')).toBe(true);
    expect(new Set(folders.map((folder) => folder.toLowerCase())).size).toBe(keys.length);
    expect((await readdir(directory)).length).toBe(keys.length + 1);
    expect(await w.fleet.conversations()).toEqual([]);
  });
});
