// npm run demo:fleet: a fleet in one terminal, with a scripted agent: submit, follow, park, kill a worker, approve, continue elsewhere.
import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openFleet } from '@coxswain/fleet';
import { textOf } from 'coxswain';
import { ensurePostgres, POSTGRES_BINARIES } from '../fetch/postgres.mjs';

const COX = fileURLToPath(new URL('../../packages/cli/dist/cox.mjs', import.meta.url));
const LIMITS = { leaseMs: 15_000 };

ensurePostgres();
const directory = mkdtempSync(join(tmpdir(), 'coxswain-demo-'));
chmodSync(directory, 0o755);
const fleet = await openFleet({ embedded: { directory, binaries: POSTGRES_BINARIES }, limits: LIMITS });
const withFleet = { COX_DEMO_PACE_MS: '15', ...process.env, COXSWAIN_DATABASE_URL: fleet.embeddedUrl };
announce('PostgreSQL is running on a Unix socket. Three workers start.');
const workers = ['worker-1', 'worker-2', 'worker-3'].map(startWorker);
try {
  const turn = await fleet.submit({ key: 'ann', prompt: 'Fix the failing test.' });
  announce('Ann asks for a fix. The turn is stored; this process only follows it.');
  await print(turn, approveLater);

  const long = await fleet.submit({ key: 'ann', prompt: 'Now count.' });
  const next = await fleet.submit({ key: 'ann', prompt: 'What did you do so far?' });
  announce('Ann submits two more turns. The first one counts forever, and the second one waits for it.');
  for await (const item of long.follow()) if (item.kind === 'message' && item.message.type === 'system') break;
  const name = await kill((await long.info()).worker);
  announce(`kill -9 ${name}, the worker that runs it. Its lease expires after ${LIMITS.leaseMs / 1000} s.`);
  const from = performance.now();
  const { outcome } = await long.outcome();
  announce(
    `After ${((performance.now() - from) / 1000).toFixed(1)} s the turn is ${outcome.kind}: it is not run again unless you allow it. The next turn:`,
  );
  await print(next);
  announce('The conversation as it is stored, over three workers:');
  for (const { type, message } of await fleet.transcript('ann'))
    for (const line of linesOf(message)) console.log(`  ${type}  ${line.replace(/\s+/g, ' ').slice(0, 110)}`);
} finally {
  for (const child of workers) child.kill('SIGTERM');
  await Promise.all(
    workers.map((child) =>
      child.exitCode === null && child.signalCode === null
        ? new Promise((done) => child.once('exit', done))
        : undefined,
    ),
  );
  await fleet.close();
  rmSync(directory, { recursive: true, force: true });
}

/**
 * Prints a turn to its end.
 * @param {import('@coxswain/fleet').FleetTurn} turn
 * @param {(worker: string | null) => Promise<void>} [onParked] Called with the worker that had it.
 */
async function print(turn, onParked) {
  /** @type {string | null} */
  let worker = null;
  for await (const item of turn.follow()) {
    if (item.kind === 'message' && item.message.type === 'assistant') {
      const text = textOf(item.message);
      if (text !== '') console.log(`  ${text}`);
    }
    if (item.kind === 'permission-requested')
      announce(`The agent asks for permission to use ${item.request.toolName}, and nobody is there to answer.`);
    if (item.kind === 'state' && item.state === 'parked') await onParked?.(worker);
    if (item.kind === 'state' && item.state === 'claimed') announce(`It runs on ${await nameOf(item.worker)}:`);
    if (item.kind === 'state') worker = item.worker;
    if (item.kind === 'outcome') announce(`The turn is ${item.outcome.kind}.`);
  }
}

/**
 * The turn is parked: its worker dies, and a person approves later.
 * @param {string | null} worker
 */
async function approveLater(worker) {
  const { turns } = await fleet.stats();
  announce(
    `The turn is parked: ${turns.running} turns run, ${turns.parked} is parked. No process waits, however long it takes.`,
  );
  announce(`kill -9 ${await kill(worker)}, the worker that asked. The approval stays open.`);
  await delay(1_000);
  for (const { id, hash } of await fleet.approvals()) {
    const approve = ['fleet', 'approve', id, '--hash', hash.slice(0, 12), '--by', 'bob'];
    announce(`Later, in another process, Bob answers:\n  cox ${approve.join(' ')}`);
    await promisify(execFile)(process.execPath, [COX, ...approve], { env: withFleet });
  }
}

/**
 * The content of a transcript message, without thinking.
 * @param {unknown} message
 * @returns {string[]}
 */
function linesOf(message) {
  const { content } = Object(message);
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    if (block.type === 'tool_use') return [`${block.name} ${JSON.stringify(block.input)}`];
    return block.type === 'tool_result' ? [`→ ${JSON.stringify(block.content)}`] : [];
  });
}

/** @param {string | null} worker */
async function nameOf(worker) {
  return (await fleet.stats()).workers.find(({ id }) => id === worker)?.name;
}

/**
 * Kills a worker with SIGKILL, and returns its name.
 * @param {string | null} worker
 */
async function kill(worker) {
  const victim = (await fleet.stats()).workers.find(({ id }) => id === worker);
  if (victim) process.kill(victim.pid, 'SIGKILL');
  return victim?.name;
}

/** @param {string} name */
function startWorker(name) {
  return spawn(process.execPath, [COX, 'fleet', 'worker', '--demo', '--name', name], {
    env: withFleet,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
}

/** @param {string} text */
function announce(text) {
  console.log(`\n› ${text}`);
}
