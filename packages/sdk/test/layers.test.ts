import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** The layers, lowest first: a file imports from its own layer or below. */
const LAYERS: readonly (readonly string[])[] = [
  ['errors', 'warnings', 'limits', 'redact', 'redacted-data', 'clock', 'files'],
  ['wire'],
  ['options', 'messages', 'report', 'timing', 'stream', 'control', 'callbacks'],
  ['mcp', 'cli', 'process', 'store', 'park'],
  ['launch', 'transcripts', 'connection'],
  ['conversation', 'raw'],
  ['query', 'session'],
  ['restart'],
  ['pool'],
  ['client'],
  ['index', 'type-names', 'observe', 'transport'],
];

/** Pure files take state and return state and effects: no `node:` module, no clock, no process. */
const PURE: readonly RegExp[] = [
  /^(errors|warnings|wire|options|messages)\//,
  /^(limits|redact|redacted-data)\.ts$/,
  /^cli\/(argv|bubblewrap-line|feature-gate|version)\.ts$/,
  /^launch\/proxy-forwarder\.ts$/,
  /^process\/process-failure\.ts$/,
  /^query\/(classify|stream-machine)\.ts$/,
  /^stream\/(kept-warnings|queue)\.ts$/,
  /^connection\/state\.ts$/,
  /^park\/(open-calls|park-obstacle)\.ts$/,
  /^conversation\/(background-tasks|cost-ledger|turn-evidence|turn-tracker|versioned-map)\.ts$/,
  /^control\/(loaded|router)\.ts$/,
  /^callbacks\/(?!callback-request|hook-dispatch|permission-dispatch|cli-request-handler|served-requests)/,
  /^restart\/(partial-turn|policy|rate-limit|resume-state)\.ts$/,
  /^session\/session-budget\.ts$/,
  /^transcripts\/(entry|main-chain|scan|wire-message)\.ts$/,
  /^store\/(mirrored-file|session-store)\.ts$/,
  /^pool\/(key-states|placement|scheduler)\.ts$/,
];

const IMPURE_GLOBALS: ReadonlySet<string> = new Set(
  'process Date performance setTimeout setInterval setImmediate queueMicrotask fetch crypto globalThis'.split(' '),
);

/** The only external package, and the only file that may load it, on demand. */
const OPTIONAL_PEER = { path: 'mcp/tool-server.ts', package: '@modelcontextprotocol/server' };

/** The private package that is bundled into the core: its files, and whether they are pure. */
const SHARED: ReadonlyMap<string, boolean> = new Map([
  ['@coxswain/shared/longest-timer', true],
  ['@coxswain/shared/unknown-name', true],
  ['@coxswain/shared/secret-shapes', true],
  ['@coxswain/shared/uuid', true],
  ['@coxswain/shared/version', true],
  ['@coxswain/shared/private-file', false],
  ['@coxswain/shared/running-process', false],
]);

const NAMELESS = /(^|\/)(utils?|helpers?|common|misc|types)(\/|\.ts$)/;
const MAX_LINES = 400;

describe('the tree of packages/sdk/src', () => {
  it('respects the layers, keeps pure files pure and files short, and uses descriptive names', () => {
    const files = readTree(fileURLToPath(new URL('../src', import.meta.url)));
    expect(files.size).toBeGreaterThan(10);
    expect(check(files)).toEqual([]);
  });
});

