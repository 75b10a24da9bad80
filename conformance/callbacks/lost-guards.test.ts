import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, toolUse } from '@coxswain/testkit';
import { type AgentOptions, allow, deny, openSession, type PermissionDecision, permissions } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { pinnedVersion, realCli, testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';
import { openStage } from './stage.ts';

/** True if `rm victim` deletes the file in a session with these options. */
async function deletes(options: AgentOptions): Promise<boolean> {
  await using stage = await openStage(pinnedVersion, options);
  writeFileSync(stage.path('victim'), 'precious');
  await stage.play([toolUse('Bash', { command: 'rm victim' }), text('done')]);
  return stage.read('victim') === undefined;
}

describe.concurrent('a guard on the real CLI', () => {
  it.each<[string, unknown]>([
    ['a misspelt list', { allow: ['Bash'], denied: ['Bash(rm *)'] }],
    ['a string for a list', { allow: ['Bash'], deny: 'Bash(rm *)' }],
    ['a rule without its end', { allow: ['Bash'], deny: ['Bash(rm *', 'Bash(rm *)'] }],
    ['a rule for many tools', { allow: ['Bash'], deny: ['*(rm *)'] }],
    ['a rule in capital letters', { allow: ['Bash'], deny: ['BASH(rm *)'] }],
    ['a rule with two wildcards', { allow: ['Bash'], deny: ['Bash(rm *:*)'] }],
  ])('[P-4] of a policy from JSON with %s deletes nothing', async (_, policy) => {
    await expect((async () => deletes(permissions(policy as never)))()).rejects.toMatchObject({ code: 'options' });
    expect(await deletes(permissions({ allow: ['Bash'], deny: ['Bash(rm *)'] }))).toBe(false);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['another setting of a wrong kind', { permissions: { deny: ['Bash(rm *)'] }, model: 5 }],
    ['an unknown mode', { permissions: { deny: ['Bash(rm *)'], defaultMode: 'strictest' } }],
    ['malformed hooks', { permissions: { deny: ['Bash(rm *)'] }, hooks: { PreToolUse: 'no' } }],
    ['a misspelt name', { permission: { deny: ['Bash(rm *)'] } }],
  ])(
    '[O-9] in settings that the CLI drops because of %s is an error of a session and of a query',
    async (_, settings) => {
      const options: AgentOptions = { allowedTools: ['Bash'], settings };
      await expect(deletes(options)).rejects.toMatchObject({ code: 'options' });
      await using scene = await openScene([toolUse('Bash', { command: 'rm victim' }), text('done')]);
      const victim = join(scene.home.project, 'victim');
      writeFileSync(victim, 'precious');
      await expect(scene.query('go', options).text()).rejects.toMatchObject({ code: 'options' });
      expect(existsSync(victim)).toBe(true);
    },
  );

  it('[P-4] with a parenthesis in its pattern works in settings, and Edit rules cover Write', async () => {
    const settings = { permissions: { deny: ["Bash(rm '(x)' *)", 'Bash(rm *)'] } };
    expect(await deletes({ allowedTools: ['Bash'], settings })).toBe(false);
    await using stage = await openStage(pinnedVersion, {
      canUseTool: () => allow(),
      disallowedTools: ['Edit(./secret.txt)'],
    });
    await stage.play([toolUse('Write', { file_path: stage.path('secret.txt'), content: 'x' }), text('done')]);
    expect(stage.read('secret.txt')).toBeUndefined();
  });

  it.each<[string, object]>([
    ['a misspelt field', { decision: 'allow', updateInput: { command: 'ls' } }],
    ["a field of the CLI's format", { behavior: 'allow', updatedInput: {}, updated_input: { command: 'ls' } }],
    ['a misspelt option of allow()', allow({ updateInput: { command: 'ls' } } as never)],
  ])('[P-8] that answers with %s does not let the original command run', async (_, answer) => {
    expect(await deletes({ canUseTool: () => answer as PermissionDecision })).toBe(false);
  });

  it('[H-10] that returns an unusable decision does not let the command run', async () => {
    const run = () => ({ decision: 'denied', reason: 'no' }) as never;
    expect(await deletes({ allowedTools: ['Bash'], hooks: { PreToolUse: run } })).toBe(false);
  });

  it('[P-9] cannot be disabled by an answer', async () => {
    let asked = 0;
    const update = {
      type: 'addRules',
      rules: [{ toolName: 'Bash' }],
      behavior: 'allow',
      destination: 'session',
    } as const;
    const canUseTool = (): PermissionDecision => {
      asked += 1;
      return allow({ updatedPermissions: [update] });
    };
    expect(await deletes({ canUseTool })).toBe(false);
    expect(asked).toBe(1);
    expect(await deletes({ canUseTool, allowPermissionUpdates: true })).toBe(true);
  });

  it.each(testedVersions)(
    '[H-1] in a hook of %s is never skipped because of settings: the session does not start',
    async (version) => {
      const guarded: AgentOptions = { allowedTools: ['Bash'], hooks: { PreToolUse: () => deny('no') } };
      await using stage = await openStage(version, guarded);
      writeFileSync(join(stage.home.configDir, 'settings.json'), JSON.stringify({ env: { CLAUDE_CODE_SIMPLE: '1' } }));
      const { cwd, env } = { cwd: stage.home.project, env: stage.home.env() };
      const session = openSession({ ...guarded, cli: realCli(version), cwd, inheritEnv: false, env });
      await expect(session.ready).rejects.toMatchObject({ problems: [{ path: 'hooks' }] });
      await expect(stage.session.applySettings({ env: { CLAUDE_CODE_SIMPLE: '1' } })).rejects.toThrow(/keeps the CLI/);
    },
  );

  it('[P-10] is not affected by an observer that masks the command in place: the original command runs', async () => {
    const mask = (event: object): void => {
      const request: unknown = Reflect.get(event, 'request');
      if (request) Reflect.set(Object(Reflect.get(Object(request), 'input')), 'command', 'echo "***"');
    };
    const observers = [{ opened: () => ({ event: mask }) }];
    expect(await deletes({ canUseTool: () => allow(), onEvent: mask, observers })).toBe(true);
  });

  it('[P-8] that changes the input in place and allows it runs neither input', async () => {
    const canUseTool: AgentOptions['canUseTool'] = (request) => {
      Reflect.set(request.input, 'command', 'ls');
      return allow();
    };
    expect(await deletes({ canUseTool })).toBe(false);
  });
});
