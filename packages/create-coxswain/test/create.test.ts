import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import own from '../package.json' with { type: 'json' };
import { runCreate } from './run-create.ts';

let work = '';
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'coxswain-create-'));
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
const manifestOf = (folder: string): Record<string, Record<string, string>> =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

describe('npm create coxswain', () => {
  it('[L-3] makes a TypeScript project, and prints its files and the next commands', async () => {
    const { stdout, stderr, code } = await runCreate(['my-agent'], work);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const folder = join(work, 'my-agent');
    expect(filesOf(folder)).toEqual([
      '.github/workflows/agent.yml',
      '.gitignore',
      'README.md',
      'agent/agent.test.ts',
      'agent/agent.ts',
      'agent/conversations/01-tests.json',
      'agent/conversations/02-chain.json',
      'agent/conversations/03-write.json',
      'agent/main.ts',
      'agent/rehearsal.ts',
      'agent/tsconfig.json',
      'package.json',
    ]);
    for (const file of filesOf(folder)) expect(stdout).toContain(`written  ${file}\n`);
    expect(stdout).toContain('\nNext:\n  cd my-agent\n  npm install\n  npm test ');
    const { scripts, dependencies, devDependencies } = manifestOf(folder);
    expect(scripts).toEqual({
      test: 'node --import tsx --test agent/*.test.ts',
      typecheck: 'tsc -p agent',
      agent: 'node --import tsx agent/main.ts',
      rehearse: 'node --import tsx --test agent/rehearsal.ts',
    });
    expect(dependencies).toEqual({ coxswain: `^${own.version}` });
    expect(manifestOf(folder).allowScripts).toEqual({ esbuild: false });
    expect(devDependencies).toMatchObject({ '@coxswain/testkit': `^${own.version}`, tsx: expect.any(String) });
  });

  it('[L-3] makes a JavaScript project with no build tools', async () => {
    expect((await runCreate(['my-agent', '--language', 'javascript'], work)).code).toBe(0);
    const folder = join(work, 'my-agent');
    expect(filesOf(join(folder, 'agent')).filter((file) => !file.startsWith('conversations'))).toEqual([
      'agent.js',
      'agent.test.js',
      'main.js',
      'rehearsal.js',
    ]);
    const { scripts, devDependencies } = manifestOf(folder);
    expect(scripts).toMatchObject({ test: 'node --test agent/*.test.js' });
    expect(Object.keys(devDependencies ?? {})).toEqual(['@coxswain/cli', '@coxswain/rehearsal', '@coxswain/testkit']);
  });

  it.each([
    ['npm/11.19.1 node/v20.20.2', 'npm test', 'npm ci'],
    ['pnpm/12.18.0 npm/? node/v20.20.2', 'pnpm test', 'pnpm install --frozen-lockfile'],
    ['yarn/1.22.22 npm/? node/v20.20.2', 'yarn test', 'yarn install --frozen-lockfile'],
    ['yarn/4.18.1 npm/? node/v20.20.2', 'yarn test', 'yarn install --immutable'],
    ['bun/1.4.4 npm/? node/v24.3.0', 'bun run test', 'bun install --frozen-lockfile'],
  ])('[L-3] writes the commands of the package manager that runs it: %s', async (userAgent, test, install) => {
    await runCreate(['my-agent'], work, userAgent);
    const read = (file: string): string => readFileSync(join(work, 'my-agent', file), 'utf8');
    for (const file of ['README.md', 'agent/agent.ts', 'agent/agent.test.ts', 'agent/conversations/01-tests.json'])
      expect(read(file), file).toContain(test);
    expect(read('agent/conversations/02-chain.json')).toContain(`${test}; rm -rf build`);
    expect(read('.github/workflows/agent.yml')).toContain(`- run: ${install}\n`);
    expect(read('.github/workflows/agent.yml')).toContain(`- run: ${test}\n`);
  });

  it('[L-3] takes an explicit package manager', async () => {
    await runCreate(['my-agent', '--package-manager', 'pnpm'], work);
    expect(readFileSync(join(work, 'my-agent/README.md'), 'utf8')).toContain('`pnpm test`');
    expect(readFileSync(join(work, 'my-agent/pnpm-workspace.yaml'), 'utf8')).toBe('allowBuilds:\n  esbuild: false\n');
  });

  it('[L-3] refuses a folder with anything in it, and changes nothing', async () => {
    writeFileSync(join(work, 'notes.txt'), 'mine');
    const { stderr, code } = await runCreate(['.'], work);
    expect(code).toBe(2);
    expect(stderr).toMatch(/is not empty: it has notes\.txt\. In an existing project, run: npx @coxswain\/cli init/);
    expect(filesOf(work)).toEqual(['notes.txt']);
    expect((await runCreate(['notes.txt'], work)).stderr).toContain('is not a folder');
  });

  it('[L-3] accepts a folder with only a .git', async () => {
    mkdirSync(join(work, 'my-agent/.git'), { recursive: true });
    expect((await runCreate(['my-agent'], work)).code).toBe(0);
  });

  it.each([
    [['--language', 'rust', 'x'], 'There is no language "rust". Choose typescript, javascript.'],
    [['--package-manager', 'cargo', 'x'], 'There is no package manager "cargo". Choose npm, pnpm, yarn, bun.'],
    [['--folder', '../up', 'x'], '"../up" cannot be the folder of the agent'],
    [['--no-such-flag', 'x'], "Unknown option '--no-such-flag'"],
    [['x', 'y'], 'Only one folder, not also y.'],
    [[], 'In which folder?'],
    [['--yes'], 'In which folder?'],
  ])('[L-3] refuses %j with exit code 2, and writes nothing', async (args, message) => {
    const { stdout, stderr, code } = await runCreate(args, work);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain(message);
    expect(existsSync(join(work, 'x'))).toBe(false);
  });

  it.each(['--help', '-h'])('[L-3] shows its help on stdout: %s', async (flag) => {
    const { stdout, stderr, code } = await runCreate([flag], work);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toMatch(/^Usage: npm create coxswain [\s\S]*\nExamples:\n {2}npm create coxswain my-agent/);
  });

  it('[L-3] shows its version', async () => {
    expect((await runCreate(['--version'], work)).stdout).toBe(`${own.version}\n`);
  });

  it('[L-3] gives the package a name that npm accepts', async () => {
    await runCreate(['My Agent (2)'], work);
    expect(manifestOf(join(work, 'My Agent (2)')).name).toBe('my-agent-2');
  });
});
