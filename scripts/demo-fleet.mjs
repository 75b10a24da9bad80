// npm run demo:fleet: a fleet in one terminal, with a scripted agent: submit, follow, approve, kill a worker, continue elsewhere.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openFleet } from '@coxswain/fleet';
import { allow, textOf } from 'coxswain';
import { ensurePostgres, POSTGRES_BINARIES } from './fetch-postgres.mjs';

const COX = fileURLToPath(new URL('../packages/cli/dist/cox.mjs', import.meta.url));
const LIMITS = { leaseMs: 15_000 };

ensurePostgres();
const directory = mkdtempSync(join(tmpdir(), 'coxswain-demo-'));
chmodSync(directory, 0o755);
const fleet = await openFleet({ embedded: { directory, binaries: POSTGRES_BINARIES }, limits: LIMITS });
announce('PostgreSQL is running on a Unix socket. Two workers start.');
const workers = [startWorker('worker-1'), startWorker('worker-2')];
try {
  const turn = await fleet.submit({ key: 'ann', prompt: 'Fix the failing test.' });
  announce(`Ann's turn is stored (${turn.id}). It runs on a worker; this process only follows it.`);
  await print(turn);

  const long = await fleet.submit({ key: 'ann', prompt: 'Now count.' });
  const next = await fleet.submit({ key: 'ann', prompt: 'What did you do so far?' });
  announce('Another turn, which counts forever, and one that waits for it.');
  for await (const item of long.follow()) if (item.kind === 'message' && item.message.type === 'system') break;
  const { worker } = await long.info();
  const victim = (await fleet.stats()).workers.find(({ id }) => id === worker);
  announce(`kill -9 ${victim?.name}, the worker that runs it. Its lease expires after ${LIMITS.leaseMs / 1000} s.`);
  if (victim) process.kill(victim.pid, 'SIGKILL');
  const from = performance.now();
  const { outcome } = await long.outcome();
  announce(
    `After ${((performance.now() - from) / 1000).toFixed(1)} s the turn is ${outcome.kind}: it is not run again unless you allow it. The next turn runs on another worker:`,
  );
  await print(next);
  announce('The conversation as it is stored:');
  for (const entry of await fleet.transcript('ann'))
    if (entry.type === 'user' || entry.type === 'assistant')
      console.log(`  ${entry.type}  ${JSON.stringify(entry.message).slice(0, 100)}`);
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

/** @param {import('@coxswain/fleet').FleetTurn} turn */
async function print(turn) {
  for await (const item of turn.follow()) {
    if (item.kind === 'message' && item.message.type === 'assistant') {
      const text = textOf(item.message);
      if (text !== '') console.log(`  ${text}`);
    }
    if (item.kind === 'permission-requested' && item.approval !== null) {
      announce(`${item.request.toolName} needs an answer. Bob, in another process, approves.`);
      await delay(500);
      await fleet.answer(item.approval, allow(), { by: 'bob' });
    }
    if (item.kind === 'outcome') announce(`The turn is ${item.outcome.kind}.`);
  }
}

/** @param {string} name */
function startWorker(name) {
  const pace = process.env.COX_DEMO_PACE_MS ?? '15';
  const env = { ...process.env, COXSWAIN_DATABASE_URL: fleet.embeddedUrl, COX_DEMO_PACE_MS: pace };
  return spawn(process.execPath, [COX, 'fleet', 'worker', '--demo', '--name', name], {
    env,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
}

/** @param {string} text */
function announce(text) {
  console.log(`\n› ${text}`);
}
