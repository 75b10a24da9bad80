import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Fleet, openFleet, postgresArchive, startEmbedded } from '@coxswain/fleet';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { textOf } from 'coxswain';
import pg from 'pg';
import { checkRecorded } from '../../../packages/fleet/test/chaos/check.ts';
import { checkWarm } from '../../../packages/fleet/test/chaos/check-warm.ts';
import { POSTGRES_BINARIES } from '../../../scripts/fetch/postgres.mjs';
import { isolatedHome } from '../../harness/isolated-home.ts';
import { processesOf } from '../../harness/processes.ts';
import { realCli } from '../../harness/real-cli.ts';
import { checkNotes } from './check-notes.ts';
import { cutLinks } from './cut-links.ts';
import { makeHosts } from './network.ts';
import { openRelay } from './relay.ts';

/** Size and faults of a run. */
export interface HostsPlan {
  readonly turns: number;
  readonly conversations: number;
  readonly hosts: number;
  /** Chooses hosts, kinds and lengths of the cuts. */
  readonly seed: number;
  readonly cuts: number;
  readonly leaseMs: number;
  /** Time between the end of a cut and the next one. */
  readonly everyMs: number;
  readonly workMs: number;
  readonly report?: (line: string) => void;
}

/** The findings; everything that must not happen is in `problems`. */
export interface HostsReport {
  readonly seed: number;
  readonly seconds: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly cuts: Readonly<Record<string, number>>;
  /** Turns that reached an agent on each host, and those of the real CLI. */
  readonly onHosts: Readonly<Record<string, number>>;
  readonly onRealCli: number;
  /** Turns that ran on the process of an earlier one, and turns that another host took over. */
  readonly reused: number;
  readonly takenOver: number;
  /** The longest time from the last claim of a turn to its end. */
  readonly slowestSeconds: number;
  readonly problems: readonly string[];
}

