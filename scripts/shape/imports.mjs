// The import graph of a folder, type imports counted.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** @typedef {ReadonlyMap<string, readonly string[]>} Imports the files that each file imports */

/**
 * The TypeScript files below a folder, with `/` in their names.
 * @param {string} folder
 */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path))
    .sort();
}

/**
 * @param {string} folder
 * @returns {Imports}
 */
export function importsBelow(folder) {
  const files = filesBelow(folder);
  const known = new Set(files);
  return new Map(
    files.map((path) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(folder, path), 'utf8'));
      const targets = importedFiles.map(({ fileName }) => posix.join(posix.dirname(path), fileName));
      return [path, targets.filter((target) => known.has(target))];
    }),
  );
}

/**
 * The strongly connected components with more than one file: those that reach each other.
 * @param {Imports} imports
 * @returns {string[][]}
 */
export function cyclesIn(imports) {
  const reached = new Map([...imports.keys()].map((path) => [path, reachable(path, imports)]));
  /** @type {Map<string, string[]>} */
  const cycles = new Map();
  for (const [path, targets] of reached) {
    if (!targets.has(path)) continue;
    const members = [...targets].filter((target) => reached.get(target)?.has(path)).sort();
    cycles.set(members.join(' '), members);
  }
  return [...cycles.values()];
}

/**
 * @param {string} start
 * @param {Imports} imports
 * @returns {ReadonlySet<string>}
 */
function reachable(start, imports) {
  /** @type {Set<string>} */
  const found = new Set();
  const open = [...(imports.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(imports.get(next) ?? []));
  }
  return found;
}
