// npm run do -- mutants [--count 200] [--seed 1] [--only packages/fleet/src]: changes one expression at a time in core, fleet and
// inspector server, runs the unit tests of its folder, then all that import the file, and lists what no test noticed.
// A second call with the same seed continues where the first one stopped. Exits with 1 if fewer than 98 % were noticed.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { seeded } from '../fuzz/random.mjs';
import { EQUIVALENT } from './equivalent.mjs';
import { mutationsOf } from './sites.mjs';
import { Trial } from './trial.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['packages/sdk/src', 'packages/fleet/src', 'packages/inspector/src'];

/** These are tested in a browser. */
const IN_BROWSER = 'packages/inspector/src/page/';

const SHARE_NOTICED = 0.98;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: FOLDERS },
  },
});
const mutants = chosen(Number(values.count), Number(values.seed), values.only);
const folder = join(ROOT, '.cache/mutants');
mkdirSync(folder, { recursive: true });
const results = join(folder, `seed-${values.seed}.json`);
/** @type {Record<string, import('./trial.mjs').Outcome>} */
const outcomes = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : {};

const trial = new Trial(copyOfRepository(join(folder, `copy-${process.pid}`)));
try {
  for (const [nth, mutant] of mutants.entries()) {
    const name = nameOf(mutant);
    outcomes[name] ??= await trial.run(mutant);
    writeFileSync(results, JSON.stringify(outcomes, null, 1));
    console.log(`${nth + 1}/${mutants.length} ${outcomes[name].padEnd(8)} ${name}`);
  }
} finally {
  trial.remove();
}
report();

/**
 * Some of all possible mutants, the same ones for the same seed and sources.
 * @param {number} count
 * @param {number} seed
 * @param {readonly string[]} folders
 */
function chosen(count, seed, folders) {
  const files = folders
    .flatMap((dir) =>
      readdirSync(join(ROOT, dir), { recursive: true, encoding: 'utf8' }).map((name) => `${dir}/${name}`),
    )
    .filter((file) => file.endsWith('.ts') && !file.startsWith(IN_BROWSER))
    .sort();
  const all = files.flatMap((file) =>
    mutationsOf(readFileSync(join(ROOT, file), 'utf8')).map((mutation) => ({ ...mutation, file })),
  );
  const random = seeded(seed);
  return Array.from({ length: Math.min(count, all.length) }, () => all.splice(random.below(all.length), 1)).flat();
}

/** What is in Git and the built packages; the rest is shared. @param {string} copy */
function copyOfRepository(copy) {
  const shared = ['node_modules', '.cache', '.git'];
  const isCopied = (/** @type {string} */ path) => !shared.includes(basename(path));
  mkdirSync(copy);
  for (const entry of readdirSync(ROOT))
    if (isCopied(entry)) cpSync(join(ROOT, entry), join(copy, entry), { recursive: true, filter: isCopied });
  for (const name of shared) symlinkSync(join(ROOT, name), join(copy, name));
  return copy;
}

/** The line as it is in the source, so that the name of a mutant does not change with the lines above it. @param {import('./trial.mjs').Mutant} mutant */
function nameOf({ file, line, start, end, kind, text }) {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return `${file}: ${source.split('\n')[line - 1]?.trim()} [${kind}: ${source.slice(start, end)} → ${text}]`;
}

function report() {
  const names = mutants.map(nameOf);
  const survivors = names.filter((name) => outcomes[name] === 'survived');
  const equivalent = survivors.filter((name) => EQUIVALENT.has(name));
  const unnoticed = survivors.filter((name) => !EQUIVALENT.has(name));
  const real = names.length - equivalent.length;
  const inFolder = names.filter((name) => outcomes[name] === 'folder').length;
  const share = (real - unnoticed.length) / real;
  for (const name of equivalent) console.log(`\nchanges nothing: ${name}\n  ${EQUIVALENT.get(name)}`);
  for (const name of unnoticed) console.log(`\nnot noticed: ${name}`);
  console.log(
    `\n${names.length} mutants (seed ${values.seed}), ${equivalent.length} change nothing; of ${real}, the tests of the folder notice ${inFolder}, ` +
      `all unit tests ${real - unnoticed.length} (${(share * 100).toFixed(1)} %).`,
  );
  process.exitCode = share < SHARE_NOTICED ? 1 : 0;
}
