// 5,000 sequential hook round trips, host and CLI pinned to one core: two cores would measure wake-ups, not code.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startSession } from 'coxswain';
import { bareSession } from './bare.mjs';
import { runScenario } from './interleave.mjs';
import { officialSdk } from './peer.mjs';
import { stubCli } from './stub.mjs';

const HOOKS = 5_000;

if (process.platform === 'linux' && process.env.BENCH_PINNED === undefined) {
  const self = fileURLToPath(import.meta.url);
  const { status } = spawnSync('taskset', ['-c', '0', process.execPath, ...process.execArgv, self], {
    stdio: 'inherit',
    env: { ...process.env, BENCH_PINNED: '1' },
  });
  process.exit(status ?? 1);
}

const stub = stubCli();
const env = { STUB_HOOKS: String(HOOKS) };
const official = await officialSdk();

await runScenario(`${HOOKS} sequential hooks on one core`, {
  bare: () => timed(async () => (await bareSession(stub, env)).hooks),
  'bare again (control)': () => timed(async () => (await bareSession(stub, env)).hooks),
  'coxswain session': () => timed(coxswain),
  ...(official && { 'official SDK': () => timed(peer) }),
});

async function coxswain() {
  let asked = 0;
  const hooks = { PreToolUse: () => void asked++ };
  const session = await startSession({ cli: stub, env, hooks, skipVersionCheck: true });
  await session.send('go').result();
  await session.stop();
  return asked;
}

async function peer() {
  let asked = 0;
  const hook = async () => {
    asked++;
    return {};
  };
  const options = {
    pathToClaudeCodeExecutable: stub,
    env: { ...process.env, ...env },
    hooks: { PreToolUse: [{ hooks: [hook] }] },
  };
  for await (const _ of official.query({ prompt: 'go', options }));
  return asked;
}

async function timed(run) {
  const start = performance.now();
  const asked = await run();
  if (asked !== HOOKS) throw new Error(`${asked} hooks instead of ${HOOKS}`);
  return performance.now() - start;
}