/** Runs turns on hosts with homes and files of their own while their links are cut and restored, then checks everything that was recorded. */
export async function runHosts(plan: HostsPlan): Promise<HostsReport> {
  const started = performance.now();
  const { turns, conversations, leaseMs, report = () => {} } = plan;
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-hosts-'));
  await chmod(directory, 0o755);
  await using server = await startEmbedded({ directory: join(directory, 'database'), binaries: POSTGRES_BINARIES });
  await using network = makeHosts(plan.hosts);
  const socket = join(new URL(server.url).searchParams.get('host') ?? '', '.s.PGSQL.5432');
  await using toDatabase = await openRelay(network.address, { path: socket });
  // The model writes what the prompt says into a file, then answers.
  await using api = await startFakeApi(({ lastUserText, toolResults }) =>
    toolResults.length > 0
      ? text(`did ${lastUserText}`)
      : toolUse('Bash', { command: `echo ${lastUserText} >> notes` }),
  );
  await using toApi = await openRelay(network.address, { host: '127.0.0.1', port: Number(new URL(api.url).port) });
  const limits = { leaseMs, sweepMs: leaseMs / 5, pollMs: 250, flushMs: 20 };
  const fleet = await openFleet({ database: server.url, limits });
  const agentLog = join(directory, 'agents');
  await writeFile(agentLog, '');
  const sqlPool = new pg.Pool({ connectionString: server.url, max: 2 });
  sqlPool.on('error', () => {});
  const archive = postgresArchive(sqlPool);
  await archive.prepare();
  const sql = async <Row extends pg.QueryResultRow>(query: string, values: unknown[] = []): Promise<Row[]> =>
    (await sqlPool.query<Row>(query, values)).rows;

  const workers: ChildProcess[] = [];
  const roots: string[] = [];
  const cleanUps: (() => Promise<void>)[] = [];
  try {
    for (let host = 0; host < plan.hosts; host += 1) {
      const home = await isolatedHome(`http://${network.address}:${toApi.port}`);
      cleanUps.push(async () => home[Symbol.asyncDispose]());
      roots.push(home.root);
      const files = join(home.root, 'files');
      await mkdir(files);
      const { CLAUDE_CONFIG_DIR: _, ...env } = home.env();
      const config = {
        database: `postgres://postgres@${network.address}:${toDatabase.port}/postgres`,
        ...{ name: `host${host}`, limits, cli: realCli(), env, directory: files, agentLog },
        ...{ turns, conversations, workMs: plan.workMs },
      };
      const [program = '', ...args] = [...network.on(host), process.execPath, WORKER, JSON.stringify(config)];
      const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdin?.on('error', () => {});
      workers.push(child);
      if (child.stdout) await once(child.stdout, 'data');
    }
    report(`${plan.hosts} hosts are ready`);

    const acknowledged = new Set<string>();
    const seen = new Map<string, string[]>();
    const all = Array.from({ length: turns }, (_, n) => n);
    for (const n of all) {
      await fleet.submit({ key: `c${n % conversations}`, prompt: `p${n}`, id: `t${n}` });
      acknowledged.add(`t${n}`);
    }
    const following = Promise.all(all.map((n) => followed(fleet, `t${n}`).then((read) => seen.set(`t${n}`, read))));
    following.catch(() => {}); // Awaited below.
    const over = new AbortController();
    const cutting = cutLinks(plan, network, over.signal);
    cutting.catch(() => {}); // Awaited below.
    const stuck = delay(STUCK_MS, undefined, { ref: false }).then(() => {
      throw new Error(`the turns did not end within ${STUCK_MS / 1000} s`);
    });
    await Promise.race([following, stuck]);
    over.abort();
    const cuts = await cutting;
    report('all turns have ended; checking');

    const found = await checkRecorded({
      ...{ sql, plan: { turns, conversations, seed: plan.seed }, agentLog, acknowledged, workersLive: false, seen },
    });
    const problems = [...found.problems];
    const rows = await sql<{ id: string; key: string; outcome_kind: string; attempt: number }>(
      'select id, key, outcome_kind, attempt from coxswain.turn',
    );
    const warm = checkWarm(agentLog, conversations, rows);
    problems.push(...warm.problems);
    for (let conversation = 0; conversation < conversations; conversation += 1)
      problems.push(...(await checkNotes(archive, `c${conversation}`, rows)));
    for (const worker of workers) worker.kill('SIGTERM');
    await Promise.all(workers.map(ended));
    for (const root of roots)
      for (const { command } of processesOf(root)) problems.push(`left behind: ${command.slice(0, 200)}`);
    const ons = (await readFile(agentLog, 'utf8')).split('\n').filter((line) => line.startsWith('on '));
    const onHosts: Record<string, number> = {};
    for (const line of ons) {
      const host = /^on (\w+)\./.exec(line)?.[1] ?? '';
      onHosts[host] = (onHosts[host] ?? 0) + 1;
    }
    return {
      seed: plan.seed,
      seconds: (performance.now() - started) / 1000,
      outcomes: found.outcomes,
      cuts,
      onHosts,
      onRealCli: ons.filter((line) => (Number(/t(\d+)$/.exec(line)?.[1]) % conversations) % 3 === 0).length,
      reused: warm.reused,
      takenOver: rows.filter(({ attempt }) => attempt > 1).length,
      slowestSeconds: found.slowestSeconds,
      problems,
    };
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
    await Promise.all(workers.map(ended));
    await fleet.close();
    await sqlPool.end();
    for (const cleanUp of cleanUps) await cleanUp();
    await rm(directory, { recursive: true, force: true });
  }
}

const WORKER = fileURLToPath(new URL('./host-worker.mjs', import.meta.url));

/** Much longer than all cuts together. */
const STUCK_MS = 600_000;

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** The texts of the model that a follower gets. */
async function followed(fleet: Fleet, id: string): Promise<string[]> {
  const read: string[] = [];
  for await (const item of (await fleet.turn(id)).follow()) {
    const said = item.kind === 'message' && item.message.type === 'assistant' ? textOf(item.message) : '';
    if (said !== '') read.push(said);
  }
  return read;
}
