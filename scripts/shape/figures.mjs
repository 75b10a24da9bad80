// Figures from the sources of a checkout, without running them.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { cyclesIn, filesBelow, importsBelow } from './imports.mjs';

/** The folders that run a CLI process; `supervise` became `restart`, and parts of `session` the first two. */
const MIDDLE = ['connection', 'conversation', 'session', 'query', 'raw', 'restart', 'supervise'];

/** Words for an ended state in the names of fields. */
const END = new Set(
  'over end ended ending close closed closing stop stopped stopping gone done finished dead died left exit exited abandoned failed failure state phase'.split(
    ' ',
  ),
);

/** @param {string} root */
export function countFigures(root) {
  const sources = sourcesBelow(join(root, 'packages/sdk/src'));
  const middle = new Map([...sources].filter(([path]) => isMiddle(path)));
  return {
    middle: sizeOf(middle),
    core: sizeOf(sources),
    shared: sizeOf(sourcesBelow(join(root, 'packages/shared/src'))),
    cycles: cyclesOf(root),
    names: namesOf(root),
    starts: placesOf(
      sources,
      (node) => ts.isCallExpression(node) && /\btransport\.start$/.test(node.expression.getText()),
    ),
    ends: placesOf(sources, (node) => ts.isCallExpression(node) && node.expression.getText() === 'endProcess'),
    ending: fieldsAboutTheEnd(middle),
  };
}

/**
 * @param {string} folder
 * @returns {ReadonlyMap<string, string>}
 */
function sourcesBelow(folder) {
  const files = existsSync(folder) ? filesBelow(folder) : [];
  return new Map(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

/** @param {string} path */
function isMiddle(path) {
  return MIDDLE.includes(path.split('/')[0] ?? '');
}

/** @param {ReadonlyMap<string, string>} sources */
function sizeOf(sources) {
  const lines = [...sources.values()].map((text) => text.split('\n').length - 1);
  return { files: sources.size, lines: lines.reduce((sum, each) => sum + each, 0) };
}

/** @param {string} root */
function cyclesOf(root) {
  const packages = readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'src')),
  );
  return Object.fromEntries(
    packages.map((name) => {
      const cycles = cyclesIn(importsBelow(join(root, 'packages', name, 'src'))).map(({ length }) => length);
      const files = cycles.reduce((sum, each) => sum + each, 0);
      return [name, { cycles: cycles.length, files, largest: Math.max(0, ...cycles) }];
    }),
  );
}

/**
 * The names of each entry of `coxswain`, and in all of them.
 * @param {string} root
 * @returns {Record<string, number>}
 */
function namesOf(root) {
  const script = fileURLToPath(new URL('../build/surface.mjs', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [script, '--json', '--root', root], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (!stdout) throw new Error(stderr);
  /** @type {{ entry: string, values: string[], types: string[] }[]} */
  const all = JSON.parse(stdout);
  const entries = all.filter(({ entry }) => /^coxswain(\/|$)/.test(entry));
  const counts = entries.map(({ entry, values, types }) => [entry, values.length + types.length]);
  return Object.fromEntries([...counts, ['all', counts.reduce((sum, [, count]) => sum + Number(count), 0)]]);
}

/**
 * The functions that contain a matching node, as `folder/file.ts Class`.
 * @param {ReadonlyMap<string, string>} sources
 * @param {(node: ts.Node) => boolean} matches
 */
function placesOf(sources, matches) {
  /** @type {Set<string>} */
  const places = new Set();
  for (const [path, text] of sources) {
    walk(parsed(path, text), (node) => {
      if (!matches(node)) return;
      const owner = ts.findAncestor(node, ts.isClassLike) ?? ts.findAncestor(node, ts.isFunctionDeclaration);
      places.add(`${path} ${owner?.name?.getText() ?? ''}`);
    });
  }
  return [...places];
}

/**
 * Fields of classes that can change, and whose name contains a word for the end. A field of an unrelated type
 * (a number, a map) is left out.
 * @param {ReadonlyMap<string, string>} sources
 */
function fieldsAboutTheEnd(sources) {
  /** @type {string[]} */
  const fields = [];
  for (const [path, text] of sources) {
    walk(parsed(path, text), (node) => {
      if (!ts.isPropertyDeclaration(node) || !ts.isClassLike(node.parent)) return;
      if (node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword)) return;
      const name = node.name.getText();
      const words = name.replace('#', '').split(/(?=[A-Z])/);
      const type = `${node.type?.getText() ?? ''} ${node.initializer?.getText() ?? ''}`;
      if (!words.some((word) => END.has(word.toLowerCase())) || /\bMap\b|=>|^ -?\d/.test(type)) return;
      fields.push(`${path} ${node.parent.name?.getText() ?? ''}.${name}`);
    });
  }
  return fields;
}

/**
 * @param {string} path
 * @param {string} text
 */
function parsed(path, text) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/**
 * @param {ts.Node} node
 * @param {(node: ts.Node) => void} visit
 */
function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}
