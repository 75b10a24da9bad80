// A worker process with scripted agents inside it. Its configuration is JSON in the first argument.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
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
 * @property {{ step: string, nth: number }} [dieAt] Kills itself with SIGKILL at the nth occurrence of the step, or of `opening` (the
 *   agent's options are read), `asked` (a tool asks for permission) or `ran` (a tool has run).
 * @property {{ step: string, nth: number }} [crashAt] Prints `crash` at the nth occurrence, and waits a moment there.
 * @property {{ step: string, nth: number }} [stopAt] Stops itself with SIGSTOP.
 * @property {string} [effects] The file to which each run appends a line: an effect that cannot be undone.
 * @property {string} [agentLog] The file to which each run appends `saw <turn> <prompt>` before a prompt reaches its agent, and
 *   `finished <turn> <worker>` when the agent has answered; and `ran <turn> <command>` when a tool that asked has run.
 * @property {number} [prepareMs] Maximum duration of `options()` and of `workspace.prepare()`.
 * @property {number} [skewMs] Error of its clock.
 * @property {number} [workMs] Duration of a turn.
 * @property {boolean} [processes] Runs scripted CLIs as processes.
 * @property {boolean} [hold] Holds all turns until the process receives SIGUSR2.
 * @property {'never' | 'unanswered' | 'always'} [replay]
 * @property {number | 'never'} [parkAfterMs]
 * @property {{ turns: number, conversations: number }} [warm] Two thirds of the conversations `c<n>` may run several turns on one process; their
 *   turns are `t<n>` with the prompts of asks.ts. Each prompt is logged with its process, too: `on <process> <turn>`.
 * @property {number} [expiresAfterMs] The time for an answer to a tool whose prompt has the word `soon`.
 */

/** @type {Config} */
const config = JSON.parse(process.argv[2] ?? '{}');

if (config.skewMs) {
  const now = Date.now;
  Date.now = () => now() + Number(config.skewMs);
}

// The parent process has exited.
process.stdin.resume().once('close', () => process.kill(process.pid, 'SIGKILL'));

/** @type {Record<string, number>} */
const seen = {};

/** @param {string} text */
const tell = (text) => process.stdout.write(`${text}\n`);

/** @param {import('@coxswain/fleet').AgentJob} job */
function play(job) {
  const prompt = String(job.prompt);
  const [name = '', asks, ...more] = prompt.split(' ');
  if (asks === 'asks') return script().otherwise((turn) => asking(turn, name, more));
  return script().otherwise((turn) => {
    if (/ask|poison/.test(prompt)) turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' });
    if (prompt.includes('hang')) return turn.say('I hang.').silence();
    if (prompt.includes('flaky') && job.attempt < 3) return turn.say('I try.').fail('flaky').result({ costUsd: 0.01 });
    if (prompt.includes('limit')) return turn.rateLimited({ resetsAt: Date.now() + 2_000 });
    turn.say(`heard ${prompt}`);
    if (config.hold) turn.useTool('Wait', {}, { result: 'released', permission: 'ask' });
    if (config.workMs) turn.wait(config.workMs);
    return turn.say(`did ${prompt}`).result({ costUsd: 0.01 });
  });
}

/**
 * The turn of the prompt `<name> asks`: `twice` for two tools, `acts` for another one that does not ask.
 * @param {import('@coxswain/testkit').TurnScript} turn
 * @param {string} name
 * @param {readonly string[]} more
 */
function asking(turn, name, more) {
  turn.say(`heard ${name}`);
  for (const command of more.includes('twice') ? ['first', 'second'] : ['first'])
    turn.useTool('Bash', { command }, { result: 'made', permission: 'ask' });
  if (more.includes('acts')) turn.useTool('Bash', { command: 'act' }, { result: 'done', permission: 'allow' });
  if (config.workMs) turn.wait(config.workMs);
  return turn.say(`did ${name}`).result({ costUsd: 0.01 });
}

/**
 * A transport for all turns of a conversation, so that one process can run several of them.
 * @param {string} key
 * @param {NonNullable<Config['warm']>} plan
 */
function sharedTransport(key, { turns, conversations }) {
  const all = script();
  for (let n = Number(key.slice(1)); n < turns; n += conversations) {
    const name = `p${n}`;
    all.onPrompt(new RegExp(`^${name} asks twice`), (turn) => asking(turn, name, ['twice']));
    all.onPrompt(new RegExp(`^${name} asks`), (turn) => asking(turn, name, []));
    all.onPrompt(new RegExp(`^${name}$`), (turn) => {
      turn.say(`heard ${name}`);
      if (config.workMs) turn.wait(config.workMs);
      return turn.say(`did ${name}`).result({ costUsd: 0.01 });
    });
  }
  return () => {
    processes += 1;
    const name = `${HOST}.${processes}`;
    const transport = inMemoryCli(all).transport();
    const write = transport.write.bind(transport);
    transport.write = async (text) => {
      notePrompts((prompt) => {
        const id = `t${prompt.split(' ')[0]?.slice(1)}`;
        note(`on ${name} ${id}`);
        return id;
      }, text);
      await write(text);
    };
    return transport;
  };
}

let processes = 0;

/** Not the pid, which a later worker may get again. */
const HOST = randomUUID();

/** @type {Map<string, () => import('coxswain/transport').Transport>} */
const shared = new Map();

/** @param {string} key */
function transportOf(key) {
  if (config.warm === undefined || config.processes || Number(key.slice(1)) % 3 === 0) return undefined;
  const known = shared.get(key) ?? sharedTransport(key, config.warm);
  shared.set(key, known);
  return known;
}

/** @param {string} line */
const note = (line) => config.agentLog && appendFileSync(config.agentLog, `${line}\n`);

/**
 * Logs each prompt before it is sent to the agent.
 * @param {string} id
 * @param {() => import('coxswain/transport').Transport} create
 */
function noted(id, create) {
  const transport = create();
  const write = transport.write.bind(transport);
  transport.write = async (text) => {
    notePrompts(() => id, text);
    await write(text);
  };
  return transport;
}

/**
 * The same for a CLI process.
 * @param {string} id
 * @returns {import('coxswain').SpawnFunction}
 */
function notedSpawn(id) {
  return (command, args, options) => {
    const child = spawn(command, args, options);
    const write = child.stdin?.write.bind(child.stdin);
    if (child.stdin && write)
      child.stdin.write = (/** @type {string} */ chunk, /** @type {any[]} */ ...rest) => {
        notePrompts(() => id, String(chunk));
        return Reflect.apply(write, child.stdin, [chunk, ...rest]);
      };
    return child;
  };
}

/**
 * @param {(prompt: string) => string} idOf
 * @param {string} lines
 */
function notePrompts(idOf, lines) {
  for (const line of lines.split('\n').filter(Boolean)) {
    const { type, message } = JSON.parse(line);
    if (type !== 'user') continue;
    const prompt = textOfUser(message.content);
    note(`saw ${idOf(prompt)} ${prompt}`);
  }
}

/** @param {string | { text?: string }[]} content */
function textOfUser(content) {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

/**
 * Executes the prompt `poison <what> <where>`.
 * @param {string} where
 * @param {import('@coxswain/fleet').AgentJob} job
 */
function poison(where, job) {
  const [, what, when] = /^poison (\w+) (late )?\w+$/.exec(String(job.prompt)) ?? [];
  if (what === undefined || !String(job.prompt).endsWith(where)) return;
  if (when === undefined) harm(what);
  else void hungUp.then(() => harm(what));
}

/** SIGHUP triggers what a turn left behind. */
const hungUp = new Promise((resolve) => process.once('SIGHUP', resolve));

/** @param {string} what */
function harm(what) {
  if (what === 'exit') process.exit(3);
  if (what === 'swallowed') {
    try {
      process.exit(3);
    } catch {}
  }
  if (what === 'rejection') void Promise.reject(new Error('bad luck'));
  if (what === 'oddity') void Promise.reject(Object.create(null));
  if (what === 'exception') setTimeout(() => fail(), 0);
}

function fail() {
  throw new Error('bad luck');
}

/** SIGUSR2 triggers a failure of the process's own code, not the agent's. */
const crashed = new Promise((resolve) => {
  process.once('SIGUSR2', () => {
    if (!config.hold) void Promise.reject(new Error('nobody is to blame'));
    resolve(undefined);
  });
});

const slowly = () => delay(Math.random() * (config.prepareMs ?? 0));

/**
 * Counts a step, at which this worker or the database may have to die.
 * @param {string} step
 */
async function reached(step) {
  seen[step] = (seen[step] ?? 0) + 1;
  if (config.dieAt?.step === step && seen[step] === config.dieAt.nth) process.kill(process.pid, 'SIGKILL');
  if (config.crashAt?.step !== step || seen[step] !== config.crashAt.nth) return;
  tell('crash');
  await delay(200);
}

const { parkAfterMs, expiresAfterMs } = config;
const agent = defineAgent({
  replay: config.replay === 'always' ? () => true : config.replay,
  ...(parkAfterMs !== undefined && { parkAfterMs: parkAfterMs === 'never' ? Number.POSITIVE_INFINITY : parkAfterMs }),
  ...(expiresAfterMs !== undefined && {
    approvals: (_, job) => (String(job.prompt).endsWith('soon') ? { expiresAfterMs } : undefined),
  }),
  workspace: {
    prepare: async (job) => {
      await slowly();
      poison('prepare', job);
      if (job.prompt === 'prepare for ever') await new Promise(() => {});
      return { cwd: tmpdir() };
    },
    save: async (job) => {
      poison('save', job);
      if (job.prompt !== 'save late') return;
      tell('saving');
      await crashed;
    },
  },
  options: async (job) => {
    await slowly();
    poison('options', job);
    await reached('opening');
    const poisoned = { PreToolUse: () => poison('hook', job) };
    const counting = {
      /** @param {{ tool_input: unknown }} input */
      PostToolUse: async ({ tool_input: input }) => {
        note(`ran ${job.id} ${/** @type {{ command: string }} */ (input).command}`);
        await reached('ran');
      },
    };
    const prompt = String(job.prompt);
    const hooks = prompt.endsWith('hook') ? poisoned : prompt.includes('ask') ? counting : undefined;
    const canUseTool = async () => {
      await reached('asked');
      if (config.hold) await crashed;
      poison('permission', job);
      return prompt.includes('ask') ? decideLater() : allow();
    };
    if (config.processes) {
      const cli = await scriptedCli(play(job));
      return { cli: cli.path, spawn: notedSpawn(job.id), canUseTool, ...(hooks && { hooks }) };
    }
    const common = transportOf(job.key);
    if (common) return { transport: common, canUseTool, hooks: counting };
    const { transport } = inMemoryCli(play(job));
    return {
      transport: () => noted(job.id, transport),
      canUseTool,
      ...(hooks && { hooks }),
    };
  },
});

const worker = await startWorker({
  database: config.database,
  schema: config.schema,
  name: config.name,
  slots: config.slots ?? 2,
  ...(config.warm && { keepWarmMs: 60_000, maxWarm: 100, preferMs: 1_000 }),
  limits: config.limits,
  connectTimeoutMs: 30_000,
  agent,
  async onStep(step, { id }) {
    // The prompt is sent next.
    if (step === 'sent' && config.effects) appendFileSync(config.effects, `${id}\n`);
    if (step === 'result') note(`finished ${id} ${config.name}`);
    await reached(step);
    if (config.stopAt?.step === step && seen[step] === config.stopAt.nth) {
      tell(`stopping ${id}`);
      process.kill(process.pid, 'SIGSTOP');
    }
  },
  onError: (error) => {
    tell(`error ${error}`);
    if (process.env.FLEET_DEBUG) console.error(config.name, error);
  },
});
tell('ready');
process.once('SIGTERM', () => void worker.drain({ timeoutMs: 5_000 }).then(() => process.exit(0)));
