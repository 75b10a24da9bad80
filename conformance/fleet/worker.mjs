// A worker with the real CLI, which sees a separate machine. Its configuration is JSON in the first argument.
import process from 'node:process';
import { defineAgent, startWorker } from '@coxswain/fleet';

/** @type {{ database: string, cli: string, cwd: string, env: Record<string, string>, limits: object, slots: number, dieAt?: { step: string, nth: number } }} */
const { database, cli, cwd, env, limits, slots, dieAt } = JSON.parse(process.argv[2] ?? '{}');
let seen = 0;

// The parent process has exited.
process.stdin.resume().once('close', () => process.kill(process.pid, 'SIGKILL'));

const worker = await startWorker({
  database,
  limits,
  slots,
  agent: defineAgent({ options: () => ({ cli, cwd, env, inheritEnv: false, tools: [], settingSources: [] }) }),
  onStep(step) {
    if (step === dieAt?.step) seen += 1;
    if (dieAt !== undefined && seen >= dieAt.nth) process.kill(process.pid, 'SIGKILL');
  },
});
process.stdout.write('ready\n');
process.once('SIGTERM', () => void worker.drain({ timeoutMs: 10_000 }).then(() => process.exit(0)));
