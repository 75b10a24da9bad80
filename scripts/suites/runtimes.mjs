// npm run do -- test:runtimes [--only 22,bun] [--suite unit,smoke]: the whole suite (unit, and real on the real CLI) on each line
// of Node, and the smoke suite (scripts/smoke) on each line of Node, on Bun and on Deno. Runtimes come from npm into
// .cache/runtimes on first use.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureRuntime, RUNTIMES_FOLDER } from '../fetch/runtime.mjs';
import { runFacts } from '../reliability/run-facts.mjs';

/**
 * @typedef {{ name: string, package: 'node' | 'bun' | 'deno', range: string, suites: readonly Suite[] }} Runtime
 * @typedef {'unit' | 'real' | 'smoke'} Suite
 * @typedef {{ passed: number, failed: number, skipped: number, ms: number, failures: string[] }} SuiteReport
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RESULTS = join(ROOT, '.cache/reliability/runtimes.json');
const LONGEST_MS = 40 * 60_000;

/** @type {readonly Runtime[]} */
const RUNTIMES = [
  { name: 'node-20', package: 'node', range: '20.20', suites: ['unit', 'real', 'smoke'] },
  { name: 'node-22', package: 'node', range: '22', suites: ['unit', 'real', 'smoke'] },
  { name: 'node-24', package: 'node', range: '24', suites: ['unit', 'real', 'smoke'] },
  { name: 'node-26', package: 'node', range: '26', suites: ['unit', 'real', 'smoke'] },
  { name: 'bun', package: 'bun', range: '1', suites: ['smoke'] },
  { name: 'deno', package: 'deno', range: '2', suites: ['smoke'] },
];

const { values } = parseArgs({ options: { only: { type: 'string' }, suite: { type: 'string' } } });
const wanted = values.only?.split(',').map((name) => name.trim());
const wantedSuites = values.suite?.split(',').map((name) => name.trim());
const chosen = RUNTIMES.filter(({ name }) => wanted === undefined || wanted.includes(name.replace('node-', '')));
if (chosen.length === 0) {
  console.error(
    `No such runtime: ${values.only}. Choose from ${RUNTIMES.map(({ name }) => name.replace('node-', '')).join(', ')}.`,
  );
  process.exit(2);
}
for (const runtime of chosen) {
  const suites = runtime.suites.filter((suite) => wantedSuites === undefined || wantedSuites.includes(suite));
  report(runtime, suites);
}

/**
 * @param {Runtime} runtime
 * @param {readonly Suite[]} suites
 */
function report(runtime, suites) {
  const binary = ensureRuntime(runtime.package, runtime.range);
  if (binary === undefined) {
    console.log(`${runtime.name}: ${runtime.package}@${runtime.range} is not available from npm; not run`);
    save(runtime.name, {
      version: null,
      unavailable: `${runtime.package}@${runtime.range} could not be installed from npm`,
    });
    process.exitCode = 1;
    return;
  }
  const version = versionOf(binary);
  for (const suite of suites) {
    const result = suite === 'smoke' ? smokeSuite(binary, runtime) : vitestSuite(binary, runtime, suite);
    const { passed, failed, skipped, ms, failures } = result;
    console.log(
      `${runtime.name} ${version}, ${suite}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${Math.round(ms / 1000)} s`,
    );
    for (const failure of failures) console.log(`  ✗ ${failure}`);
    if (failed > 0 || passed === 0) process.exitCode = 1;
    save(runtime.name, { version, [suite]: { ...result, ...runFacts() } });
  }
}

/** @param {string} binary */
function versionOf(binary) {
  const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? 'unknown';
}

/**
 * Runs a project of vitest.config.ts. The hosts and CLIs that tests start run on the same Node.
 * @param {string} binary
 * @param {Runtime} runtime
 * @param {'unit' | 'real'} project
 * @returns {SuiteReport}
 */
function vitestSuite(binary, { name }, project) {
  const output = join(RUNTIMES_FOLDER, `${name}-${project}.json`);
  rmSync(output, { force: true });
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    `${project}*`,
    '--reporter=json',
    `--outputFile.json=${output}`,
  ];
  const from = performance.now();
  spawnSync(binary, args, {
    cwd: ROOT,
    env: withFirst(binary),
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: LONGEST_MS,
  });
  const ms = performance.now() - from;
  if (!existsSync(output)) return { passed: 0, failed: 1, skipped: 0, ms, failures: ['vitest wrote no report'] };
  /** @type {{ success: boolean, testResults: { name: string, status: string, message?: string, assertionResults: { status: string, fullName: string }[] }[] }} */
  const { testResults } = JSON.parse(readFileSync(output, 'utf8'));
  const tests = testResults.flatMap((file) => file.assertionResults);
  const failures = testResults.flatMap((file) => {
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    const where = file.name.slice(ROOT.length);
    if (file.status === 'failed' && failed.length === 0) return [`${where}: ${file.message?.split('\n')[0]}`];
    return failed.map((test) => `${where}: ${test.fullName}`);
  });
  const passed = tests.filter((test) => test.status === 'passed').length;
  const skipped = tests.filter((test) => test.status !== 'passed' && test.status !== 'failed').length;
  return { passed, failed: failures.length, skipped, ms, failures };
}

/**
 * @param {string} binary
 * @param {Runtime} runtime
 * @returns {SuiteReport}
 */
function smokeSuite(binary, runtime) {
  const flags = runtime.package === 'deno' ? ['run', '-A'] : [];
  const from = performance.now();
  const done = spawnSync(binary, [...flags, 'scripts/smoke/smoke.mjs'], {
    cwd: ROOT,
    env: { ...withFirst(binary), SMOKE_NODE: process.execPath },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 300_000,
  });
  const ms = performance.now() - from;
  /** @type {{ name: string, passed: boolean, error?: string }[]} */
  const scenarios = done.stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const failures = scenarios.filter(({ passed }) => !passed).map(({ name, error }) => `${name}: ${error}`);
  if (done.status !== 0 && failures.length === 0) failures.push(`the suite ended with ${done.signal ?? done.status}`);
  return { passed: scenarios.length - failures.length, failed: failures.length, skipped: 0, ms, failures };
}

/**
 * An environment with this runtime first on PATH.
 * @param {string} binary
 */
function withFirst(binary) {
  return { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` };
}

/**
 * @param {string} name
 * @param {object} result
 */
function save(name, result) {
  const all = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {};
  all[name] = { ...all[name], ...result };
  mkdirSync(dirname(RESULTS), { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify(all, null, 2)}\n`);
}
