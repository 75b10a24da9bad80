// A long conversation in a session store: the cost of storing a turn as it grows, the time to resume it, and the delay of a slow
// store. Stores on this machine, then the real CLI, offline: node bench/store.mjs, after npm run build; ENTRIES=10000 by default.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSession } from 'coxswain';
import { fileStore, memoryStore } from 'coxswain/store';
import { faultyStore, inMemoryCli, script, startFakeApi, text } from '../packages/testkit/dist/index.mjs';
import { cliPath, releases } from '../scripts/fetch/cli.mjs';
import { median } from './interleave.mjs';

const ENTRIES = Number(process.env.ENTRIES ?? 10_000);
const TURNS = 20;
/** The entries of a turn: a prompt, an answer, and their attachments. */
const PER_TURN = 8;

const root = await mkdtemp(join(tmpdir(), 'cox-bench-store-'));
try {
  console.log(`A conversation of ${ENTRIES.toLocaleString('en')} entries of about 1 KB`);
  for (const [name, store] of Object.entries({ memory: memoryStore(), file: fileStore(join(root, 'files')) })) {
    await appending(name, store);
  }
  await slowStore();
  await realCli(fileStore(join(root, 'real')));
} finally {
  await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

/** The median cost of one turn when the conversation is empty, half as long, and as long as requested. */
async function appending(name, store) {
  const key = { projectKey: 'bench', sessionId: crypto.randomUUID() };
  const figures = [];
  let n = 0;
  for (const length of [0, ENTRIES / 2, ENTRIES]) {
    while (n < length) {
      await store.append(key, conversation(n, Math.min(500, length - n)), { id: `fill-${n}` });
      n += Math.min(500, length - n);
    }
    const times = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const entries = conversation(n, PER_TURN);
      n += PER_TURN;
      const began = performance.now();
      await store.append(key, entries, { id: `turn-${n}` });
      times.push(performance.now() - began);
    }
    figures.push(`${length.toLocaleString('en')}: ${median(times).toFixed(2)} ms`);
  }
  const began = performance.now();
  const loaded = await store.load(key);
  const took = performance.now() - began;
  console.log(
    `  ${name.padEnd(8)} one turn at ${figures.join(', ')}; loading ${loaded.length} entries ${took.toFixed(0)} ms`,
  );
}

/** When the first message and the result arrive with a store that takes 200 ms for each call, and with an instant one. */
async function slowStore() {
  for (const ms of [0, 200]) {
    const store = faultyStore(memoryStore());
    if (ms > 0) store.fault = { fault: 'slow', ms };
    const agent = inMemoryCli(script().otherwise((turn) => turn.say('Heard.')));
    const session = openSession({ transport: agent.transport, sessionStore: store });
    await session.ready;
    const seen = { first: [], result: [] };
    for (let turn = 0; turn < 7; turn++) {
      const began = performance.now();
      let first;
      for await (const message of session.send('hello')) {
        first ??= performance.now() - began;
        if (message.type === 'result') seen.result.push(performance.now() - began);
      }
      seen.first.push(first);
    }
    await session.close();
    const [first, result] = [seen.first, seen.result].map((times) => median(times).toFixed(1));
    console.log(`  a store that takes ${ms} ms: first message after ${first} ms, result after ${result} ms`);
  }
}

/** The time until the real CLI is ready with a short and with the long conversation, each from the store alone. */
async function realCli(store) {
  const version = releases().pinned;
  const cli = cliPath(version);
  if (cli === undefined) return console.log(`  Claude Code ${version} is not in .cache/cli: left out`);
  const api = await startFakeApi([], { fallback: text('hello') });
  try {
    const options = { cli, cwd: root, inheritEnv: false, env: await isolated(api.url), sessionStore: store };
    const short = await begin(options);
    const long = await begin(options);
    const key = { projectKey: 'default', sessionId: long };
    const last = (await store.load(key)).findLast(({ uuid }) => uuid !== undefined);
    await store.append(key, conversation(0, ENTRIES, last), { id: 'fill' });
    for (const [name, resume] of Object.entries({ short, long })) {
      const times = [];
      for (let round = 0; round < 5; round++) {
        const began = performance.now();
        const session = openSession({ ...options, resume });
        await session.ready;
        times.push(performance.now() - began);
        await session.close();
      }
      console.log(`  Claude Code ${version} resumes the ${name} conversation in ${median(times).toFixed(0)} ms`);
    }
  } finally {
    await api.close();
  }
}

async function begin(options) {
  const session = openSession(options);
  await session.send('hello').result();
  await session.close();
  await sleep(0);
  return session.id;
}

/** Alternating prompts and answers, each linked to the previous one. */
function conversation(from, count, after) {
  let parentUuid = after?.uuid ?? (from === 0 ? null : `entry-${from - 1}`);
  const sessionId = after?.sessionId ?? 'bench';
  return Array.from({ length: count }, (_, index) => {
    const n = from + index;
    const role = n % 2 === 0 ? 'user' : 'assistant';
    const content = role === 'user' ? 'x'.repeat(700) : [{ type: 'text', text: 'x'.repeat(700) }];
    const message =
      role === 'user' ? { role, content } : { id: `msg_${n}`, type: 'message', role, model: 'm', content };
    const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    const entry = {
      parentUuid,
      isSidechain: false,
      type: role,
      message,
      uuid,
      timestamp: new Date(n).toISOString(),
      sessionId,
    };
    parentUuid = uuid;
    return entry;
  });
}

/** An environment isolated from this machine. */
async function isolated(url) {
  const home = join(root, 'home');
  await mkdir(home, { recursive: true });
  return {
    PATH: process.env.PATH,
    HOME: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-api03-not-a-real-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
}
