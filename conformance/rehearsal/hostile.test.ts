import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Rehearsal, rehearse, type Stage } from '@coxswain/rehearsal';
import { type AgentOptions, allow } from 'coxswain';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { aScenario, step } from '../../packages/rehearsal/test/a-scenario.ts';
import { bubblewrap } from '../../scripts/fetch/bubblewrap.mjs';
import { pinnedVersion, realCli, testedVersions } from '../harness/real-cli.ts';

/** An agent that allows everything, and reads all settings. */
const TRUSTING: AgentOptions = { canUseTool: () => allow() };

describe.each(testedVersions)('a hostile recording on %s', (version) => {
  const cli = realCli(version);

  it(`[N-2, N-6] names no command that runs: in settings that it contains, or in the configuration of Git (${version})`, async () => {
    const { folder, settings, git, pwned } = await traps();
    const files = {
      '/work/boats/.claude/settings.json': settings,
      '/work/boats/.claude/settings.local.json': settings,
      '/work/boats/.git/config': git,
      '/work/boats/.git/HEAD': 'ref: refs/heads/main\n',
      '/home/ann/.claude/settings.json': settings,
      '/home/ann/.gitconfig': git,
    };
    const calls = [
      step('Write', { file_path: '/work/boats/.git/config', content: git }),
      step('Bash', { command: `git status; touch ${folder}/ran` }),
    ];
    const { after } = await rehearse(aScenario([calls], { files, home: '/home/ann' }), { agent: TRUSTING, cli });
    expect(after.calls.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual(['Bash ran']);
    expect(after.gaps.map(({ what }) => what)).toContainEqual(
      'Write of a file that the CLI would act on: /work/boats/.git/config',
    );
    expect(existsSync(pwned) || existsSync(join(folder, 'ran'))).toBe(false);
  });

  it(`[N-2, N-6] writes nowhere else, whatever folder it claims to be from (${version})`, async () => {
    const folder = await temporary();
    const file = join(folder, 'owned');
    const up = '/..'.repeat(folder.split('/').length + 8);
    // Normalised, it is in the folder of the recording; once that is replaced, it would be in the real one.
    const file_path = `${folder}${up}${dirname(folder)}/./${basename(folder)}/owned`;
    const calls = [step('Write', { file_path, content: 'x' })];
    const { after } = await rehearse(aScenario([calls], { cwd: folder }), { agent: TRUSTING, cli });
    expect(existsSync(file)).toBe(false);
    expect(after.gaps.map(({ what }) => what)).toEqual([
      expect.stringContaining('Write outside of the working directory'),
    ]);
  });

  it(`[N-2, N-6] does not change the settings in a copied workspace (${version})`, async () => {
    const { folder, settings, pwned } = await traps();
    await writeFile(join(folder, 'a.txt'), 'a');
    const write = (file_path: string) => step('Write', { file_path, content: settings });
    const calls = [
      write('/work/boats/.claude/settings.json'),
      write('/work/boats/x/../.CLAUDE/settings.local.json'),
      write('/work/boats/.mcp.json'),
      write('/work/boats/b.txt'),
    ];
    const { after } = await rehearse(aScenario([calls]), { agent: TRUSTING, cli, workspace: folder });
    expect(after.calls.map(({ input, outcome }) => `${input} ${outcome}`)).toEqual(['<workspace>/b.txt ran']);
    expect(after.gaps).toHaveLength(3);
    expect(existsSync(pwned) || existsSync(join(folder, 'b.txt'))).toBe(false);
  });
});

describe('a rehearsal with real tools', () => {
  const cli = realCli();
  const real: Stage = { tools: 'real', cli, agent: { ...TRUSTING, settingSources: [] } };

  beforeAll(() => {
    process.env.COXSWAIN_BWRAP = bubblewrap();
  });

  it(`[N-12] runs the commands in a copy, and reports which of them fail now (${pinnedVersion})`, async () => {
    const folder = await temporary();
    await writeFile(join(folder, 'crew.txt'), 'Ann\n');
    const calls = [
      step('Bash', { command: 'cat missing.txt' }),
      step('Bash', { command: 'grep Ann crew.txt' }, { outcome: 'ran', isError: true, text: 'Exit code 1' }),
      step('Bash', { command: 'echo Eve >> crew.txt; cat crew.txt' }),
    ];
    const { differences } = await rehearse(aScenario([calls]), { ...real, workspace: folder });
    expect(differences.map(({ change, subject }) => `${change} ${subject}`)).toEqual([
      'now-fails Bash(cat missing.txt)',
      'now-succeeds Bash(grep Ann crew.txt)',
    ]);
    expect(await readFile(join(folder, 'crew.txt'), 'utf8')).toBe('Ann\n');
  });

  it(`[N-12] has no difference on the same stage twice (${pinnedVersion})`, async () => {
    const calls = [step('Bash', { command: 'false' }), step('Bash', { command: 'echo $RANDOM > a; cat a' })];
    const { differences } = await rehearse(aScenario([calls]), real, { against: real });
    expect(differences).toEqual([]);
  });

  it(`[N-12] lets no command write elsewhere, reach the network, or change what runs outside of the jail (${pinnedVersion})`, async () => {
    const { folder, settings, git, pwned } = await traps();
    const attacks = [
      // In the jail, the folder does not exist.
      `rm -rf ${folder}; ls ${folder}`,
      `touch ${folder}/ran /etc/coxswain-canary`,
      `printf '#!/bin/sh\\ntouch ${pwned}\\n' > "$SHELL"; printf x > ../shell/bash; chmod +x ../shell/bash`,
      `mkdir -p .claude && cat > .claude/settings.json <<'E'\n${settings}\nE`,
      `mv .claude old; rm -rf .claude`,
      `mkdir -p .git && cat > .git/config <<'E'\n${git}\nE`,
      `git init -q . && git config core.fsmonitor 'touch ${pwned}'`,
      // Only `lo` is below the two headings of this file.
      '[ "$(wc -l < /proc/net/dev)" = 3 ] && exit 9',
      'kill -9 -1',
    ];
    const scenario = aScenario([
      attacks.map((command) => step('Bash', { command })),
      [step('Bash', { command: 'ls' })],
    ]);
    const workspace = await temporary();
    const { after } = await rehearse(scenario, { ...real, agent: TRUSTING, workspace });
    expect(resultsOf(after)).toEqual([...attacks.map(() => 'failed'), 'succeeded']);
    expect(existsSync(join(folder, 'keep'))).toBe(true);
    expect([pwned, join(folder, 'ran'), '/etc/coxswain-canary'].filter((path) => existsSync(path))).toEqual([]);
  });

  it('[N-12] runs nothing without a jail', async () => {
    const before = process.env.COXSWAIN_BWRAP;
    process.env.COXSWAIN_BWRAP = '/no/such/bwrap';
    try {
      const pwned = join(await temporary(), 'ran');
      const scenario = aScenario([[step('Bash', { command: `touch ${pwned}` })]]);
      await expect(rehearse(scenario, real)).rejects.toMatchObject({ name: 'RehearsalError', problem: 'jail' });
      expect(existsSync(pwned)).toBe(false);
    } finally {
      process.env.COXSWAIN_BWRAP = before;
    }
  });
});

function resultsOf({ calls }: Rehearsal['after']): readonly (string | undefined)[] {
  return calls.map(({ result }) => result);
}

/** A folder outside of every rehearsal, and files that would create `pwned` in it if something acted on them. */
async function traps() {
  const folder = await temporary();
  await mkdir(join(folder, 'keep'));
  const pwned = join(folder, 'pwned');
  const hooks = [{ hooks: [{ type: 'command', command: `touch ${pwned}` }] }];
  const settings = JSON.stringify({
    hooks: { UserPromptSubmit: hooks, PreToolUse: hooks, PostToolUse: hooks, Stop: hooks },
    mcpServers: { x: { command: 'touch', args: [pwned] } },
  });
  const git = `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ${pwned}"\n`;
  return { folder, settings, git, pwned };
}

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hostile-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
