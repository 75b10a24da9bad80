import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allow, decideLater } from 'coxswain';
import { describe, expect, it, onTestFinished } from 'vitest';
import { observedAgent } from '../../src/stage/observed-agent.ts';
import { type Folders, placeOf, toNames, toStage } from '../../src/stage/paths.ts';
import { recordedShell } from '../../src/stage/recorded-shell.ts';
import { fillWorkspace } from '../../src/stage/workspace.ts';
import { aScenario, step } from '../a-scenario.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'rehearsal-test-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const FOLDERS: Folders = {
  workspace: '/tmp/w',
  home: '/tmp/h',
  recordedCwd: '/home/ann/boats',
  recordedHome: '/home/ann',
};

describe('the folders of a rehearsal', () => {
  it('[N-2] replace those of the recording, and no other paths', () => {
    expect(toStage('cat /home/ann/boats/a /home/ann/.npmrc /home/annabel/x /home/ann/boats.', FOLDERS)).toBe(
      'cat /tmp/w/a /tmp/h/.npmrc /home/annabel/x /tmp/w.',
    );
    expect(toNames('/tmp/w/a, -tmp-w, /home/ann/boats, /tmp/h/x', FOLDERS)).toBe(
      '<workspace>/a, <project>, <workspace>, <home>/x',
    );
  });

  it('[N-2] contain no path that leads out of them', () => {
    expect(placeOf('/home/ann/boats/src/a', FOLDERS)).toBe('/tmp/w/src/a');
    expect(placeOf('src/../a', FOLDERS)).toBe('/tmp/w/a');
    for (const path of [
      '/etc/passwd',
      '../x',
      '/home/ann/boats/../../../etc/x',
      '/home/bob/x',
      '/tmp/wx',
      'a/../../x',
    ]) {
      expect(placeOf(path, FOLDERS), path).toBeUndefined();
    }
  });
});

describe('the workspace of a rehearsal', () => {
  it('[N-2] has the files of the recording, and no files outside its folder', async () => {
    const root = await folder();
    const folders: Folders = {
      workspace: join(root, 'w'),
      home: join(root, 'h'),
      recordedCwd: '/work/boats',
      recordedHome: undefined,
    };
    await mkdir(folders.workspace);
    const files = { '/work/boats/src/a.ts': 'a', '/etc/cron.d/x': 'evil', '/work/boats/../../x': 'evil' };
    await fillWorkspace(aScenario([[]], { files }), {}, folders);
    expect(await readdir(root, { recursive: true })).toEqual(['w', 'w/src', 'w/src/a.ts']);
  });

  it('[N-2] is a copy without links that lead out of the folder', async () => {
    const [root, from] = [await folder(), await folder()];
    await writeFile(join(from, 'a'), 'a');
    await symlink('/etc', join(from, 'out'));
    await symlink('a', join(from, 'in'));
    await symlink('.', join(from, 'itself'));
    await symlink(from, join(from, 'absolute'));
    const workspace = join(root, 'w');
    const gaps = await fillWorkspace(aScenario([[]]), { workspace: from }, { ...FOLDERS, workspace });
    expect((await readdir(workspace)).sort()).toEqual(['a', 'absolute', 'in', 'itself']);
    expect(await realpath(join(workspace, 'absolute'))).toBe(await realpath(workspace));
    expect(gaps).toEqual([{ what: expect.stringContaining('leads out of the workspace') }]);
    await writeFile(join(workspace, 'in'), 'changed');
    expect(await readFile(join(from, 'a'), 'utf8')).toBe('a');
  });

  it('[N-2] is a commit of a repository, also without links that lead out of it', async () => {
    const [root, from] = [await folder(), await folder()];
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x', ...args], { cwd: from });
    git('init', '-q', '-b', 'main');
    await writeFile(join(from, 'a'), 'committed');
    await symlink('/etc', join(from, 'out'));
    git('add', '.');
    git('commit', '-qm', 'one');
    await writeFile(join(from, 'a'), 'changed');
    const folders = { ...FOLDERS, workspace: join(root, 'w') };
    const gaps = await fillWorkspace(aScenario([[]]), { workspace: from, ref: 'main' }, folders);
    expect(await readdir(folders.workspace)).toEqual(['a']);
    expect(await readFile(join(folders.workspace, 'a'), 'utf8')).toBe('committed');
    expect(gaps).toEqual([{ what: expect.stringContaining('leads out of the workspace') }]);
    for (const ref of ['none', '--output=/tmp/x', 'a b']) {
      await expect(fillWorkspace(aScenario([[]]), { workspace: from, ref }, folders)).rejects.toMatchObject({
        problem: 'workspace',
      });
    }
    await expect(fillWorkspace(aScenario([[]]), { ref: 'main' }, folders)).rejects.toThrow(/needs a workspace/);
  });

  it('[N-2] is refused if its settings select a provider or a shell', async () => {
    const [root, from] = [await folder(), await folder()];
    await mkdir(join(from, '.claude'));
    const settings = {
      env: { ANTHROPIC_BASE_URL: 'https://example.com', CLAUDE_CODE_SHELL: '/bin/bash' },
      apiKeyHelper: 'x',
    };
    await writeFile(join(from, '.claude/settings.json'), JSON.stringify(settings));
    await expect(
      fillWorkspace(aScenario([[]]), { workspace: from }, { ...FOLDERS, workspace: join(root, 'w') }),
    ).rejects.toThrow(/sets env\.ANTHROPIC_BASE_URL, env\.CLAUDE_CODE_SHELL, apiKeyHelper/);
  });
});

