// node scripts/build/surface.mjs prints how many names each entry point of each package exports, as the TypeScript compiler sees its
// source; `--names` lists them, and `--json` prints everything for a script that compares two states;
// `--root <path>` counts those of another checkout.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';

/** @typedef {{ readonly entry: string, readonly source: string }} Entry */
/** @typedef {{ readonly entry: string, readonly values: readonly string[], readonly types: readonly string[] }} Surface */

const { root } = parseArgs({
  options: { root: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) } },
  strict: false,
}).values;
const PACKAGES = resolve(String(root), 'packages');

const surfaces = surfacesOf(readdirSync(PACKAGES).flatMap((name) => entriesOf(join(PACKAGES, name))));
if (process.argv.includes('--json')) console.log(JSON.stringify(surfaces, undefined, 2));
else print(surfaces);

/**
 * The entry points of a package and the files they are built from. Two entries may share a source.
 * @param {string} folder
 * @returns {Entry[]}
 */
function entriesOf(folder) {
  if (!existsSync(join(folder, 'tsdown.config.ts'))) return [];
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const sources = builtFrom(readFileSync(join(folder, 'tsdown.config.ts'), 'utf8'));
  return Object.entries(manifest.exports ?? {}).flatMap(([path, target]) => {
    const output = /([\w-]+)\.d\.mts$/.exec(target.types ?? '')?.[1];
    const source = output && sources.get(output);
    return source ? [{ entry: manifest.name + path.slice(1), source: resolve(folder, source) }] : [];
  });
}

/**
 * The sources that a configuration of tsdown names, by the name of their output.
 * @param {string} configuration
 * @returns {Map<string, string>}
 */
function builtFrom(configuration) {
  const lists = configuration.matchAll(/\bentry: (?:\{([^}]*)\}|\[([^\]]*)\])/g);
  return new Map(
    [...lists].flatMap(([, named = '', unnamed = '']) => [
      ...[...named.matchAll(/['"]?([\w-]+)['"]?: ['"]([^'"]+)['"]/g)].map(([, name = '', path = '']) =>
        pair(name, path),
      ),
      ...[...unnamed.matchAll(/['"]([^'"]*?([\w-]+)\.ts)['"]/g)].map(([, path = '', name = '']) => pair(name, path)),
    ]),
  );
}

/**
 * @param {string} name
 * @param {string} path
 * @returns {[string, string]}
 */
function pair(name, path) {
  return [name, path];
}

/**
 * @param {readonly Entry[]} entries
 * @returns {Surface[]}
 */
function surfacesOf(entries) {
  const program = ts.createProgram(
    entries.map(({ source }) => source),
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, allowImportingTsExtensions: true, noEmit: true },
  );
  const checker = program.getTypeChecker();
  return entries.map(({ entry, source }) => {
    const file = program.getSourceFile(source);
    const module = file && checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${source} is not a module`);
    const exported = checker.getExportsOfModule(module);
    const names = (/** @type {boolean} */ value) =>
      exported
        .filter((symbol) => isValue(symbol, checker) === value)
        .map(({ name }) => name)
        .sort();
    return { entry, values: names(true), types: names(false) };
  });
}

/**
 * A type-only export of a class names its type without its value.
 * @param {ts.Symbol} symbol
 * @param {ts.TypeChecker} checker
 */
function isValue(symbol, checker) {
  const typeOnly = symbol.declarations?.some((declared) => ts.isTypeOnlyExportDeclaration(declared));
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return !typeOnly && (target.flags & ts.SymbolFlags.Value) !== 0;
}

/** @param {readonly Surface[]} all */
function print(all) {
  const withNames = process.argv.includes('--names');
  console.log('| entry | names | values | types |\n| --- | ---: | ---: | ---: |');
  for (const { entry, values, types } of all) {
    console.log(`| ${entry} | ${values.length + types.length} | ${values.length} | ${types.length} |`);
  }
  const core = all.filter(({ entry }) => /^coxswain(\/|$)/.test(entry));
  const listed = core.flatMap(({ values, types }) => [...values, ...types]);
  console.log(`\ncoxswain: ${listed.length} names in all its entries, ${new Set(listed).size} different ones`);
  if (withNames) {
    for (const { entry, values, types } of all) {
      console.log(`\n${entry}\n  values: ${values.join(' ')}\n  types: ${types.join(' ')}`);
    }
  }
}
