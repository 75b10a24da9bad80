// npm run do -- bench:fleet [--quick] [--write] [throughput|dispatch|takeover|connections|roundTrips|atOnce|warm|parked|growth|backlog|gitFiles …]: measures a fleet on the
// embedded PostgreSQL, with worker processes and scripted agents inside them: everything, or only the named figures. --write updates
// bench/fleet.json and docs/scaling.md; figures that were not measured stay. The machine should be idle.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startEmbedded } from '@coxswain/fleet';
import { ensurePostgres, POSTGRES_BINARIES } from '../scripts/fetch/postgres.mjs';
import { runFacts } from '../scripts/reliability/run-facts.mjs';
import { atOnce } from './fleet/at-once.mjs';
import { gitFiles } from './fleet/git.mjs';
import { backlog, growth } from './fleet/growth.mjs';
import { connections, roundTrips } from './fleet/network.mjs';
import { parked } from './fleet/parked.mjs';
import { dispatch, takeover, throughput } from './fleet/turns.mjs';
import { warm } from './fleet/warm.mjs';
import { between, markdown } from './report/page.mjs';

const MEASURES = {
  throughput,
  dispatch,
  takeover,
  connections,
  roundTrips,
  atOnce,
  warm,
  parked,
  growth,
  backlog,
  gitFiles,
};
const RESULTS = fileURLToPath(new URL('./fleet.json', import.meta.url));
const PAGE = fileURLToPath(new URL('../docs/scaling.md', import.meta.url));

/** @typedef {{ what: string, figure: string }} Row */

const given = process.argv.slice(2);
const quick = given.includes('--quick');
const only = given.filter((word) => !word.startsWith('-'));
const unknown = only.filter((name) => !(name in MEASURES));
if (unknown.length > 0) {
  console.error(`No such measurement: ${unknown}. Choose from ${Object.keys(MEASURES)}.`);
  process.exit(2);
}

ensurePostgres();
const directory = mkdtempSync(join(tmpdir(), 'coxswain-bench-'));
chmodSync(directory, 0o755);
const server = await startEmbedded({ directory, binaries: POSTGRES_BINARIES });
/** @type {Record<string, object>} */
const results = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {};
console.log(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`);
try {
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const load = loadavg()[0] ?? 0;
    const from = performance.now();
    const rows = await measure({ database: server.url, directory, quick });
    for (const { what, figure } of rows) console.log(`${what.padEnd(62)} ${figure}`);
    console.log(`${''.padEnd(62)} (${name}: ${((performance.now() - from) / 1000).toFixed(0)} s)`);
    results[name] = { ...runFacts(), node: process.version, load: Number(load.toFixed(1)), rows };
  }
} finally {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
}
if (given.includes('--write')) {
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(PAGE, between(readFileSync(PAGE, 'utf8'), 'bench', page()));
  console.log('Wrote bench/fleet.json and the measured part of docs/scaling.md.');
}

function page() {
  /** @type {{ rows: Row[], date: string, machine: string, node: string, commit: string, load: number }[]} */
  const sections = Object.keys(MEASURES).flatMap((name) => results[name] ?? []);
  /** @param {(typeof sections)[number]} section */
  const factsOf = ({ date, machine, node, commit }) =>
    `Measured on ${date.slice(0, 10)}, ${machine}, Node ${node}, commit ${commit}:`;
  return [...new Set(sections.map(factsOf))]
    .flatMap((facts) => {
      const same = sections.filter((section) => factsOf(section) === facts);
      const rows = same.flatMap(({ rows, load }) => rows.map(({ what, figure }) => [what, figure, String(load)]));
      return [facts, markdown([['what', 'figure', 'load average before'], ...rows])];
    })
    .join('\n\n');
}
