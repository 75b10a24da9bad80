import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { apiError, text, toolUse } from '@coxswain/testkit';
import type { Turn } from 'coxswain';
import { ControlRequestError } from 'coxswain/errors';
import type { SystemInit } from 'coxswain/types';
import { describe, expect, it } from 'vitest';
import { pinnedVersion, supportedVersions, testedVersions } from '../harness/real-cli.ts';
import { openStage, type Stage } from './stage.ts';

const SONNET = 'claude-sonnet-4-5';
const HAIKU = 'claude-haiku-4-5';

describe.concurrent.each(testedVersions)('the settings of a session with %s', (version) => {
  it('[S-7, X-1] can be overridden for one turn and are restored after it, and can be changed permanently: the API requests and the next init show it', async () => {
    await using stage = await openStage(() => text('answer'), { version });
    // Two spellings of the same setting.
    const budget =
      version === pinnedVersion
        ? ({ thinking: { type: 'enabled', budgetTokens: 3_000 } } as const)
        : { maxThinkingTokens: 3_000 };
    const session = await stage.start({ model: SONNET, permissionMode: 'acceptEdits', ...budget });
    const thinking = { type: 'enabled', budgetTokens: 2_000 } as const;
    const sent = [
      session.send('go'),
      session.send('go', { model: HAIKU, permissionMode: 'plan', thinking }),
      session.send('go'),
      session.send('go', { model: 'haiku' }),
      session.send('go'),
    ];
    const ran = await Promise.all(sent.map(run));
    expect(ran.map(({ init }) => init?.permissionMode)).toEqual([
      'acceptEdits',
      'plan',
      'acceptEdits',
      'acceptEdits',
      'acceptEdits',
    ]);
    const usual = { model: SONNET, thinking: { type: 'enabled', budget_tokens: 3_000 } };
    expect(requests(stage)).toMatchObject([
      usual,
      { model: HAIKU, thinking: { type: 'enabled', budget_tokens: 2_000 } },
      usual,
      { model: expect.stringContaining('haiku') },
      usual,
    ]);

    await session.setModel(HAIKU);
    await session.setPermissionMode('plan');
    await session.setMaxThinkingTokens(2_000);
    const { init } = await run(session.send('go'));
    expect(init).toMatchObject({ model: expect.stringContaining(HAIKU), permissionMode: 'plan' });
    expect(session.capabilities).toMatchObject({ model: init?.model, permissionMode: 'plan' });
    await session.setMaxThinkingTokens(0);
    await run(session.send('go'));
    await session.setMaxThinkingTokens(null);
    await run(session.send('go'));
    expect(requests(stage).slice(sent.length)).toMatchObject([
      { model: HAIKU, thinking: { type: 'enabled', budget_tokens: 2_000 } },
      { model: HAIKU, thinking: { type: 'disabled' } },
      // Null restores the flag on 2.1.325, and the release's own default on 2.1.197.
      { model: HAIKU, thinking: { type: 'enabled', budget_tokens: version === pinnedVersion ? 3_000 : 31_999 } },
    ]);
  });

  it('[S-6] apply to its fork: a tool that the session denies does not run there', async () => {
    const answers = [text('hello'), toolUse('Bash', { command: 'touch kept' }), text('done')];
    answers.push(toolUse('Write', { file_path: 'edited', content: 'x' }), text('done'));
    await using stage = await openStage(answers, { version });
    const session = await stage.start({ permissionMode: 'acceptEdits', allowedTools: ['Bash'] });
    await session.send('go').text();
    await session.setPermissionMode('default');
    await session.applySettings({ permissions: { deny: ['Bash(touch *)'] } });
    await using fork = await session.fork();
    for (const name of ['kept', 'edited']) {
      await fork.send('go').text();
      expect(existsSync(join(stage.home.project, name))).toBe(false);
    }
  });

  it('[S-7, X-2] are restored after a turn that overrides them even if they were never set and the turn fails with an unknown model', async () => {
    const aside = (request: { model: string }) => (request.model === 'no-such-model' ? apiError(404) : undefined);
    await using stage = await openStage({ main: () => text('answer'), aside }, { version });
    const session = await stage.start({ thinking: { type: 'disabled' } });
    const usual = (await session.getSettings()).applied?.model;
    const thinking = { type: 'enabled', budgetTokens: 2_000 } as const;
    await Promise.all([session.send('go', { model: HAIKU, thinking }), session.send('go', { model: SONNET })].map(run));
    expect(requests(stage)).toMatchObject([
      { model: HAIKU, thinking: { type: 'enabled', budget_tokens: 2_000 } },
      { model: SONNET, thinking: { type: 'disabled' } },
    ]);
    await run(session.send('go'));
    expect(usual).toContain(requests(stage)[2]?.model);

    // Older releases accept any name.
    if (version !== pinnedVersion) return;
    await session.setModel(SONNET);
    const refused = await session
      .send('go', { model: 'no-such-model' })
      .text()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ControlRequestError);
    expect(refused).toMatchObject({ kind: 'set_model', errorCode: 'not_found' });
    expect(requests(stage)).toHaveLength(3);
    await run(session.send('go'));
    expect(requests(stage)[3]).toMatchObject({ model: SONNET });
  });
});

describe.concurrent.each(supportedVersions)('the settings that are applied to a running session with %s', (version) => {
  it('[O-9, X-1] are rejected if the CLI cannot read one of them, and earlier deny rules stay in force', async () => {
    const touch = (name: string) => [toolUse('Bash', { command: `touch ${name}` }), text('done')];
    await using stage = await openStage([...touch('early'), ...touch('late')], { version });
    const session = await stage.start({ allowedTools: ['Bash'] });
    const deny = ['Bash(touch *)'];
    const unreadable = { permissions: { deny: [] }, cleanupPeriodDays: 'a month' };
    await session.applySettings({ permissions: { deny } });
    await expect(session.applySettings(unreadable)).rejects.toThrow(/cannot read a part of them|invalid settings/);
    await session.send('go').text();
    await session.applySettings({ includeCoAuthoredBy: false });
    await session.send('go').text();
    expect(['early', 'late'].filter((name) => existsSync(join(stage.home.project, name)))).toEqual([]);
    expect((await session.getSettings()).sources).toContainEqual({
      source: 'flagSettings',
      settings: { permissions: { deny }, includeCoAuthoredBy: false },
    });
  });
});

/** Reads a turn until it ends. */
async function run(turn: Turn): Promise<{ init: SystemInit | undefined }> {
  const { messages: items, terminalError } = await turn.collect();
  if (terminalError) throw terminalError;
  return { init: items.find((message) => message.type === 'system' && message.subtype === 'init') };
}

/** What each turn requested from the API; 2.1.197 names a model with the day of its release. */
function requests(stage: Stage): { model: string; thinking: unknown }[] {
  return stage.api.conversation.map(({ model, body }) => ({
    model: model.replace(/-\d{8}$/, ''),
    thinking: body.thinking,
  }));
}
