// npm run do -- bench:profile [hooks]: where the time goes in the scenarios that have a limit against bare Node, by the CPU
// profiles of whole processes: all of them, or the named ones. A run of all updates docs/performance.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runHost } from './host.mjs';
import { KINDS } from './profile/kinds.mjs';
import { readProfiles } from './profile/read.mjs';
import { between, markdown } from './report/page.mjs';

const PAGE = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
const RUNS = 8;

/** Each with its contenders: their names, and the host that plays them. */
const SCENARIOS = {
  throughput: {
    title: 'Ten times 100,000 messages of 1 KB',
    contenders: { bare: 'bare Node', query: 'Coxswain query()', session: 'Coxswain session' },
    host: (contender) => ['throughput', [contender, 100_000, 1_024, 10]],
  },
  hooks: {
    title: '5,000 sequential hooks on one core, as a whole process',
    oneCore: true,
    contenders: { bare: 'bare Node', query: 'Coxswain query()', session: 'Coxswain session' },
    host: (contender) => ['one-run', [contender === 'bare' ? 'bare-session' : contender, 'hooks', 5_000]],
  },
  'parallel-200': {
    title: '200 sessions side by side, 500 messages each',
    contenders: { bare: 'bare Node', coxswain: 'Coxswain session' },
    host: (contender) => ['parallel', [contender, 200, 500]],
  },
  'parallel-1000': {
    title: '1,000 sessions side by side, 200 messages each',
    contenders: { bare: 'bare Node', coxswain: 'Coxswain session' },
    host: (contender) => ['parallel', [contender, 1_000, 200]],
  },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in SCENARIOS));
if (unknown.length > 0) throw new Error(`No such scenario: ${unknown}. Choose from ${Object.keys(SCENARIOS)}.`);
const tables = [];
for (const [name, scenario] of Object.entries(SCENARIOS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const table = tableOf(scenario, await profile(scenario));
  console.log(`\n${table}`);
  tables.push(table);
}
if (wanted.length === 0) {
  const page = readFileSync(PAGE, 'utf8');
  const how = `Means of ${RUNS} processes each, Node ${process.versions.node}, in milliseconds; the profiler itself takes part of it.`;
  writeFileSync(PAGE, between(page, 'profile', [how, ...tables].join('\n\n')));
}

/** The time per kind of each contender. */
async function profile({ contenders, host, oneCore }) {
  const folders = new Map(Object.keys(contenders).map((name) => [name, mkdtempSync(join(tmpdir(), 'cox-profile-'))]));
  try {
    for (let run = 0; run < RUNS; run++) {
      for (const [contender, folder] of folders) {
        const [file, args] = host(contender);
        const execArgv = ['--expose-gc', '--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', folder];
        await runHost(file, args, { execArgv, oneCore });
      }
    }
    return Object.fromEntries([...folders].map(([contender, folder]) => [contender, readProfiles(folder)]));
  } finally {
    for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true });
  }
}

function tableOf({ title, contenders }, spent) {
  const names = Object.keys(contenders);
  const row = (what, of) => {
    const [bare, ...others] = names.map((name) => of(spent[name]));
    const beyond = others.map((ms) => (ms - bare > 0 ? '+' : '') + (ms - bare).toFixed(0));
    return [what, bare.toFixed(0), ...others.flatMap((ms, index) => [ms.toFixed(0), beyond[index]])];
  };
  const head = ['', contenders.bare, ...names.slice(1).flatMap((name) => [contenders[name], 'beyond bare'])];
  const rows = Object.entries(KINDS).map(([kind, words]) => row(words, (ms) => ms[kind]));
  const all = row('all', (ms) => Object.values(ms).reduce((sum, part) => sum + part, 0));
  return `### ${title}\n\n${markdown([head, ...rows, all])}`;
}
