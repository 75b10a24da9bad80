import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCox } from '../run-cox.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-init-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('cox init', () => {
  it('[L-3] adds an agent to a project, and prints the next commands', async () => {
    writeFileSync(
      join(folder, 'package.json'),
      '{ "name": "shop", "type": "module", "scripts": { "test": "vitest" } }',
    );
    const { stdout, stderr, code } = await runCox(['init', '--language', 'javascript'], { cwd: folder });
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toContain('written  agent/agent.js\n');
    expect(stdout).toContain('\n  npm run agent:test ');
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).scripts).toMatchObject({
      test: 'vitest',
      'agent:test': 'node --test agent/*.test.js',
    });
  });

  it.each([
    [[], 'has no package.json. For a new project, run: npm create coxswain'],
    [['--language', 'rust'], "argument 'rust' is invalid"],
    [['--folder', 'a/b'], '"a/b" cannot be the folder of the agent'],
  ])('[L-3] refuses what it cannot do, with exit code 2: %j', async (flags, message) => {
    const { stdout, stderr, code } = await runCox(['init', ...flags], { cwd: folder });
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr.replace(/\s+/g, ' ')).toContain(message);
  });
});