describe('the check of the tree', () => {
  it.each([
    [
      'a value from a higher layer',
      { 'wire/a.ts': `import { b } from '../process/b.ts';`, 'process/b.ts': '' },
      'wire/a.ts must not import process/b.ts: wire lies below process',
    ],
    [
      'a value from a higher layer, loaded lazily or re-exported',
      {
        'cli/a.ts': `await import('../query/b.ts');`,
        'process/a.ts': `export * from '../query/b.ts';`,
        'query/b.ts': '',
      },
      'cli/a.ts must not import query/b.ts: cli lies below query',
    ],
    [
      'a type from more than one layer up',
      { 'options/a.ts': `import type { B } from '../session/b.ts';`, 'session/b.ts': '' },
      'options/a.ts must not import session/b.ts: options lies below session',
    ],
    [
      'a type import beside a value import',
      { 'errors/a.ts': `import { type A, b } from '../wire/b.ts';`, 'wire/b.ts': '' },
      'errors/a.ts must not import wire/b.ts: errors lies below wire',
    ],
    ['a folder without a layer', { 'gadgets/a.ts': '' }, 'gadgets/a.ts: gadgets has no layer'],
    [
      'an import of a missing file',
      { 'wire/a.ts': `import './b.ts';` },
      'wire/a.ts imports wire/b.ts, which does not exist',
    ],
    [
      'files that import each other',
      { 'cli/a.ts': `import './b.ts';`, 'cli/b.ts': `import './c.ts';`, 'cli/c.ts': `import './a.ts';` },
      'cycle: cli/a.ts → cli/b.ts → cli/c.ts → cli/a.ts',
    ],
    [
      'folders of one layer that import each other',
      {
        'callbacks/a.ts': `import '../control/a.ts';`,
        'control/a.ts': '',
        'control/b.ts': `import '../callbacks/b.ts';`,
        'callbacks/b.ts': '',
      },
      'cycle: callbacks → control → callbacks',
    ],
    [
      'a node: module in a pure file',
      { 'cli/argv.ts': `import { join } from 'node:path';` },
      'cli/argv.ts is pure but imports node:path',
    ],
    [
      'a clock in a pure file',
      { 'wire/a.ts': 'export const now = (): number => Date.now();' },
      'wire/a.ts is pure but uses Date',
    ],
    [
      'a pure file on an impure one',
      { 'cli/version.ts': `import { probe } from './probe.ts';`, 'cli/probe.ts': '' },
      'cli/version.ts is pure but imports cli/probe.ts',
    ],
    [
      'a value in a module whose types are all re-exported',
      { 'wire/a.ts': `export type * from './b.ts';`, 'wire/b.ts': 'export const b = 1;' },
      'wire/a.ts passes on the types of wire/b.ts, which also exports values',
    ],
    [
      'a value from a third file in a module whose types are all re-exported',
      { 'wire/a.ts': `export type * from './b.ts';`, 'wire/b.ts': `export { c } from './c.ts';`, 'wire/c.ts': '' },
      'wire/a.ts passes on the types of wire/b.ts, which also exports values',
    ],
    ['a dependency', { 'cli/a.ts': `import 'execa';` }, 'cli/a.ts imports the package execa'],
    [
      'an unlisted file of the shared package',
      { 'cli/a.ts': `import '@coxswain/shared/option-kinds';` },
      'cli/a.ts imports the package @coxswain/shared/option-kinds',
    ],
    [
      'an impure shared file in a pure file',
      { 'cli/version.ts': `import { isRunning } from '@coxswain/shared/running-process';` },
      'cli/version.ts is pure but imports @coxswain/shared/running-process',
    ],
    ['a long file', { 'cli/a.ts': 'a;\n'.repeat(401) }, 'cli/a.ts has 401 lines'],
    [
      'a folder without a descriptive name',
      { 'cli/utils/a.ts': '' },
      'cli/utils/a.ts: name a folder or file after its subject',
    ],
    [
      'a file without a descriptive name',
      { 'wire/types.ts': '' },
      'wire/types.ts: name a folder or file after its subject',
    ],
  ])('reports %s', (_what, files, problem) => {
    expect(check(new Map(Object.entries(files)))).toContain(problem);
  });

  it('accepts a tree that follows the rules', () => {
    const files = {
      'index.ts': `export { query } from './query/query.ts';`,
      'query/query.ts': `import { spawn } from 'node:child_process'; import { a } from '../options/a.ts'; setTimeout(a, 1);`,
      'options/a.ts': `import type { T } from '../process/t.ts'; import { b } from '../messages/b.ts'; const x = { process: 1 }; x.process;`,
      'messages/b.ts': `import { type E, f } from '../errors/e.ts';`,
      'errors/e.ts': `import type { M } from '../wire/m.ts';`,
      'wire/m.ts': `import { e } from '../errors/e.ts'; export type * from './n.ts';`,
      'wire/n.ts': `export type { E } from '../errors/e.ts'; export interface N {} export type O = N; const n = 1;`,
      'limits.ts': `import { UUID } from '@coxswain/shared/uuid';`,
      'process/t.ts': `const lazy = (): unknown => import('node:fs');`,
    };
    expect(check(new Map(Object.entries(files)))).toEqual([]);
  });
});

interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function check(files: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  const valueImports = new Map<string, Set<string>>();
  const sources = new Map([...files].map(([path, text]) => [path, parse(path, text)]));
  for (const [path, source] of sources) {
    const imports = importsOf(path, source);
    valueImports.set(path, new Set(imports.filter((i) => !i.typeOnly && files.has(i.target)).map((i) => i.target)));
    problems.push(
      ...checkPlace(path, source.text),
      ...imports.flatMap((i) => checkImport(path, i, files)),
      ...(isPure(path) ? globalsOf(source).map((name) => `${path} is pure but uses ${name}`) : []),
      ...typesPassedOn(path, source)
        .filter((target) => exportsValues(sources.get(target)))
        .map((target) => `${path} passes on the types of ${target}, which also exports values`),
    );
  }
  const cycle = cycleIn(valueImports) ?? cycleIn(foldersOf(valueImports));
  return cycle === undefined ? problems : [...problems, `cycle: ${cycle.join(' → ')}`];
}