describe('the recorded shell', () => {
  it('[N-2] prints the results of concurrent calls, and runs nothing', async () => {
    const root = await folder();
    const shell = await recordedShell(join(root, 'shell'));
    const evil = `touch '${root}/ran'; $(touch ${root}/ran)`;
    await shell.expect(evil, { outcome: 'ran', text: 'Exit code 3\nnot run', isError: true });
    await shell.expect("echo it's", { outcome: 'ran', text: 'second', isError: false });
    const run = (script: string) => {
      try {
        return { code: 0, out: String(execFileSync(shell.env.CLAUDE_CODE_SHELL ?? '', ['-c', '-l', script])) };
      } catch (error) {
        const { status, stdout } = error as { status: number; stdout: Buffer };
        return { code: status, out: String(stdout) };
      }
    };
    const asTheCli = (command: string) =>
      `shopt -u extglob && eval '${command.replaceAll("'", `'"'"'`)}' < /dev/null && pwd`;
    expect(await shell.wasCalled()).toBe(false);
    expect(run('env')).toEqual({ code: 0, out: '' });
    expect(run(asTheCli("echo it's"))).toEqual({ code: 0, out: 'second' });
    expect(run(asTheCli(evil))).toEqual({ code: 3, out: 'not run' });
    expect(run(asTheCli('rm -rf /'))).toEqual({ code: 0, out: '' });
    expect(await shell.wasCalled()).toBe(true);
    expect(await readdir(root)).toEqual(['shell']);
  });
});

describe('the agent of a rehearsal', () => {
  it('[N-2] has neither the provider, the credentials nor the conversation of its original', () => {
    const { options, gaps } = observedAgent(
      {
        model: 'sonnet',
        apiKey: 'sk-ant-x',
        resume: 'x',
        cli: '/bin/claude',
        addDirs: ['/etc'],
        env: { ANTHROPIC_BASE_URL: 'https://example.com', CLAUDE_CODE_USE_BEDROCK: '1', BOAT: 'Ariel' },
        settings: { env: { HTTPS_PROXY: 'http://example.com' } },
      },
      aScenario([[]]),
    );
    expect(options).toEqual({ model: 'sonnet', env: { BOAT: 'Ariel' }, strictMcpConfig: true });
    expect(gaps.map(({ what }) => what)).toEqual([
      'the option addDirs of the agent is not used',
      expect.stringContaining('the option settings of the agent is not used'),
    ]);
  });

  it('[N-3] uses the recorded answer if the callback wants to decide later', async () => {
    const ran = step('Bash', { command: 'make deploy' });
    const { options, seen } = observedAgent({ canUseTool: () => decideLater() }, aScenario([[ran]]));
    const request = { toolUseId: ran.call.id } as never;
    expect(await options.canUseTool?.(request, {} as never)).toEqual(allow());
    expect(await options.canUseTool?.({ toolUseId: 'other' } as never, {} as never)).toMatchObject({
      decision: 'deny',
    });
    expect(seen.asks.map(({ answer }) => answer)).toEqual(['as-recorded', 'as-recorded']);
  });
});
