// A worker with the real CLI, which sees a separate machine. Its configuration is JSON in the first argument.
import process from 'node:process';
import { defineAgent, startWorker } from '@coxswain/fleet';
import { decideLater } from 'coxswain';

/** @type {{ database: string, cli: string, cwd: string, env: Record<string, string>, limits: object, slots: number, asking?: boolean, dieAt?: { step: string, nth: number } }} */
const { database, cli, cwd, env, limits, slots, asking, dieAt } = JSON.parse(process.argv[2] ?? '{}');
let seen = 0;

// The parent process has exited.
process.stdin.resume().once('close', () => process.kill(process.pid, 'SIGKILL'));

/**
 * Counts a step, at which this worker may have to die. `opening`: the agent's options are read; `ran`: a tool has run.
 * @param {string} step
 */
function reached(step) {
  if (step === dieAt?.step) seen += 1;
  if (dieAt !== undefined && seen >= dieAt.nth) process.kill(process.pid, 'SIGKILL');
}

const askingOptions = {
  tools: ['Bash'],
  canUseTool: () => decideLater(),
  hooks: { PostToolUse: () => reached('ran') },
};

const worker = await startWorker({
  database,
  limits,
  slots,
  agent: defineAgent({
    parkAfterMs: 0,
    options: () => {
      reached('opening');
      return { cli, cwd, env, inheritEnv: false, settingSources: [], ...(asking ? askingOptions : { tools: [] }) };
    },
  }),
  onStep: reached,
});
process.stdout.write('ready\n');
process.once('SIGTERM', () => void worker.drain({ timeoutMs: 10_000 }).then(() => process.exit(0)));
