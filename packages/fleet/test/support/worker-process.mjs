// A worker as a process of its own, with scripted agents inside it. Its configuration is JSON in the first argument.
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { defineAgent, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script, scriptedCli } from '@coxswain/testkit';
import { allow, decideLater } from 'coxswain';

/**
 * @typedef {object} Config
 * @property {string} database
 * @property {string} schema
 * @property {string} name
 * @property {number} [slots]
 * @property {object} [limits]
 * @property {{ step: string, nth: number }} [dieAt] Kills itself with SIGKILL when the step comes for the nth time.
 * @property {{ step: string, nth: number }} [stopAt] Stops itself with SIGSTOP.
 * @property {string} [effects] The file to which each run appends a line: what an agent does cannot be taken back.
 * @property {number} [skewMs] How wrong its clock is.
 * @property {number} [workMs] How long a turn takes.
 * @property {boolean} [processes] Scripted CLIs as processes of their own.
 * @property {boolean} [hold] No turn ends before the process gets SIGUSR2.
 * @property {'never' | 'unanswered'} [replay]
 */

/** @type {Config} */
const config = JSON.parse(process.argv[2] ?? '{}');

if (config.skewMs) {
  const now = Date.now;
  Date.now = () => now() + Number(config.skewMs);
}

// The process that started this one is gone.
process.stdin.resume().once('close', () => process.kill(process.pid, 'SIGKILL'));

/** @type {Record<string, number>} */
const seen = {};

/** @param {string} text */
const tell = (text) => process.stdout.write(`${text}\n`);

/** @param {import('@coxswain/fleet').AgentJob} job */
function play(job) {
  const prompt = String(job.prompt);
  return script().otherwise((turn) => {
    if (prompt.includes('ask')) turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' });
    if (prompt.includes('hang')) return turn.say('I hang.').silence();
    if (prompt.includes('limit')) return turn.rateLimited({ resetsAt: Date.now() + 2_000 });
    turn.say(`heard ${prompt}`);
    if (config.hold) turn.useTool('Wait', {}, { result: 'released', permission: 'ask' });
    if (config.workMs) turn.wait(config.workMs);
    return turn.say(`did ${prompt}`).result({ costUsd: 0.01 });
  });
}

const released = new Promise((resolve) => process.once('SIGUSR2', resolve));

const agent = defineAgent({
  replay: config.replay,
  options: async (job) => {
    const canUseTool = async () => {
      if (config.hold) await released;
      return String(job.prompt).includes('ask') ? decideLater() : allow();
    };
    if (config.processes) {
      const cli = await scriptedCli(play(job));
      return { cli: cli.path, canUseTool };
    }
    return { transport: inMemoryCli(play(job)).transport, canUseTool };
  },
});

const worker = await startWorker({
  database: config.database,
  schema: config.schema,
  name: config.name,
  slots: config.slots ?? 2,
  limits: config.limits,
  connectTimeoutMs: 30_000,
  agent,
  onStep(step, { id }) {
    seen[step] = (seen[step] ?? 0) + 1;
    // The prompt is written next.
    if (step === 'sent' && config.effects) appendFileSync(config.effects, `${id}\n`);
    if (config.dieAt?.step === step && seen[step] === config.dieAt.nth) process.kill(process.pid, 'SIGKILL');
    if (config.stopAt?.step === step && seen[step] === config.stopAt.nth) {
      tell(`stopping ${id}`);
      process.kill(process.pid, 'SIGSTOP');
    }
  },
  onError: (error) => {
    if (process.env.FLEET_DEBUG) console.error(config.name, error);
  },
});
tell('ready');
process.once('SIGTERM', () => void worker.drain({ timeoutMs: 5_000 }).then(() => process.exit(0)));
