// The first message of a new conversation: with a process started for it, and with one that a pool kept ready. On the real CLI,
// offline: node bench/prewarm.mjs, after npm run build; ROUNDS=7 by default.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from 'coxswain';
import { startFakeApi, text } from '../packages/testkit/dist/index.mjs';
import { cliPath, releases } from '../scripts/fetch/cli.mjs';
import { median } from './interleave.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 7);
const version = releases().pinned;
const cli = cliPath(version);
if (cli === undefined)
  throw new Error(`Claude Code ${version} is not in .cache/cli: node scripts/fetch/cli.mjs ${version}`);

const api = await startFakeApi([], { fallback: text('hello') });
const root = await mkdtemp(join(tmpdir(), 'cox-prewarm-'));
try {
  const defaults = { cli, cwd: root, inheritEnv: false, env: await isolated() };
  const cold = createPool({ size: 2, defaults });
  const warm = createPool({ size: 3, prewarm: 1, defaults });
  const taken = { cold: [], warm: [] };
  for (let round = -1; round < ROUNDS; round++) {
    const coldRun = await timed(cold, ({ sessions }) => sessions.stopping === 0);
    const warmRun = await timed(warm, ({ sessions }) => sessions.stopping === 0 && sessions.warm === 1);
    // The first round also loads code.
    if (round < 0) continue;
    taken.cold.push(coldRun);
    taken.warm.push(warmRun);
  }
  await Promise.all([cold.close(), warm.close()]);

  console.log(`\nA new conversation with Claude Code ${version}, API on loopback: median of ${ROUNDS} rounds`);
  for (const what of ['first message', 'first answer']) {
    const [before, after] = [taken.cold, taken.warm].map((runs) => median(runs.map((run) => run[what])));
    const times = `cold ${before.toFixed(0)} ms, prewarmed ${after.toFixed(0)} ms`;
    console.log(`  ${what.padEnd(14)} ${times} (${(before / after).toFixed(1)} times sooner)`);
  }
} finally {
  await api.close();
  await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

/** One job without a key, once the pool is ready: the time to its first message, and to the model's first message. */
async function timed(pool, isSet) {
  while (!isSet(pool.stats())) await new Promise((resolve) => setTimeout(resolve, 20));
  const began = performance.now();
  const seen = {};
  const outcome = await pool.run(
    { prompt: 'hello' },
    {
      onMessage: ({ type }) => {
        seen['first message'] ??= performance.now() - began;
        if (type === 'assistant') seen['first answer'] ??= performance.now() - began;
      },
    },
  );
  if (outcome.status !== 'finished' || outcome.outcome.kind !== 'completed') throw new Error(JSON.stringify(outcome));
  return seen;
}

/** An environment in which the CLI sees only this run. */
async function isolated() {
  const [home, config] = [join(root, 'home'), join(root, 'config')];
  for (const path of [home, config]) await mkdir(path);
  return {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: root,
    CLAUDE_CONFIG_DIR: config,
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'sk-ant-api03-not-a-real-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
  };
}
