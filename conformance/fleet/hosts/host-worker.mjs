// A worker of the trial with hosts: a third of its conversations run on the real CLI, the others on scripted agents in this process. Its
// configuration is JSON in the first argument.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { archiveWorkspace, defineAgent, postgresArchive, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';
import pg from 'pg';

/**
 * @typedef {object} Config
 * @property {string} database
 * @property {string} name
 * @property {object} limits
 * @property {string} cli The real CLI.
 * @property {Record<string, string>} env Its environment.
 * @property {string} directory The folder of the host for files of conversations.
 * @property {string} agentLog Gets `saw <turn> <prompt>` and `on <process> <turn>` before a prompt is written to a process, and
 *   `finished <turn> <worker>` when the agent has answered.
 * @property {number} turns Conversation `c<n>` has the turns n, n + conversations, …
 * @property {number} conversations
 * @property {number} workMs
 */

/** @type {Config} */
const { agentLog, cli, conversations, database, directory, env, limits, name, turns, workMs } = JSON.parse(
  process.argv[2] ?? '{}',
);

// The trial has ended.
process.stdin.resume().once('close', () => process.kill(process.pid, 'SIGKILL'));

/** The folder of each conversation on this host. @type {Map<string, string>} */
const folders = new Map();
let processes = 0;

/** @param {string} line */
const note = (line) => appendFileSync(agentLog, `${line}\n`);

/** The numbers of the turns whose prompts are in a write. @param {string} lines */
function promptsIn(lines) {
  return lines.split('\n').flatMap((line) => {
    if (line === '') return [];
    const { type, message } = JSON.parse(line);
    if (type !== 'user') return [];
    const { content } = message;
    const text = typeof content === 'string' ? content : content.map((/** @type {any} */ part) => part.text).join('');
    return [Number(/^p(\d+)$/.exec(text)?.[1])];
  });
}

/** @param {string} process @param {string} lines */
function noteWrite(process, lines) {
  const numbers = promptsIn(lines);
  for (const n of numbers) {
    note(`on ${process} t${n}`);
    note(`saw t${n} p${n}`);
  }
  return numbers;
}

/** A scripted agent for all turns of a conversation: it notes each in a file, as a tool of the real one does. @param {string} key */
function scripted(key) {
  const all = script();
  for (let n = Number(key.slice(1)); n < turns; n += conversations)
    all.onPrompt(new RegExp(`^p${n}$`), (turn) => turn.wait(workMs).say(`did p${n}`).result({ costUsd: 0.01 }));
  return {
    transport: () => {
      processes += 1;
      const process = `${name}.${processes}`;
      const transport = inMemoryCli(all).transport();
      const write = transport.write.bind(transport);
      transport.write = async (text) => {
        for (const n of noteWrite(process, text)) appendFileSync(join(folders.get(key) ?? '', 'notes'), `p${n}\n`);
        await write(text);
      };
      return transport;
    },
  };
}

function real() {
  return {
    ...{ cli, env, inheritEnv: false, settingSources: [], allowedTools: ['Bash'], tools: ['Bash'] },
    /** @type {import('coxswain').SpawnFunction} */
    spawn: (command, args, options) => {
      processes += 1;
      const process = `${name}.${processes}`;
      const child = spawn(command, args, options);
      const write = child.stdin?.write.bind(child.stdin);
      if (child.stdin && write)
        child.stdin.write = (/** @type {string} */ chunk, /** @type {any[]} */ ...rest) => {
          noteWrite(process, String(chunk));
          return Reflect.apply(write, child.stdin, [chunk, ...rest]);
        };
      return child;
    },
  };
}

/** The options of each conversation, the same objects each time. @type {Map<string, object>} */
const options = new Map();

const pool = new pg.Pool({ connectionString: database, max: 4 });
pool.on('error', () => {});
const files = archiveWorkspace({ store: postgresArchive(pool), directory });

const worker = await startWorker({
  ...{ database, name, limits, slots: 4, keepWarmMs: 60_000, maxWarm: 20, connectTimeoutMs: 60_000 },
  agent: defineAgent({
    workspace: {
      ...files,
      async prepare(job) {
        const place = await files.prepare(job);
        folders.set(job.key, place.cwd);
        return place;
      },
    },
    options({ key }) {
      const known = options.get(key) ?? (Number(key.slice(1)) % 3 === 0 ? real() : scripted(key));
      options.set(key, known);
      return known;
    },
  }),
  onStep: (step, { id }) => {
    if (step === 'result') note(`finished ${id} ${name}`);
  },
  onError: (error) => {
    if (process.env.FLEET_DEBUG) console.error(name, error);
  },
});
process.stdout.write('ready\n');
process.once('SIGTERM', () => void worker.drain({ timeoutMs: 5_000 }).then(() => process.exit(0)));
