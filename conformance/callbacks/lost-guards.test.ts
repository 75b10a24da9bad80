import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { text, toolUse } from '@coxswain/testkit';
import {
  type AgentOptions,
  allow,
  deny,
  type HookDecision,
  openSession,
  type PermissionDecision,
  permissions,
  type Session,
} from 'coxswain';
import { describe, expect, it } from 'vitest';
import { pinnedVersion, realCli, supportedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';
import { openStage } from './stage.ts';

/** True if `rm victim` deletes the file in a session with these options. */
async function deletes(options: AgentOptions): Promise<boolean> {
  await using stage = await openStage(pinnedVersion, options);
  writeFileSync(stage.path('victim'), 'precious');
  await stage.play([toolUse('Bash', { command: 'rm victim' }), text('done')]);
  return stage.read('victim') === undefined;
}

/** A scene in which the model deletes a file in each turn, and settings of the user change. */
async function openSettingsStage(version: string) {
  const removal = [toolUse('Bash', { command: 'rm victim' }), text('done')];
  const scene = await openScene([...removal, ...removal], { version });
  const { configDir, project } = scene.home;
  const victim = join(project, 'victim');
  writeFileSync(victim, 'precious');
  const sessions: Session[] = [];
  return {
    open(options: AgentOptions): Session {
      const session = openSession({
        ...options,
        cli: realCli(version),
        cwd: project,
        inheritEnv: false,
        env: scene.home.env(),
      });
      sessions.push(session);
      return session;
    },
    change: (settings: object): void => writeFileSync(join(configDir, 'settings.json'), JSON.stringify(settings)),
    // The CLI waits for a second without another change.
    reread: () => setTimeout(2_500),
    deleted: () => !existsSync(victim),
    async [Symbol.asyncDispose]() {
      for (const session of sessions) await session.close();
      await scene[Symbol.asyncDispose]();
    },
  };
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

  it.each(supportedVersions)(
    '[H-1] in a hook of %s is called although the settings of the user switch hooks off, before the start or later',
    async (version) => {
      for (const late of [false, true]) {
        let called = 0;
        const run = (): HookDecision => {
          called += 1;
          return deny('no');
        };
        await using stage = await openSettingsStage(version);
        const off = (): void => stage.change({ env: { CLAUDE_CODE_SIMPLE: '1' } });
        if (!late) off();
        const session = stage.open({ allowedTools: ['Bash'], hooks: { PreToolUse: run } });
        await session.send('go').text();
        if (late) off();
        await stage.reread();
        await session.send('go').text();
        expect({ called, deleted: stage.deleted() }).toEqual({ called: 2, deleted: false });
        await expect(session.applySettings({ env: { CLAUDE_CODE_SIMPLE: '1' } })).rejects.toThrow(/keeps the CLI/);
      }
    },
  );

  it.each(supportedVersions)(
    '[O-9] in the settings of a session on %s stays when a settings file of the user changes',
    async (version) => {
      await using stage = await openSettingsStage(version);
      const session = stage.open({ allowedTools: ['Bash'], settings: { permissions: { deny: ['Bash(rm *)'] } } });
      await session.send('go').text();
      stage.change({ theme: 'dark' });
      await stage.reread();
      await session.send('go').text();
      expect(stage.deleted()).toBe(false);
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
