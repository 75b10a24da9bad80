import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { errorTable } from '../src/errors/table.ts';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const ENTRY = join(PACKAGE, 'dist/index.mjs');
const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));

/** What `import … from 'coxswain'` offers. A line more is a new promise, a line less breaks somebody. */
const NAMES: readonly string[] = [
  ...['query', 'withStream', 'inspectCli', 'installCli', 'installedClis', 'defaultLimits', 'PINNED_VERSION'],
  ...['openSession', 'startSession', 'superviseSession', 'createClient', 'createPool'],
  ...['listSessions', 'getSession', 'getSessionMessages', 'forkSession', 'renameSession', 'deleteSession'],
  ...['createRedactor', 'secretsIn'],
  ...['allow', 'deny', 'ask', 'modify', 'context', 'replaceOutput', 'stop', 'defer', 'answer', 'later', 'permissions'],
  'newerEvents',
  ...['textOf', 'toolUsesOf', 'toolResultsOf', 'sessionIdOf', 'outcomeOf', 'costOf', 'rawOf'],
  ...['assemblePartials', 'textDeltas'],
  ...['isAssistant', 'isUser', 'isSystem', 'isInit', 'isResult', 'isStreamEvent', 'isRateLimitEvent'],
  ...['isUnknownMessage', 'isUnknownBlock', 'isUnknownEvent'],
  ...['CoxswainError', 'isCoxswainError', 'isTerminal'],
  ...Object.keys(errorTable),
];

/** What everybody pays for at import; the rest of the package loads when it is used. */
const EAGER_BYTES = 80 * 1024;

/** Modules that take milliseconds to load and are needed by few. */
const SLOW_MODULES: readonly string[] = ['crypto', 'http', 'http2', 'https', 'net', 'tls', 'worker_threads', 'zlib'];

describe('the published package', () => {
  it('offers exactly these names', () => {
    expect(requireNames(ENTRY).names).toEqual([...NAMES].sort());
  });

  it('has exactly these entry points, types first, and all their files', () => {
    expect(manifest.exports).toEqual({
      '.': { types: './dist/index.d.mts', default: './dist/index.mjs' },
      './mcp': { types: './dist/mcp.d.mts', default: './dist/mcp.mjs' },
      './transport': { types: './dist/transport.d.mts', default: './dist/transport.mjs' },
      './package.json': './package.json',
    });
    expect(Object.keys(manifest.exports['.'])[0]).toBe('types');
    for (const path of Object.values<string>(manifest.exports['.'])) expect(existsSync(join(PACKAGE, path))).toBe(true);
  });

  it('depends on nothing, runs nothing when installed and has no side effects', () => {
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

  it('publishes what it lists and no more', () => {
    expect(manifest.files).toEqual(['dist', 'README.md', 'LICENSE']);
  });
});

describe('the entry', () => {
  it('can be required: nothing in its graph awaits at the top level', () => {
    expect(requireNames(ENTRY).error).toBe('');
  });

  it('would be caught awaiting at the top level', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coxswain-exports-'));
    try {
      writeFileSync(join(folder, 'entry.mjs'), `export * from './chunk.mjs';\n`);
      writeFileSync(join(folder, 'chunk.mjs'), 'export const late = await Promise.resolve(1);\n');
      expect(requireNames(join(folder, 'entry.mjs')).error).toContain('ERR_REQUIRE_ASYNC_MODULE');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('loads little at import, and no slow module', () => {
    const { files, modules } = eagerGraph(ENTRY);
    const bytes = files.reduce((sum, file) => sum + readFileSync(file).length, 0);
    expect(bytes).toBeLessThan(EAGER_BYTES);
    expect(modules.filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(modules.filter((name) => SLOW_MODULES.includes(name.replace('node:', '')))).toEqual([]);
  });
});

/** Loads a module with `require`, in a process of its own. */
function requireNames(path: string): { names: string[]; error: string } {
  const program = `console.log(JSON.stringify(Object.keys(require(${JSON.stringify(path)})).sort()))`;
  const done = spawnSync(process.execPath, ['--no-warnings', '-e', program], { encoding: 'utf8' });
  return { names: done.status === 0 ? JSON.parse(done.stdout) : [], error: done.stderr };
}

/** What a static import of `entry` loads: files of the package and other modules. */
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