function parse(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

function checkPlace(path: string, text: string): string[] {
  const lines = text.split('\n').length - 1;
  return [
    ...(layerOf(path) === -1 ? [`${path}: ${roomOf(path)} has no layer`] : []),
    ...(NAMELESS.test(path) ? [`${path}: name a folder or file after its subject`] : []),
    ...(lines > MAX_LINES ? [`${path} has ${lines} lines`] : []),
  ];
}

function checkImport(path: string, { target, typeOnly }: Import, files: ReadonlyMap<string, string>): string[] {
  if (target.startsWith('node:')) return isPure(path) && !typeOnly ? [`${path} is pure but imports ${target}`] : [];
  if (path === OPTIONAL_PEER.path && target === OPTIONAL_PEER.package) return [];
  const sharedIsPure = SHARED.get(target);
  if (sharedIsPure !== undefined)
    return isPure(path) && !typeOnly && !sharedIsPure ? [`${path} is pure but imports ${target}`] : [];
  if (!target.endsWith('.ts')) return [`${path} imports the package ${target}`];
  if (!files.has(target)) return [`${path} imports ${target}, which does not exist`];
  if (layerOf(target) > layerOf(path) + (typeOnly ? 1 : 0)) {
    return [`${path} must not import ${target}: ${roomOf(path)} lies below ${roomOf(target)}`];
  }
  if (isPure(path) && !typeOnly && !isPure(target)) return [`${path} is pure but imports ${target}`];
  return [];
}

function importsOf(path: string, source: ts.Node): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const relative = specifier.text.startsWith('.');
    found.push({ target: relative ? posix.join(posix.dirname(path), specifier.text) : specifier.text, typeOnly });
  };
  walk(source, (node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, bringsTypesOnly(node.importClause));
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly || allTypes(node.exportClause));
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
  });
  return found;
}

/** The modules in `export type * from` that export values: their types would declare values that do not exist. */
function typesPassedOn(path: string, { statements }: ts.SourceFile): string[] {
  return statements
    .filter((statement) => ts.isExportDeclaration(statement) && statement.isTypeOnly && !statement.exportClause)
    .flatMap((statement) => importsOf(path, statement).map(({ target }) => target));
}

function exportsValues(source: ts.SourceFile | undefined): boolean {
  return (source?.statements ?? []).some((statement) => {
    if (ts.isExportDeclaration(statement)) return !statement.isTypeOnly && !allTypes(statement.exportClause);
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return false;
    return ts.canHaveModifiers(statement) && hasExport(statement.modifiers);
  });
}

function hasExport(modifiers: readonly ts.ModifierLike[] | undefined): boolean {
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function bringsTypesOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  return (
    clause.phaseModifier === ts.SyntaxKind.TypeKeyword || (clause.name === undefined && allTypes(clause.namedBindings))
  );
}

function allTypes(bindings: ts.Node | undefined): boolean {
  if (bindings === undefined || !(ts.isNamedImports(bindings) || ts.isNamedExports(bindings))) return false;
  return bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly);
}

function globalsOf(source: ts.SourceFile): string[] {
  const used = new Set<string>();
  walk(source, (node) => {
    if (ts.isIdentifier(node) && IMPURE_GLOBALS.has(node.text) && !isName(node)) used.add(node.text);
  });
  return [...used];
}

/** True for `process` as a name in `x.process`, `{ process: 1 }` or `interface { process: … }`, not as the global. */
function isName(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent) || ts.isQualifiedName(parent)) {
    return (ts.isPropertyAccessExpression(parent) ? parent.name : parent.right) === node;
  }
  return 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

function roomOf(path: string): string {
  return path.replace(/\/.*|\.ts$/, '');
}

function layerOf(path: string): number {
  return LAYERS.findIndex((rooms) => rooms.includes(roomOf(path)));
}

function isPure(path: string): boolean {
  return PURE.some((pattern) => pattern.test(path));
}

function foldersOf(graph: Graph): Graph {
  const folders = new Map<string, Set<string>>();
  for (const [path, targets] of graph) {
    const room = roomOf(path);
    const others = [...targets].map(roomOf).filter((target) => target !== room);
    folders.set(room, new Set([...(folders.get(room) ?? []), ...others]));
  }
  return folders;
}

function cycleIn(graph: Graph): string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...trail, node]);
      if (cycle) return cycle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node, []);
    if (cycle) return cycle;
  }
  return undefined;
}

function readTree(root: string): Map<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  return new Map(paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')]));
}
