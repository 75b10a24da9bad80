import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type LocateHost, type LocateOptions, locateCli } from '../../src/cli/locate.ts';
import { CliNotFoundError } from '../../src/errors/start.ts';
import { BINARY_HEAD, link, program, put, putPackage, temporaryFolder } from '../fixtures/cli/files.ts';

/** Moves shared folders into the folder of the test, so that a CLI on this machine is not found. */
vi.mock('../../src/cli/folders.ts', async (original) => {
  const places = await original<typeof import('../../src/cli/folders.ts')>();
  const usualFolders = (platform: string, home = ''): string[] =>
    places.usualFolders(platform, home).map((folder) => (folder.startsWith(home) ? folder : join(home, '..', folder)));
  return { ...places, usualFolders };
});

const BUILD = `${process.platform}-${process.arch}`;

/** An empty machine. */
function machine(): { root: string; home: string; from: string; host: LocateHost } {
  const root = temporaryFolder();
  const home = join(root, 'home');
  const from = join(root, 'app/node_modules/coxswain/dist');
  mkdirSync(from, { recursive: true });
  return { root, home, from, host: { env: { PATH: join(root, 'bin') }, platform: 'linux', homedir: home, from } };
}

async function failure(options: LocateOptions, host: LocateHost): Promise<CliNotFoundError> {
  const outcome: unknown = await locateCli(options, host).catch((error: unknown) => error);
  if (outcome instanceof CliNotFoundError) return outcome;
  throw new Error(`expected a CliNotFoundError, got ${JSON.stringify(outcome)}`);
}

describe('the path of a CLI', () => {
  it('[C-1] is used exactly, relative to the working directory', async () => {
    const { root, host } = machine();
    const file = put(join(root, 'tools/my-claude'));
    const found = await locateCli({ cli: relative(process.cwd(), file) }, host);
    expect(found).toMatchObject({ path: file, foundAt: file, command: [file], source: 'option', searched: [] });
  });

  it('[C-1] is not replaced by another CLI if it is wrong', async () => {
    const { root, host } = machine();
    put(join(root, 'bin/claude'));
    const error = await failure({ cli: join(root, 'missing') }, host);
    expect(error.searched).toEqual([{ place: join(root, 'missing'), reason: 'does not exist' }]);
    expect(error.message).toContain("not found at the path in cli. Correct cli, or pass cli: 'pinned'");
  });

  it('[C-1] to a link is resolved to the real file, and both are reported', async () => {
    const { root, host } = machine();
    const real = put(join(root, 'versions/2.1.325'), BINARY_HEAD);
    const file = link(join(root, 'links/claude'), real);
    const found = await locateCli({ cli: file }, host);
    expect(found).toMatchObject({ path: real, foundAt: file, command: [real], kind: 'native' });
  });

  it('[C-1] is examined again if the file has changed since the last search', async () => {
    const { root, host } = machine();
    const file = put(join(root, 'bin/my-claude'), BINARY_HEAD);
    expect(await locateCli({ cli: file }, host)).toMatchObject({ kind: 'native' });
    put(file, '#!/bin/sh\n# another program of another size');
    expect(await locateCli({ cli: file }, host)).toMatchObject({ kind: 'script' });
    chmodSync(file, 0o644);
    expect((await failure({ cli: file }, host)).searched).toMatchObject([
      { reason: 'is not executable; make it so with chmod +x' },
    ]);
    chmodSync(file, 0o755);
    expect(await locateCli({ cli: file }, host)).toMatchObject({ kind: 'script' });
  });

  it('[C-1] to a link that was changed since the last search leads to the new file', async () => {
    const { root, host } = machine();
    const [old, young] = ['2.1.324', '2.1.325'].map((version) => put(join(root, 'versions', version), BINARY_HEAD));
    const file = link(join(root, 'links/claude'), old ?? '');
    expect(await locateCli({ cli: file }, host)).toMatchObject({ path: old });
    rmSync(file);
    link(file, young ?? '');
    expect(await locateCli({ cli: file }, host)).toMatchObject({ path: young });
  });

  it("[C-1] to a version manager's link keeps the name of the link, which selects the program", async () => {
    const { root, host } = machine();
    const shim = put(join(root, 'manager/shim'), BINARY_HEAD);
    const file = link(join(root, 'manager/bin/claude'), shim);
    expect(await locateCli({ cli: file }, host)).toMatchObject({ path: shim, command: [file], kind: 'script' });
  });

  it.each(['cli.js', 'cli.mjs', 'cli.cjs'])('[C-1] to %s runs with the current Node', async (name) => {
    const { root, host } = machine();
    const file = put(join(root, name), 'console.log()', 0o644);
    expect(await locateCli({ cli: file }, host)).toMatchObject({ command: [process.execPath, file], kind: 'script' });
  });

  it('[C-1] to a shell script is a script, to a binary is native', async () => {
    const { root, host } = machine();
    expect((await locateCli({ cli: program('prints-version') }, host)).kind).toBe('script');
    expect((await locateCli({ cli: put(join(root, 'claude'), BINARY_HEAD) }, host)).kind).toBe('native');
    expect((await locateCli({ cli: process.execPath }, host)).kind).toBe('native');
  });

  it('[C-3] has a separate reason for each kind of wrong file', async () => {
    const { root, host } = machine();
    const reasonFor = async (path: string, platform = 'linux'): Promise<string | undefined> =>
      (await failure({ cli: path }, { ...host, platform })).searched[0]?.reason;
    const reasons = [
      await reasonFor(join(root, 'missing')),
      await reasonFor(root),
      await reasonFor(put(join(root, 'plain'), 'text', 0o644)),
      await reasonFor(put(join(root, 'claude.cmd')), 'win32'),
      await reasonFor(link(join(root, 'dangling'), join(root, 'missing'))),
      await reasonFor('/dev/null'),
    ];
    expect(reasons).toEqual([
      'does not exist',
      'is a directory',
      expect.stringContaining('not executable'),
      expect.stringContaining('shell'),
      'is a symbolic link to a missing file',
      'is not a regular file',
    ]);
  });
});

