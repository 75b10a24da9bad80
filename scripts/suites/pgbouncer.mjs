// npm run do -- test:pgbouncer: runs a fleet behind PgBouncer, in the modes of docs/guides/fleet-operations.md. Prints the findings of
// each; exits with 1 on a problem. PgBouncer is downloaded from Debian on first use.
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent, openFleet, startEmbedded, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';
import { allow, decideLater, textOf } from 'coxswain';
import { sql } from '../../packages/fleet/test/support/database.ts';
import { copyPgBouncer } from '../fetch/pgbouncer.mjs';
import { ensurePostgres, POSTGRES_BINARIES } from '../fetch/postgres.mjs';

/** @typedef {{ mode: string, poolSize: number, pollMs: number, listens: boolean }} Mode */

/** The modes as described in the guide. @type {readonly Mode[]} */
const MODES = [
  { mode: 'session', poolSize: 40, pollMs: 2_000, listens: true },
  { mode: 'transaction', poolSize: 6, pollMs: 250, listens: false },
];

const CONVERSATIONS = 10;
const TURNS = 40;

/** Time limit of a run. */
const LONGEST_MS = 180_000;

/** PgBouncer and PostgreSQL refuse to run as root, so both run as this user. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

const agent = defineAgent({
  options: (job) => {
    const prompt = String(job.prompt);
    const played = script().otherwise((turn) => {
      if (prompt === 'hang') return turn.say('I hang.').silence();
      if (prompt === 'ask') turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' });
      return turn.say(`did ${prompt}`);
    });
    return { transport: inMemoryCli(played).transport, canUseTool: () => decideLater() };
  },
});

ensurePostgres();
const directory = mkdtempSync(join(tmpdir(), 'coxswain-pgbouncer-'));
chmodSync(directory, 0o755);
const bouncer = copyPgBouncer(directory);
const server = await startEmbedded({ directory: join(directory, 'postgres'), binaries: POSTGRES_BINARIES });
const children = /** @type {Set<import('node:child_process').ChildProcess>} */ (new Set());
const deadline = setTimeout(() => {
  console.error(`Nothing is done after ${LONGEST_MS / 1000} s.`);
  end(1);
}, LONGEST_MS);
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => end(130));
try {
  let failed = false;
  for (const mode of MODES) {
    const report = await tryMode(mode);
    console.log(JSON.stringify(report));
    failed ||= report.problems.length > 0;
  }
  process.exitCode = failed ? 1 : 0;
} finally {
  clearTimeout(deadline);
  for (const child of children) child.kill('SIGKILL');
  await server.close();
  rmSync(directory, { recursive: true, force: true });
}

/** @param {number} code */
function end(code) {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
  process.exit(code);
}

/** Turns, approvals and a cancellation of two workers, all through PgBouncer. @param {Mode} mode */
async function tryMode({ mode, poolSize, pollMs, listens }) {
  const from = performance.now();
  const problems = /** @type {string[]} */ ([]);
  const { database, close } = await startPgBouncer(mode, poolSize);
  const limits = { pollMs, leaseMs: 15_000 };
  const schema = `behind_${mode}`;
  const onError = (/** @type {unknown} */ error) => problems.push(`onError: ${String(error)}`);
  const fleet = await openFleet({ database, schema, limits });
  const workers = await Promise.all(
    ['a', 'b'].map((name) => startWorker({ database, schema, limits, agent, name, onError })),
  );
  const turns = await Promise.all(
    Array.from({ length: TURNS }, (_, n) =>
      fleet.submit({ key: `c${n % CONVERSATIONS}`, prompt: `p${n}`, id: `t${n}` }),
    ),
  );
  const connections = await serverConnections();
  await Promise.all(turns.map((turn) => follow(turn, problems)));
  const asking = await fleet.submit({ key: 'asks', prompt: 'ask' });
  for await (const item of asking.follow())
    if (item.kind === 'permission-requested')
      await fleet.answer(item.approval ?? '', allow(), { by: 'test', hash: item.hash });
  const asked = (await asking.outcome()).outcome.kind;
  if (asked !== 'completed') problems.push(`the turn with an approval is ${asked}`);
  const hanging = await fleet.submit({ key: 'hangs', prompt: 'hang' });
  for await (const item of hanging.follow()) if (item.kind === 'message') break;
  await fleet.cancel(hanging.id, { by: 'test' });
  const cancelled = (await hanging.outcome()).outcome.kind;
  if (cancelled !== 'interrupted') problems.push(`the cancelled turn is ${cancelled}`);
  const listening = workers.every((worker) => worker.health().listening);
  if (listening !== listens) problems.push(`notifications arrive: ${listening}, the guide says ${listens}`);
  await Promise.all(workers.map((worker) => worker.drain({ timeoutMs: 10_000 })));
  await fleet.close();
  await close();
  if (connections > poolSize)
    problems.push(`${connections} connections to the server, though the pool has ${poolSize}`);
  const seconds = Math.round((performance.now() - from) / 100) / 10;
  return { mode, turns: TURNS + 2, seconds, connections, listening, problems };
}

/** @param {import('@coxswain/fleet').FleetTurn} turn @param {string[]} problems */
async function follow(turn, problems) {
  const texts = [];
  let outcome = 'none';
  for await (const item of turn.follow()) {
    if (item.kind === 'message' && item.message.type === 'assistant') texts.push(textOf(item.message));
    if (item.kind === 'outcome') outcome = item.outcome.kind;
  }
  const expected = `did p${turn.id.slice(1)}`;
  if (outcome !== 'completed' || texts.join() !== expected)
    problems.push(`${turn.id} is ${outcome}, and its follower read "${texts.join()}"`);
}

async function serverConnections() {
  const [row] = await sql(
    server.url,
    `select count(*)::integer as n from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  return Number(row?.n);
}

/** @param {string} mode @param {number} poolSize */
async function startPgBouncer(mode, poolSize) {
  const port = await freePort();
  const folder = join(directory, mode);
  const socket = new URL(server.url).searchParams.get('host');
  const file = `${folder}.ini`;
  const settings = {
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'any', pool_mode: mode },
    ...{ default_pool_size: poolSize, max_client_conn: 200, logfile: `${folder}.log` },
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const target = `postgres = host=${socket} port=5432 dbname=postgres user=postgres`;
  writeFileSync(file, ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'));
  writeFileSync(settings.logfile, '');
  if (NOBODY) chownSync(settings.logfile, NOBODY.uid, NOBODY.gid);
  const child = spawn(bouncer.binary, [file], {
    ...NOBODY,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: bouncer.libraries },
    stdio: ['ignore', 'ignore', process.env.DEBUG ? 'inherit' : 'ignore'],
  });
  children.add(child);
  const exited = new Promise((resolve) => child.once('close', resolve));
  child.once('error', (error) => console.error(error.message));
  const database = `postgres://postgres@127.0.0.1:${port}/postgres`;
  for (let tries = 0; !(await answers(database)); tries += 1) {
    if (tries === 50 || child.exitCode !== null)
      throw new Error(`PgBouncer did not start; DEBUG=1 shows what it says.`);
    await delay(100);
  }
  const close = async () => {
    child.kill('SIGKILL');
    await exited;
    children.delete(child);
  };
  return { database, close };
}

/** @param {string} url */
function answers(url) {
  return sql(url, 'select 1').then(
    () => true,
    () => false,
  );
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
