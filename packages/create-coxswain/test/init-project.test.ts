import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { initProject, reportLines } from '../src/index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-init-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (manifest: unknown): void =>
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 4));
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const init = (options: object = {}): ReturnType<typeof initProject> => initProject({ folder, env: {}, ...options });

describe('initProject', () => {
  it('[L-3] adds an agent, and keeps the scripts, the versions and the indentation of package.json', () => {
    write({
      name: 'shop',
      type: 'module',
      scripts: { test: 'vitest', build: 'tsc' },
      devDependencies: { typescript: '5.9.3', coxswain: '0.1.0' },
      extra: [1],
    });
    const report = init();
    const { manifest } = { manifest: JSON.parse(read('package.json')) };
    expect(manifest).toMatchObject({
      name: 'shop',
      scripts: {
        test: 'vitest',
        build: 'tsc',
        'agent:test': 'node --import tsx --test agent/*.test.ts',
        typecheck: 'tsc -p agent',
      },
      devDependencies: { typescript: '5.9.3', coxswain: '0.1.0' },
      extra: [1],
    });
    expect(manifest.dependencies).toEqual({});
    expect(read('package.json')).toMatch(/^\{\n {4}"name"/);
    expect(read('.github/workflows/agent.yml')).toContain('- run: npm run agent:test\n');
    expect(reportLines(report, folder)).toEqual(expect.arrayContaining(['changed  package.json', '  npm install']));
    expect(reportLines(report, folder).join('\n')).toContain('  npm run agent:test ');
  });

  it('[L-3] uses .mts and .mjs in a package of CommonJS', () => {
    write({ name: 'shop' });
    init();
    expect(read('agent/agent.test.mts')).toContain("from './agent.mts'");
    expect(JSON.parse(read('package.json')).scripts.test).toBe('node --import tsx --test agent/*.test.mts');
    init({ agentFolder: 'second', language: 'javascript' });
    expect(read('second/main.mjs')).toContain("from './agent.mjs'");
  });

  it('[L-3] keeps a workflow that is there, and reports it', () => {
    write({ type: 'module' });
    mkdirSync(join(folder, '.github/workflows'), { recursive: true });
    writeFileSync(join(folder, '.github/workflows/agent.yml'), 'mine');
    const report = init();
    expect(read('.github/workflows/agent.yml')).toBe('mine');
    expect(report.kept).toEqual(['.github/workflows/agent.yml']);
    expect(reportLines(report, folder)).toContain('kept     .github/workflows/agent.yml  (it was there already)');
  });

  it('[L-3] refuses a second time, and takes another folder', () => {
    write({ type: 'module' });
    init();
    const before = read('package.json');
    expect(() => init()).toThrow('agent exists already. Choose another folder with --folder.');
    expect(read('package.json')).toBe(before);
    init({ agentFolder: 'reviewer' });
    expect(JSON.parse(read('package.json')).scripts).toMatchObject({
      test: 'node --import tsx --test agent/*.test.ts',
      'reviewer:test': 'node --import tsx --test reviewer/*.test.ts',
    });
  });

  it('[L-3] takes the package manager of the lockfile, before the one that runs it', () => {
    write({ type: 'module' });
    writeFileSync(join(folder, 'yarn.lock'), '__metadata:\n  version: 8\n');
    expect(init({ env: { npm_config_user_agent: 'npm/11.19.1 node/v20.20.2' } }).manager).toBe('yarn');
    expect(read('.github/workflows/agent.yml')).toContain('yarn install --immutable');
  });

  it.each([
    [undefined, 'has no package.json. For a new project, run: npm create coxswain'],
    ['[]', 'does not contain a JSON object'],
    ['{', 'does not contain a JSON object'],
    ['{"scripts":[]}', 'scripts is not an object'],
    ['{"scripts":{"test":"a","agent:test":"b"}}', 'has the scripts test and agent:test already'],
    [`{"x":"${'x'.repeat(1_000_001)}"}`, 'is not a package.json'],
  ])('[L-3] refuses a project that it cannot extend, and writes nothing: %#', (manifest, message) => {
    if (manifest !== undefined) writeFileSync(join(folder, 'package.json'), manifest);
    expect(() => init()).toThrow(message);
    expect(existsSync(join(folder, 'agent'))).toBe(false);
    expect(existsSync(join(folder, '.github'))).toBe(false);
    if (manifest !== undefined) expect(read('package.json')).toBe(manifest);
  });

  it('[L-3] writes nothing through a link that leads out of the project', () => {
    const outside = mkdtempSync(join(tmpdir(), 'coxswain-outside-'));
    try {
      write({ type: 'module' });
      symlinkSync(outside, join(folder, 'agent'), 'junction');
      expect(() => init()).toThrow('agent/agent.test.ts would be outside of the project');
      expect(existsSync(join(outside, 'agent.test.ts'))).toBe(false);
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
  });
});