describe('COXSWAIN_CLI', () => {
  it('[C-1] takes precedence over all other locations of auto', async () => {
    const { root, from, host } = machine();
    put(join(root, 'bin/claude'));
    putPackage(join(dirname(from), '../@anthropic-ai/claude-code'), { version: '2.1.0' }, { 'cli.js': '' });
    const named = put(join(root, 'named/claude'));
    const env = { ...host.env, COXSWAIN_CLI: named };
    expect(await locateCli({}, { ...host, env })).toMatchObject({ path: named, source: 'COXSWAIN_CLI' });
    expect((await locateCli({ cli: 'global' }, { ...host, env })).source).toBe('PATH');
  });

  it('[C-1, C-3] causes an error if it names a missing file, instead of running another CLI', async () => {
    const { root, host } = machine();
    put(join(root, 'bin/claude'));
    const error = await failure({}, { ...host, env: { ...host.env, COXSWAIN_CLI: '/no/such/claude' } });
    expect(error.searched).toEqual([{ place: '/no/such/claude', reason: 'does not exist' }]);
  });

  it.each(['', 'auto', 'global'])('[C-1] accepts the keywords of the option: %j', async (name) => {
    const { root, host } = machine();
    put(join(root, 'bin/claude'));
    expect((await locateCli({}, { ...host, env: { ...host.env, COXSWAIN_CLI: name } })).source).toBe('PATH');
  });
});

