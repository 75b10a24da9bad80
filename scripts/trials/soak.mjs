// npm run do -- soak: 1,000 queries and 300 sessions on the scripted CLI, 60 and 40 on the real one, and a check for leftovers.
// npm run do -- soak --minutes 30 [--seed 1]: mixed load with random kills instead. Fails on growth, and on any untyped error.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { scriptedCli } from '@coxswain/testkit';
import { isolatedHome } from '../../conformance/harness/isolated-home.ts';
import { processesOf, processesUnder } from '../../conformance/harness/processes.ts';
import { mixedLoad } from '../../packages/sdk/test/soak/mixed.ts';
import { repeat } from '../../packages/sdk/test/soak/repeat.ts';
import { oneQuery, oneSession, realQuery, realSession, soakScript } from '../../packages/sdk/test/soak/runs.ts';
import { fetchCli, releases } from '../fetch/cli.mjs';
import { runFacts } from '../reliability/run-facts.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RESULTS = join(ROOT, '.cache/reliability/soak.json');
const API = fileURLToPath(new URL('../../packages/sdk/test/soak/api-process.ts', import.meta.url));

const { values } = parseArgs({
  options: {
    queries: { type: 'string', default: '1000' },
    sessions: { type: 'string', default: '300' },
    'real-queries': { type: 'string', default: '60' },
    'real-sessions': { type: 'string', default: '40' },
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

// A run that is ending does not keep its host alive, and at some moments nothing else does.
const hold = setInterval(() => {}, 2 ** 30);
if (values.minutes === undefined) await counted();
else await mixed(Number(values.minutes), Number(values.seed));
clearInterval(hold);

async function counted() {
  const cli = await scriptedCli(soakScript());
  const options = { cli: cli.path };
  show(await repeat('queries', Number(values.queries), (number) => oneQuery(options, number)));
  show(await repeat('sessions', Number(values.sessions), (number) => oneSession(options, number)));
  await cli[Symbol.asyncDispose]();
  const queries = Number(values['real-queries']);
  const sessions = Number(values['real-sessions']);
  if (queries + sessions > 0) await countedOnRealCli(queries, sessions);
}

/**
 * @param {number} queries
 * @param {number} sessions
 */
async function countedOnRealCli(queries, sessions) {
  const { pinned } = releases();
  const cli = await fetchCli(pinned);
  const api = await apiProcess();
  const home = await isolatedHome(api.url);
  const options = { cli, cwd: home.project, inheritEnv: false, env: home.env(), allowedTools: ['Bash'] };
  const named = (/** @type {string} */ what) => `${what} on ${pinned}`;
  const known = processesUnder(process.pid).length; // The fake API and its parents.
  show(await repeat(named('queries'), queries, () => realQuery(options), { warmUp: 3, known }));
  show(await repeat(named('sessions'), sessions, () => realSession(options), { warmUp: 2, known }));
  const left = processesOf(home.root);
  if (left.length > 0) fail(`left behind: ${left.map(({ command }) => command).join('; ')}`);
  await api.close();
  await home[Symbol.asyncDispose]();
}

/**
 * @param {number} minutes
 * @param {number} seed
 */
async function mixed(minutes, seed) {
  const cli = await scriptedCli(soakScript());
  const course = await mixedLoad({ cli: cli.path }, { ms: minutes * 60_000, seed });
  await cli[Symbol.asyncDispose]();
  const { ms, operations, kills, outcomes, problems } = course;
  console.log(`${operations} operations in ${seconds(ms)} with ${kills} kills, seed ${seed}`);
  for (const [name, ends] of Object.entries(outcomes)) {
    console.log(
      `  ${name}: ${Object.entries(ends)
        .map(([end, count]) => `${end} ${count}`)
        .join(', ')}`,
    );
  }
  for (const problem of problems) fail(problem);
  save('mixed', { ...course, ...runFacts() });
}

/** @param {import('../../packages/sdk/test/soak/repeat.ts').Course} course */
function show(course) {
  const { name, count, ms, before, after, heap, heapPerRun, problems } = course;
  const line = (/** @type {string} */ what, /** @type {number | string} */ from, /** @type {number | string} */ to) =>
    console.log(`  ${what.padEnd(16)} ${String(from).padStart(8)} → ${String(to).padStart(8)}`);
  const sum = (/** @type {Readonly<Record<string, number>>} */ counts) =>
    Object.values(counts).reduce((a, b) => a + b, 0);
  console.log(`${count} ${name} in ${seconds(ms)}`);
  line('processes', before.processes, after.processes);
  line('handles', sum(before.resources), sum(after.resources));
  line('listeners', sum(before.listeners), sum(after.listeners));
  line('descriptors', before.descriptors, after.descriptors);
  line('temporary files', before.tempFiles, after.tempFiles);
  line('heap (MB)', megabytes(before.heapBytes), megabytes(heap.at(-1) ?? 0));
  console.log(`  heap per run, second half: ${Math.round(heapPerRun)} bytes`);
  for (const problem of problems) fail(problem);
  save(name, { ...course, ...runFacts() });
}

/** The fake API in a separate process: its own memory must not count as growth. */
async function apiProcess() {
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), API], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const step = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (step.done) throw new Error('The fake API did not start.');
  return {
    url: step.value,
    close: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.stdin.end();
      }),
  };
}

/**
 * @param {string} name
 * @param {object} result
 */
function save(name, result) {
  const all = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {};
  all[name] = result;
  mkdirSync(dirname(RESULTS), { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify(all, null, 2)}\n`);
}

/** @param {string} problem */
function fail(problem) {
  console.log(`  ✗ ${problem}`);
  process.exitCode = 1;
}

/** @param {number} ms */
function seconds(ms) {
  return `${Math.round(ms / 1000)} s`;
}

/** @param {number} bytes */
function megabytes(bytes) {
  return (bytes / 1e6).toFixed(2);
}
