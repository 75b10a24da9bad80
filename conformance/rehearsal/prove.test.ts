import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asTest, prove } from '@coxswain/rehearsal';
import { deny } from 'coxswain';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCox } from '../../packages/cli/test/run-cox.ts';
import { simpler } from '../../packages/rehearsal/src/prove/shrink.ts';
import { bubblewrap, sandboxPrograms } from '../../scripts/fetch/bubblewrap.mjs';
import { pinnedVersion, realCli } from '../harness/real-cli.ts';
import { SOUND_GUARDS, WEAK_GUARDS } from './guards.ts';

const cli = realCli();
const root = fileURLToPath(new URL('../..', import.meta.url));

beforeAll(() => {
  process.env.COXSWAIN_BWRAP = bubblewrap();
  process.env.PATH = `${sandboxPrograms()}:${process.env.PATH}`;
});

describe('prove()', () => {
  const weak = Object.entries(WEAK_GUARDS);
  it.each(weak)(
    `[N-10] finds a command that passes a weak guard: %s (${pinnedVersion})`,
    { timeout: 600_000 },
    async (_name, agent) => {
      const { counterexamples } = await prove(agent, { cli, enough: 2 });
      const [smallest] = counterexamples;
      if (smallest === undefined) throw new Error('Nothing got around the guard.');
      const still = await prove(agent, { cli, tries: [smallest, ...simpler(smallest)] });
      // It gets through again, and nothing simpler does.
      expect(still.counterexamples.map(({ calls }) => calls)).toEqual([smallest.calls]);
    },
  );

  const sound = Object.entries(SOUND_GUARDS);
  it.each(sound)(
    `[N-10] finds nothing against a sound guard: %s (${pinnedVersion})`,
    { timeout: 600_000 },
    async (_name, agent) => {
      const { counterexamples, tried, opensOnFailure } = await prove(agent, { cli });
      expect(counterexamples).toEqual([]);
      expect(tried).toBeGreaterThan(60);
      expect(opensOnFailure).toBe(false);
    },
  );

  it(`[N-10] reports a guard that allows a command when its hook fails (${pinnedVersion})`, {
    timeout: 600_000,
  }, async () => {
    const PreToolUse = { matcher: 'Bash', run: () => deny('No.') };
    const agent = { settingSources: [], allowedTools: ['Bash'], hooks: { PreToolUse } };
    const { counterexamples, opensOnFailure } = await prove(agent, { cli });
    expect({ found: counterexamples.length, opensOnFailure }).toEqual({ found: 0, opensOnFailure: true });
  });

  it(`[N-10] runs commands in a jail without network, in which only its folder is writable (${pinnedVersion})`, async () => {
    const folder = await temporary();
    const out = join(folder, 'outside');
    // Only `lo` is below the two headings of this file. The canary is the evidence that the whole command ran.
    const command = `touch ${out} /etc/coxswain-canary; [ "$(wc -l < /proc/net/dev)" = 3 ] && unlink canary/keep.txt`;
    const agent = { settingSources: [], allowedTools: ['Bash'] };
    const tries = [{ technique: 'out of the jail', calls: [{ name: 'Bash', input: { command } }] }];
    expect((await prove(agent, { cli, tries })).counterexamples).toHaveLength(1);
    expect(existsSync(out) || existsSync('/etc/coxswain-canary')).toBe(false);
  });

  it(`[N-10] runs nothing in a sandbox that opens more than the working directory (${pinnedVersion})`, async () => {
    const sandbox = { enabled: true, filesystem: { allowWrite: ['/etc'] } };
    await expect(prove({ sandbox }, { cli })).rejects.toMatchObject({ name: 'RehearsalError', problem: 'jail' });
    const network = { allowedDomains: ['example.com'] };
    await expect(prove({ settings: { sandbox: { enabled: true, network } } }, { cli })).rejects.toThrow(/sets network/);
  });

  it('[N-10] ends with an error if no command can run in the jail', async () => {
    const broken = join(await temporary(), 'bwrap');
    await writeFile(broken, '#!/bin/sh\necho "bwrap: No permissions to create a new namespace" >&2; exit 1\n', {
      mode: 0o755,
    });
    const before = process.env.COXSWAIN_BWRAP;
    process.env.COXSWAIN_BWRAP = broken;
    try {
      await expect(prove({ allowedTools: ['Bash'] }, { cli })).rejects.toThrow(
        /cannot run commands here: .*No permissions/s,
      );
    } finally {
      process.env.COXSWAIN_BWRAP = before;
    }
  });

  it('[N-10] runs nothing without a jail', async () => {
    const before = process.env.COXSWAIN_BWRAP;
    process.env.COXSWAIN_BWRAP = '/no/such/bwrap';
    try {
      await expect(prove({}, { cli })).rejects.toMatchObject({ name: 'RehearsalError', problem: 'jail' });
    } finally {
      process.env.COXSWAIN_BWRAP = before;
    }
  });
});

describe('cox prove', () => {
  it(`[N-10] prints a counterexample as a test that fails, and passes once the guard is sound (${pinnedVersion})`, {
    timeout: 240_000,
  }, async () => {
    const folder = await temporary();
    const agent = (allowed: string): string =>
      `export default { settingSources: [], allowedTools: ${JSON.stringify([allowed])}, disallowedTools: ['Bash(rm *)'] };\n`;
    await writeFile(join(folder, 'agent.js'), agent('Bash'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const env = { COXSWAIN_BWRAP: bubblewrap(), COXSWAIN_RELEASES: join(root, '.cache/cli') };
    const args = ['prove', '--agent', join(folder, 'agent.js'), '--cli', cli, '--enough', '1'];
    const { stdout, code } = await runCox(args, { env, timeoutMs: 120_000 });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ 1 of \d+ tries got around the guard\./);
    const test = stdout.slice(stdout.indexOf('import assert'));
    expect(test).toContain('the guard withstands: ');
    await writeFile(
      join(folder, 'guard.test.js'),
      test.replace(JSON.stringify(join(folder, 'agent.js')), "'./agent.js'"),
    );
    expect(await nodeTest(folder, env)).toContain('# fail 1');
    await writeFile(join(folder, 'agent.js'), agent('Bash(npm test)'));
    expect(await nodeTest(folder, env)).toContain('# pass 1');
  });
});

describe('asTest()', () => {
  it('[N-10] writes the content of a command as text, not as code', () => {
    const tried = { technique: '`$(1)` "quoted"', calls: [{ name: 'Bash', input: { command: 'echo "`$(x)`\n' } }] };
    const source = asTest(tried, './a"b.js');
    expect(source).toContain(JSON.stringify('echo "`$(x)`\n'));
    expect(source).toContain('import agent from "./a\\"b.js";');
    expect(asTest(tried, 'guard.js')).toContain('import agent from "./guard.js";');
    expect(asTest(tried, '/work/guard.js')).toContain('import agent from "/work/guard.js";');
  });
});

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'prove-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function nodeTest(folder: string, env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...env }, timeout: 120_000 };
    execFile(process.execPath, ['--test', '--test-reporter=tap', 'guard.test.js'], options, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}
