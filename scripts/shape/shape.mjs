// npm run do -- shape prints the shape of the core in figures: sizes, import cycles, public names, and the calls of six ways through it,
// beside those of the commit before "one connection".
//   --root <path>   measures another checkout
//   --json          prints the figures as JSON (scripts/shape/before.json is one)
//   --trace <way>   lists the functions of one way: those on its path, then all that ran
//   --write         writes the table into docs/architecture-figures.md, and the pictures into docs/images
//   --check         fails if the pictures are out of date
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { countFigures } from './figures.mjs';
import { pictures } from './pictures.mjs';
import { report } from './report.mjs';
import { coreTraces, countsOf, pageTrace } from './traced.mjs';

const HERE = fileURLToPath(new URL('../..', import.meta.url));
const { values: asked } = parseArgs({
  options: {
    root: { type: 'string', default: HERE },
    trace: { type: 'string' },
    json: { type: 'boolean' },
    write: { type: 'boolean' },
    check: { type: 'boolean' },
  },
});
const root = resolve(asked.root);
const traces = coreTraces(root);

if (asked.trace !== undefined) list(asked.trace);
else if (asked.check) check();
else if (asked.json) console.log(JSON.stringify(measured(), undefined, 2));
else if (asked.write) write();
else console.log(report(before(), measured()));

/** @returns {import('./report.mjs').Shape} */
function measured() {
  const commit = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim();
  const ways = Object.entries(traces.six).map(([name, recording]) => [name, countsOf(recording)]);
  return { commit, ...countFigures(root), ways: Object.fromEntries(ways) };
}

/** @returns {import('./report.mjs').Shape} */
function before() {
  return JSON.parse(readFileSync(new URL('./before.json', import.meta.url), 'utf8'));
}

/** @param {string} name a part of it is enough */
function list(name) {
  const [way, recording] = Object.entries(traces.six).find(([each]) => each.includes(name)) ?? [];
  if (!recording) throw new Error(`There is no way named ${name}: ${Object.keys(traces.six).join(', ')}`);
  console.log(`${way}: the path\n  ${recording.path.join('\n  ')}\n\nall functions that ran`);
  for (const { place, from = 'a promise, a timer or the caller' } of recording.calls)
    console.log(`  ${place} ← ${from}`);
}

function write() {
  for (const [path, drawing] of Object.entries(drawn())) writeFileSync(join(HERE, path), drawing);
  const page = join(HERE, 'docs/architecture-figures.md');
  const text = readFileSync(page, 'utf8');
  const [begin, end] = ['<!-- Made by npm run do -- shape --write. -->', '<!-- End of the figures. -->'];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new Error(`docs/architecture-figures.md needs the lines ${begin} and ${end}`);
  writeFileSync(page, `${text.slice(0, from)}${begin}\n\n${report(before(), measured())}\n\n${text.slice(to)}`);
}

function check() {
  for (const [path, drawing] of Object.entries(drawn())) {
    if (readFileSync(join(HERE, path), 'utf8') === drawing) continue;
    console.error(`${path} is out of date: run npm run do -- shape --write.`);
    process.exitCode = 1;
  }
}

function drawn() {
  return pictures(HERE, traces.five, pageTrace(HERE));
}
