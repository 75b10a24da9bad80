// npm run do -- reliability [--run faults,host-death,host-death-real,fuzz]: the measured part of docs/reliability.md. The parts
// named are run first; soak, walk, runtimes and bench:faults have their own commands. The results of the last runs in
// .cache/reliability are merged into docs/reliability.json; the page is rendered from that file and bench/faults.json alone.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { faultGroups, hostDeathCells, realDeaths, soakCourses, soakMixture } from './read.mjs';
import { renderMeasured } from './render.mjs';
import { runFacts } from './run-facts.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RESULTS = join(ROOT, '.cache/reliability');
const DATA = join(ROOT, 'docs/reliability.json');
const PAGE = join(ROOT, 'docs/reliability.md');
const BESIDE = join(ROOT, 'bench/faults.json');
const BEGIN =
  '<!-- measured: begin. Made by `npm run do -- reliability` from docs/reliability.json; do not edit by hand. -->';
const END = '<!-- measured: end -->';

/** @type {Readonly<Record<string, () => object>>} */
const PARTS = {
  faults: () => ({ groups: faultGroups(vitest('unit', 'packages/sdk/test/faults')) }),
  'host-death': () => ({
    cells: hostDeathCells(vitest('unit', 'packages/sdk/test/process/host-death-matrix.test.ts')),
  }),
  'host-death-real': () => ({ deaths: realDeaths(vitest('real', 'host-death.test.ts')) }),
  fuzz: () => fuzzed(),
};

const { values } = parseArgs({ options: { run: { type: 'string' } } });
mkdirSync(RESULTS, { recursive: true });
for (const name of values.run?.split(',') ?? []) {
  const run = PARTS[name];
  if (run === undefined) {
    console.error(`No such part: ${name}. Choose from ${Object.keys(PARTS).join(', ')}.`);
    process.exit(2);
  }
  const result = { ...run(), ...runFacts() };
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

const data = existsSync(DATA) ? JSON.parse(readFileSync(DATA, 'utf8')) : {};
for (const name of Object.keys(PARTS)) data[name] = latest(name) ?? data[name];
const soak = latest('soak');
if (soak) {
  data.soak = soakCourses(soak);
  data.mixed = soakMixture(soak) ?? data.mixed;
}
data.runtimes = latest('runtimes') ?? data.runtimes;
data.walk = latest('walk') ?? data.walk;
writeFileSync(DATA, `${JSON.stringify(data, null, 2)}\n`);
// In the format of `npm run format`.
spawnSync(process.execPath, ['scripts/fetch/tool.mjs', 'biome', 'format', '--write', DATA], {
  cwd: ROOT,
  stdio: 'ignore',
});
const beside = existsSync(BESIDE) ? JSON.parse(readFileSync(BESIDE, 'utf8')) : undefined;
writeFileSync(PAGE, withMeasured(readFileSync(PAGE, 'utf8'), renderMeasured({ ...data, beside })));
console.log(`Wrote docs/reliability.json and the measured part of docs/reliability.md.`);

/**
 * The result of the last run of a part.
 * @param {string} name
 */
function latest(name) {
  const path = join(RESULTS, `${name}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/**
 * The page with its measured part replaced; a new part is inserted before the last heading.
 * @param {string} page
 * @param {string} measured
 */
function withMeasured(page, measured) {
  const part = `${BEGIN}\n\n${measured}\n\n${END}`;
  const begin = page.indexOf('<!-- measured: begin');
  if (begin === -1) {
    const last = page.lastIndexOf('\n## ');
    return `${page.slice(0, last)}\n${part}\n${page.slice(last)}`;
  }
  return `${page.slice(0, begin)}${part}${page.slice(page.indexOf(END) + END.length)}`;
}

/**
 * Runs tests and returns vitest's report.
 * @param {'unit' | 'real'} project
 * @param {string} filter
 * @returns {import('./read.mjs').VitestReport}
 */
function vitest(project, filter) {
  const output = join(RESULTS, 'vitest.json');
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, filter];
  const done = spawnSync(
    process.execPath,
    [...args, '--reporter=default', '--reporter=json', `--outputFile.json=${output}`],
    {
      cwd: ROOT,
      // The page includes every release.
      env: { ...process.env, COXSWAIN_LONG: '1' },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  if (done.status !== 0) process.exitCode = 1;
  return JSON.parse(readFileSync(output, 'utf8'));
}

/** Adds one run to the earlier ones, because each seed tests other frames. */
function fuzzed() {
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), 'scripts/fuzz/fuzz.mjs'],
    {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (status !== 0) process.exitCode = 1;
  const before = latest('fuzz')?.runs ?? [];
  return { runs: [...before, JSON.parse(stdout)] };
}
