// npm run do -- follow [--from 2.1.300] [--to 2.1.310] [--again <step>] [--fresh]: follows the newest release of the CLI and of the
// official SDK. Each step keeps its result in .cache/follow/, so a second call continues where the first one stopped.
// Exits with 0 if the release can be used or there is none, with 1 if a person must decide something.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { releases } from '../fetch/cli.mjs';
import { Journal } from './journal.mjs';
import { newestRelease } from './look.mjs';
import { movePins, releaseOf } from './pins.mjs';
import { reportOf } from './report.mjs';
import { STEPS } from './steps.mjs';
import { decisionsFor } from './verdict.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, '.cache/follow');
const CURRENT = join(CACHE, 'current.json');

/** The steps that change files of the repository. */
const WRITING = ['move', 'matrix', 'pages'];

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`follow: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 2;
}

async function main() {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      to: { type: 'string' },
      again: { type: 'string', multiple: true, default: [] },
      fresh: { type: 'boolean', default: false },
    },
  });
  const unknown = values.again.find((step) => !Object.hasOwn(STEPS, step));
  if (unknown !== undefined)
    throw new Error(`There is no step ${unknown}; the steps are ${Object.keys(STEPS).join(', ')}.`);
  if (values.fresh) rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });

  const { from, to } = chosen(values);
  if (from.cli === to.cli) {
    console.log(`${to.cli} is pinned, and no newer release is published.`);
    return 0;
  }
  const journal = new Journal(join(CACHE, `${from.cli}-to-${to.cli}`));
  // A checkout in which nothing has moved needs these steps again.
  const lost = releases().pinned === to.cli ? [] : WRITING;
  for (const step of [...values.again, ...lost]) journal.forget(step);
  console.log(`Following ${from.cli} → ${to.cli}`);
  /** @type {Record<string, any>} */
  const results = {};
  /** @type {Record<string, number>} */
  const seconds = {};
  for (const [step, run] of Object.entries(STEPS)) {
    const { result, time } = journal.read(step) ?? (await measured(step, run, { from, to, journal }));
    results[step] = result;
    seconds[step] = time;
  }
  // Each step has written its own kind of result.
  const all = /** @type {Parameters<typeof reportOf>[1]} */ (/** @type {unknown} */ (results));
  const decisions = decisionsFor(all);
  const report = reportOf({ from: from.cli, to: to.cli }, all, decisions, seconds);
  const file = join(journal.folder, 'report.md');
  writeFileSync(file, report);
  console.log(`\n${report}\nThe report is in ${file}; the logs are beside it.`);
  return decisions.length === 0 ? 0 : 1;
}

/**
 * The two releases: those of an unfinished call, otherwise from the pinned one to the newest.
 * @param {{ from?: string | undefined, to?: string | undefined }} wanted
 */
function chosen(wanted) {
  const { pinned } = releases();
  const current = existsSync(CURRENT) ? JSON.parse(readFileSync(CURRENT, 'utf8')) : undefined;
  const to = newestRelease(wanted.to);
  // Some numbers were never published, which is better known before the pins move.
  if (wanted.from !== undefined) newestRelease(wanted.from);
  // After the pins have moved, the older release is only in this file.
  const goesOn = current?.to === to && (wanted.from === undefined || wanted.from === current.from);
  const from = goesOn ? current.from : (wanted.from ?? pinned);
  if (!goesOn) {
    movePins(ROOT, releaseOf(pinned), releaseOf(from));
    writeFileSync(CURRENT, JSON.stringify({ from, to }));
  }
  return { from: releaseOf(from), to: releaseOf(to) };
}

/**
 * @param {string} step
 * @param {(followed: import('./steps.mjs').Followed) => Promise<unknown>} run
 * @param {Pick<import('./steps.mjs').Followed, 'from' | 'to' | 'journal'>} followed
 */
async function measured(step, run, { from, to, journal }) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1_000);
  const log = (/** @type {string} */ text) => console.log(`  ${step}: ${text}`);
  console.log(`${step} …`);
  const result = await run({ root: ROOT, cache: CACHE, from, to, journal, log });
  const done = { result, time: seconds() };
  journal.write(step, done);
  console.log(`${step}: ${done.time} s`);
  return done;
}
