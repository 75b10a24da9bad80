// npm run do -- contract: the rules of docs/contract.md that no test names. With --all: which files name each rule.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The sections whose rules must all be named by a test. */
const IN_SCOPE = [...'WMCOQSHPTXREADKLGFIUVN'];

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The ids of all rules, in the order of the document.
 * @param {string} markdown
 * @returns {string[]}
 */
export function rulesIn(markdown) {
  return [...markdown.matchAll(/^- \*\*([A-Z]-\d+)\*\*/gm)].flatMap((match) => match[1] ?? []);
}

/**
 * The ids at the start of the titles of tests that run: `it('[Q-7, E-3] …')`.
 * @param {string} source
 * @returns {string[]}
 */
export function rulesNamedIn(source) {
  const titles = source.matchAll(/(?<!\.(?:skip|todo))\(\s*['"`]\[([A-Z]-\d+(?:, ?[A-Z]-\d+)*)\] /g);
  return [...titles].flatMap((match) => match[1]?.split(/, ?/) ?? []);
}

/**
 * Compares the rules with the files that name them.
 * @param {readonly string[]} rules
 * @param {ReadonlyMap<string, readonly string[]>} namedBy rule id → files
 * @param {readonly string[]} inScope
 */
export function compare(rules, namedBy, inScope = IN_SCOPE) {
  const wanted = rules.filter((rule) => inScope.includes(sectionOf(rule)));
  return {
    wanted,
    missing: wanted.filter((rule) => !namedBy.has(rule)),
    unknown: [...namedBy.keys()].filter((rule) => !rules.includes(rule)),
    later: [...new Set(rules.map(sectionOf))].filter((section) => !inScope.includes(section)),
  };
}

/** @param {string} rule */
function sectionOf(rule) {
  return rule.slice(0, rule.indexOf('-'));
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist' || entry.name.startsWith('.')) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return testFiles(path);
    return /\.(?:test|suite)\.ts$/.test(entry.name) ? [path] : [];
  });
}

function main() {
  const rules = rulesIn(readFileSync(join(ROOT, 'docs/contract.md'), 'utf8'));
  /** @type {Map<string, string[]>} */
  const namedBy = new Map();
  for (const file of testFiles(ROOT)) {
    for (const rule of new Set(rulesNamedIn(readFileSync(file, 'utf8')))) {
      namedBy.set(rule, [...(namedBy.get(rule) ?? []), relative(ROOT, file)]);
    }
  }

  const { wanted, missing, unknown, later } = compare(rules, namedBy);
  if (process.argv.includes('--all')) {
    for (const rule of rules) console.log(`${rule.padEnd(5)} ${namedBy.get(rule)?.join(' ') ?? '–'}`);
  }
  for (const rule of unknown)
    console.log(`${rule} is not in docs/contract.md; named by ${namedBy.get(rule)?.join(' ')}`);
  if (missing.length > 0) console.log(`no test names: ${missing.join(' ')}`);
  const named = wanted.length - missing.length;
  const outside = later.length > 0 ? `; not checked: ${later.join(', ')}` : '';
  console.log(`contract: ${named} rules named by tests, ${missing.length} missing${outside}`);
  if (missing.length > 0 || unknown.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
