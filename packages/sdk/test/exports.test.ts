import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { samples } from './errors/samples.ts';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const ENTRY = join(PACKAGE, 'dist/index.mjs');
const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));

/** The exported values of every entry. A new line is a new promise; a removed line breaks users. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  index: [
    ...['query', 'openSession', 'createPool', 'createClient'],
    ...['allow', 'deny', 'askUser', 'modifyInput', 'replaceOutput', 'addContext', 'stopTurn', 'deferTool'],
    ...['answerQuestions', 'decideLater', 'checkAnswer', 'permissions', 'requestHash'],
    ...['outcomeOf', 'textOf', 'textDeltaOf', 'toolUsesOf', 'toolResultsOf', 'assemblePartials'],
    ...['isUnknownMessage', 'isUnknownBlock', 'isUnknownEvent'],
    ...['CoxswainError', 'isCoxswainError'],
  ],
  types: [],
  observe: ['sessionOf', 'queryOf', 'poolOf', 'costOfResult', 'addCosts'],
  mcp: ['tool', 'toolServer'],
  transcripts: [
    ...['listSessions', 'getSession', 'getSessionMessages', 'getSessionEntries'],
    ...[
      'forkSession',
      'renameSession',
      'tagSession',
      'archiveSession',
      'unarchiveSession',
      'deleteSession',
      'importSession',
      'exportSession',
    ],
    ...['readSessionLines', 'readSessionTail', 'readSessionNote', 'appendSessionLines', 'writeSessionFile'],
  ],
  store: ['memoryStore', 'fileStore', 'projectKeyOf'],
  cli: ['checkIsolation', 'findCli', 'inspectCli', 'installCli', 'installedClis', 'PINNED_VERSION'],
  transport: ['childTransport', 'createRedactor', 'secretsIn'],
  raw: ['findInstalledCli', 'knownVersion', 'openRawSession', 'storeConversation'],
  errors: [...new Set(samples.map(({ error }) => error.name))],
};
const ENTRIES = Object.keys(NAMES);

/** Modules that take milliseconds to load and that few users need. */
const SLOW_MODULES: readonly string[] = ['crypto', 'http', 'http2', 'https', 'net', 'tls', 'worker_threads', 'zlib'];

describe('the published package', () => {
  it.each(ENTRIES)('%s exports exactly these names', (entry) => {
    expect(requireNames(fileOf(entry)).names).toEqual([...(NAMES[entry] ?? [])].sort());
  });

  it.each(ENTRIES)('%s exports exactly the values that its types declare', (entry) => {
    expect(valuesInTypes(join(PACKAGE, `dist/${entry}.d.mts`))).toEqual(requireNames(fileOf(entry)).names);
  });

  it('has exactly these entry points, types first, and all their files exist', () => {
    const paths = ENTRIES.map((entry) => [
      entry === 'index' ? '.' : `./${entry}`,
      { types: `./dist/${entry}.d.mts`, default: `./dist/${entry}.mjs` },
    ]);
    expect(manifest.exports).toEqual({ ...Object.fromEntries(paths), './package.json': './package.json' });
    for (const entry of ENTRIES) expect(existsSync(fileOf(entry))).toBe(true);
    expect(Object.keys(manifest.exports['.'])[0]).toBe('types');
  });

  it('has no dependencies, install scripts or side effects', () => {
    for (const field of ['dependencies', 'optionalDependencies', 'bundledDependencies']) {
      expect(manifest).not.toHaveProperty(field);
    }
    expect(manifest.peerDependencies).toEqual({ '@modelcontextprotocol/server': '^2.0.0' });
    expect(manifest.peerDependenciesMeta).toEqual({ '@modelcontextprotocol/server': { optional: true } });
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
      expect(manifest.scripts).not.toHaveProperty(script);
    }
    expect(manifest.sideEffects).toBe(false);
    expect(manifest.type).toBe('module');
  });

  it('contains exactly the listed files', () => {
    expect(manifest.files).toEqual(['dist', 'README.md', 'LICENSE']);
  });
});

describe('the entry', () => {
  it('can be loaded with require: no module in its graph uses top-level await', () => {
    expect(requireNames(ENTRY).error).toBe('');
  });

  it('fails to load with require if a module uses top-level await', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coxswain-exports-'));
    try {
      writeFileSync(join(folder, 'entry.mjs'), `export * from './chunk.mjs';\n`);
      writeFileSync(join(folder, 'chunk.mjs'), 'export const late = await Promise.resolve(1);\n');
      expect(requireNames(join(folder, 'entry.mjs')).error).toContain('ERR_REQUIRE_ASYNC_MODULE');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('does not load slow modules at import', () => {
    const { modules } = eagerGraph(ENTRY);
    expect(modules.filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(modules.filter((name) => SLOW_MODULES.includes(name.replace('node:', '')))).toEqual([]);
  });
});

function fileOf(entry: string): string {
  return join(PACKAGE, `dist/${entry}.mjs`);
}

/** One program for all entries: checking each entry alone would read the libraries every time. */
const program = ts.createProgram(
  ENTRIES.map((entry) => join(PACKAGE, `dist/${entry}.d.mts`)),
  { module: ts.ModuleKind.NodeNext, skipLibCheck: true, types: ['node'] },
);

/** The values exported by a declaration file, according to the compiler. */
function valuesInTypes(file: string): string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} is not a module`);
  return checker
    .getExportsOfModule(module)
    .filter((symbol) =>
      isValue(symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol, symbol),
    )
    .map(({ name }) => name)
    .sort();
}

/** False for `export type { X }`, which exports a class without its value. */
function isValue(symbol: ts.Symbol, exported: ts.Symbol): boolean {
  const typeOnly = exported.declarations?.some(
    (declared) => ts.isExportSpecifier(declared) && (declared.isTypeOnly || declared.parent.parent.isTypeOnly),
  );
  return !typeOnly && (symbol.flags & ts.SymbolFlags.Value) !== 0;
}

/** Loads a module with `require` in a separate process. */
function requireNames(path: string): Required {
  const known = required.get(path);
  if (known !== undefined) return known;
  const code = `console.log(JSON.stringify(Object.keys(require(${JSON.stringify(path)})).sort()))`;
  const done = spawnSync(process.execPath, ['--no-warnings', '-e', code], { encoding: 'utf8' });
  const result = { names: done.status === 0 ? JSON.parse(done.stdout) : [], error: done.stderr };
  required.set(path, result);
  return result;
}
interface Required {
  readonly names: readonly string[];
  readonly error: string;
}
const required = new Map<string, Required>();

/** The files of the package and other modules that a static import of `entry` loads. */
function eagerGraph(entry: string): { files: string[]; modules: string[] } {
  const files = new Set<string>();
  const modules = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
    for (const statement of source.statements) {
      if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
      if (statement.moduleSpecifier === undefined || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
      const { text } = statement.moduleSpecifier;
      if (text.startsWith('.')) visit(resolve(dirname(file), text));
      else modules.add(text);
    }
  };
  visit(entry);
  return { files: [...files], modules: [...modules] };
}