describe('an npm package', () => {
  const scope = (from: string): string => join(from, '../../@anthropic-ai');
  const host = (base: LocateHost): LocateHost => ({ ...base, platform: process.platform });

  it('[C-1, C-4] is found through its platform package, with its version, before PATH', async () => {
    const { root, from, host: base } = machine();
    put(join(root, 'bin/claude'));
    putPackage(join(scope(from), 'claude-code'), { version: '2.1.325', bin: { claude: 'bin/claude.exe' } });
    const platform = putPackage(
      join(scope(from), `claude-code-${BUILD}`),
      { version: '2.1.325' },
      { claude: BINARY_HEAD },
    );
    expect(await locateCli({}, host(base))).toMatchObject({
      path: join(platform, 'claude'),
      source: 'npm package',
      packageVersion: '2.1.325',
      kind: 'native',
    });
  });

  it.each([
    ['inside the main package', 'claude-code/node_modules/@anthropic-ai'],
    ['in a folder further up', '../../../node_modules/@anthropic-ai'],
  ])('[C-1] is found if its platform package is %s', async (_where, place) => {
    const { from, host: base } = machine();
    putPackage(join(scope(from), 'claude-code'), { version: '2.1.9', bin: { claude: 'bin/claude.exe' } });
    const file = put(join(scope(from), place, `claude-code-${BUILD}`, 'claude'), BINARY_HEAD);
    expect((await locateCli({}, host(base))).path).toBe(file);
  });

  it('[C-1] is found in the layout of pnpm, beside the real main package', async () => {
    const { root, from, host: base } = machine();
    const store = join(root, 'app/node_modules/.pnpm/@anthropic-ai+claude-code@2.1.9/node_modules/@anthropic-ai');
    putPackage(join(store, 'claude-code'), { version: '2.1.9', bin: { claude: 'bin/claude.exe' } });
    const file = put(join(store, `claude-code-${BUILD}/claude`), BINARY_HEAD);
    link(join(scope(from), 'claude-code'), join(store, 'claude-code'));
    expect((await locateCli({}, host(base))).path).toBe(file);
  });

  it('[C-1, C-4] with a cli.js runs with the current Node', async () => {
    const { from, host: base } = machine();
    const folder = putPackage(
      join(scope(from), 'claude-code'),
      { version: '1.0.33', bin: { claude: 'cli.js' } },
      { 'cli.js': '#!/usr/bin/env node\n' },
    );
    expect(await locateCli({}, host(base))).toMatchObject({
      command: [process.execPath, join(folder, 'cli.js')],
      packageVersion: '1.0.33',
    });
  });

  it('[C-1] whose install script put the binary into the main package is found there', async () => {
    const { from, host: base } = machine();
    const folder = putPackage(
      join(scope(from), 'claude-code'),
      { version: '2.1.9', bin: { claude: 'bin/claude.exe' } },
      { 'bin/claude.exe': BINARY_HEAD },
    );
    expect(await locateCli({}, host(base))).toMatchObject({
      path: join(folder, 'bin/claude.exe'),
      packageVersion: '2.1.9',
    });
  });

  it('[C-1, C-3] is skipped, with the reason, if it contains only a placeholder', async () => {
    const { root, from, host: base } = machine();
    put(join(root, 'bin/claude'));
    const folder = putPackage(
      join(scope(from), 'claude-code'),
      { version: '2.1.9', bin: { claude: 'bin/claude.exe' } },
      { 'bin/claude.exe': 'echo "not installed"' },
    );
    const found = await locateCli({}, host(base));
    expect(found.source).toBe('PATH');
    expect(found.searched).toContainEqual({
      place: join(folder, 'bin/claude.exe'),
      reason: expect.stringContaining(`@anthropic-ai/claude-code-${BUILD}`),
    });
  });

  it('[C-1, C-4] of the official SDK is also used, but its version is not that of the CLI', async () => {
    const { from, host: base } = machine();
    const folder = putPackage(
      join(scope(from), `claude-agent-sdk-${BUILD}`),
      { version: '0.3.325' },
      { claude: BINARY_HEAD },
    );
    const found = await locateCli({}, host(base));
    expect(found.path).toBe(join(folder, 'claude'));
    expect(found.packageVersion).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')(
    '[C-1, C-3] for the other C library is passed over, with the reason',
    async () => {
      const { from, host: base } = machine();
      const other = join(scope(from), `claude-code-${await otherBuild()}`);
      putPackage(other, { version: '2.1.9' }, { claude: BINARY_HEAD });
      const error = await failure({}, host(base));
      expect(error.searched[0]).toEqual({ place: other, reason: expect.stringContaining('C library') });
    },
  );

  it('[C-1] is never searched in the working directory', async () => {
    const { root, host: base } = machine();
    const project = join(root, 'project');
    put(join(project, `node_modules/@anthropic-ai/claude-code-${BUILD}/claude`), BINARY_HEAD);
    put(join(project, 'claude'));
    using _cwd = pretendToBeIn(project);
    const error = await failure({}, { ...host(base), env: { PATH: `:.:bin:${root}/bin` } });
    expect(error.searched.filter(({ place }) => place.startsWith(project))).toEqual([]);
  });

  it('[C-1] is searched from the folder of this library', async () => {
    const { host: base } = machine();
    const { from: _, ...elsewhere } = base;
    const error = await failure({}, host(elsewhere));
    expect(error.searched[0]?.place).toContain(join('packages', 'sdk', 'src', 'cli'));
  });
});

describe('PATH and the usual locations', () => {
  it('[C-1] are searched in order, and the first executable file wins', async () => {
    const { root, home, host } = machine();
    mkdirSync(join(root, 'a/claude'), { recursive: true });
    put(join(root, 'b/claude'), 'text', 0o644);
    const right = put(join(root, 'c/claude'));
    put(join(home, '.local/bin/claude'));
    const found = await locateCli(
      {},
      { ...host, env: { PATH: ['a', 'b', 'c'].map((name) => join(root, name)).join(':') } },
    );
    expect(found).toMatchObject({ path: right, source: 'PATH' });
    expect(found.searched.slice(-2).map(({ reason }) => reason)).toEqual([
      'is a directory',
      expect.stringContaining('not executable'),
    ]);
  });

  it('[C-1] are searched without npm packages for global', async () => {
    const { root, from, host } = machine();
    put(join(root, 'bin/claude'));
    put(join(from, '../../@anthropic-ai', `claude-code-${BUILD}/claude`), BINARY_HEAD);
    expect((await locateCli({ cli: 'global' }, { ...host, platform: process.platform })).source).toBe('PATH');
  });

  it.each([
    '.claude/local/claude',
    '.local/bin/claude',
    '.npm-global/bin/claude',
    'node_modules/.bin/claude',
    '.yarn/bin/claude',
    '.bun/bin/claude',
    '../usr/local/bin/claude',
    '../opt/homebrew/bin/claude',
  ])('[C-1] include ~/%s', async (place) => {
    const { home, host } = machine();
    const file = put(join(home, place));
    for (const cli of ['auto', 'global']) {
      expect(await locateCli({ cli }, host)).toMatchObject({ path: file, source: 'usual place' });
    }
  });

  it('[C-3] are listed in order with installation advice if no CLI is found', async () => {
    const { root, home, host } = machine();
    const error = await failure({}, host);
    expect(error.searched.map(({ place }) => place)).toEqual([
      expect.stringContaining('npm packages of @anthropic-ai'),
      join(root, 'bin/claude'),
      join(home, '.claude/local/claude'),
      join(home, '.local/bin/claude'),
      join(home, '.npm-global/bin/claude'),
      join(root, 'usr/local/bin/claude'),
      join(home, 'node_modules/.bin/claude'),
      join(home, '.yarn/bin/claude'),
      join(home, '.bun/bin/claude'),
      join(root, 'opt/homebrew/bin/claude'),
    ]);
    const positions = error.searched.map(({ place }) => error.message.indexOf(place));
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(error.message).toContain('npm install -g @anthropic-ai/claude-code');
  });

  it('[C-3] are reported as empty if PATH names no folder', async () => {
    const { host } = machine();
    const error = await failure({ cli: 'global' }, { ...host, env: {} });
    expect(error.searched[0]).toEqual({ place: 'PATH', reason: 'names no absolute folder' });
  });

  it('[C-1, C-4] include a global npm install, which is recognised by its package', async () => {
    const { root, host } = machine();
    const folder = putPackage(
      join(root, 'lib/node_modules/@anthropic-ai/claude-code'),
      { version: '2.0.14', bin: { claude: 'cli.js' } },
      { 'cli.js': '#!/usr/bin/env node\n' },
    );
    link(join(root, 'bin/claude'), '../lib/node_modules/@anthropic-ai/claude-code/cli.js');
    expect(await locateCli({ cli: 'global' }, host)).toMatchObject({
      path: join(folder, 'cli.js'),
      foundAt: join(root, 'bin/claude'),
      command: [process.execPath, join(folder, 'cli.js')],
      packageVersion: '2.0.14',
    });
  });
});

describe('locating the CLI on Windows', () => {
  const windows = ({ host, root }: ReturnType<typeof machine>): LocateHost => ({
    ...host,
    platform: 'win32',
    env: { Path: `${root}/npm;${root}/other` },
  });

  it('[C-1] finds claude.exe on Path in any case of the variable name', async () => {
    const here = machine();
    const file = put(join(here.root, 'other/claude.exe'), 'MZ');
    expect(await locateCli({ cli: 'global' }, windows(here))).toMatchObject({ path: file, source: 'PATH' });
  });

  it('[C-1] replaces a .cmd shim by its package', async () => {
    const here = machine();
    put(join(here.root, 'npm/claude.cmd'));
    const script = put(join(here.root, 'npm/node_modules/@anthropic-ai/claude-code/cli.js'), '');
    const found = await locateCli({ cli: 'global' }, windows(here));
    expect(found).toMatchObject({ command: [process.execPath, script], source: 'PATH' });
  });

  it('[C-3] lists a .cmd shim without its package, with the reason', async () => {
    const here = machine();
    const shim = put(join(here.root, 'npm/claude.cmd'));
    const error = await failure({ cli: 'global' }, windows(here));
    expect(error.searched).toContainEqual({ place: shim, reason: expect.stringContaining('shell') });
  });
});

async function otherBuild(): Promise<string> {
  const { platformBuild } = await import('../../src/cli/npm-package.ts');
  return platformBuild('linux').otherLibc ?? '';
}

function pretendToBeIn(folder: string): Disposable {
  const spy = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  return { [Symbol.dispose]: () => spy.mockRestore() };
}
