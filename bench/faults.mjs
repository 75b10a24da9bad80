// npm run do -- bench:faults [--on drop-in,official framing exit-1-mid-turn]: the fault battery of packages/sdk/test/faults on
// Coxswain, on the closed official SDK and on the drop-in, or on some of them, each run in a fresh host. All of it, or the named
// groups and scenarios. Only a whole run on all is saved.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BUNDLE, bundleBattery } from './faults/bundle.mjs';
import { LEFT_OUT } from './faults/left-out.mjs';
import { BOUND_MS, MOST_BYTES, runFault } from './faults/run.mjs';
import { KINDS, verdict } from './faults/verdict.mjs';
import { OFFICIAL_VERSION, officialEntry } from './peer.mjs';
import { aboutMachine } from './report/machine.mjs';

const RESULTS = fileURLToPath(new URL('./faults.json', import.meta.url));
const ALL = ['coxswain', 'official', 'drop-in'];

if (process.platform !== 'linux') throw new Error('The processes and the memory of a host are read from /proc');
await bundleBattery();
const { scenarios } = await import(BUNDLE.href);
const { values, positionals: wanted } = parseArgs({ options: { on: { type: 'string' } }, allowPositionals: true });
const CONTENDERS = values.on?.split(',') ?? ALL;
if (CONTENDERS.some((name) => !ALL.includes(name))) throw new Error(`--on takes ${ALL.join(', ')}`);
const names = new Set(scenarios.flatMap(({ id, group }) => [id, group]));
const unknown = wanted.filter((name) => !names.has(name));
if (unknown.length > 0) throw new Error(`No such group or scenario: ${unknown.join(', ')}`);
const chosen = scenarios.filter(
  ({ id, group }) => wanted.length === 0 || wanted.includes(id) || wanted.includes(group),
);
if (CONTENDERS.includes('official') && !officialEntry()) throw new Error('The official SDK could not be installed');
const machine = aboutMachine();
const began = performance.now();
const runs = [];
for (const scenario of chosen) {
  if (scenario.id in LEFT_OUT) continue;
  for (const entry of ['query', 'session']) if (scenario[entry]) runs.push(await runBoth(scenario, entry));
}

const played = new Set(runs.map(({ id }) => id)).size;
console.log(`\n${played} of ${chosen.length} scenarios, ${runs.length} runs each, ${seconds(began)}`);
for (const [kind, words] of Object.entries(KINDS)) {
  const counts = CONTENDERS.map((contender) => runs.filter((run) => run[contender].kind === kind).length);
  console.log(`${counts.map((count) => String(count).padStart(4)).join('')}  ${words}`);
}
if (wanted.length > 0 || values.on) console.log('\nA partial run: nothing is saved.');
else {
  const left = scenarios.filter(({ id }) => id in LEFT_OUT).map(({ id }) => ({ id, why: LEFT_OUT[id] }));
  const facts = { ...machine, official: OFFICIAL_VERSION, boundMs: BOUND_MS, mostBytes: MOST_BYTES };
  const results = { ...facts, scenarios: scenarios.length, played, leftOut: left, kinds: KINDS, runs };
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`\nWritten: ${relative(process.cwd(), RESULTS)}; npm run do -- reliability renders it.`);
}

async function runBoth({ id, group, what, options, ...scenario }, entry) {
  const run = { id, group, entry, what, limited: hasOwnLimit(options) };
  for (const contender of CONTENDERS) {
    const seen = await runFault(contender, id, entry);
    const { ended, begun, peak } = seen;
    run[contender] = {
      ...verdict(seen, scenario[entry]),
      ms: ended && Math.round(ended.ms),
      memoryMB: Math.max(0, Math.round((peak - begun.memory) / 1e6)),
      left: ended ? Math.max(seen.after?.left ?? 0, seen.leftAfter) : 0,
      spills: ended?.error?.spills.length > 0,
      goesOn: ended?.goesOn,
      timed: ended?.timed,
      messages: ended?.messages,
    };
    console.log(`${id} ${entry} ${contender.padEnd(8)} ${run[contender].kind.padEnd(9)} ${run[contender].words}`);
  }
  return run;
}

/** True if Coxswain has a time limit here for which the official SDK has no option. */
function hasOwnLimit(options) {
  const limits = typeof options === 'object' ? options.limits : undefined;
  return limits?.startTimeoutMs !== undefined || limits?.controlTimeoutMs !== undefined;
}

function seconds(since) {
  return `${Math.round((performance.now() - since) / 1_000)} s`;
}
