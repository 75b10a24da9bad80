import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ReplyStep, text, toolUse } from '@coxswain/testkit';
import {
  addContext,
  allow,
  askUser,
  deferTool,
  deny,
  modifyInput,
  type PermissionRequest,
  permissions,
  replaceOutput,
  stopTurn,
} from 'coxswain';
import { beforeEach, describe, expect, it } from 'vitest';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { hooked } from './hooked.ts';
import { openStage, type Stage, sharedStage } from './stage.ts';

function write(stage: Stage, name: string, content = 'by the model'): ReplyStep {
  return toolUse('Write', { file_path: stage.path(name), content });
}

describe.concurrent.each(testedVersions)('answers of canUseTool in %s', (version) => {
  const asked: PermissionRequest[] = [];
  let signal: AbortSignal | undefined;
  const stage = sharedStage(version, {
    limits: { permissionTimeoutMs: 300 },
    allowPermissionUpdates: true,
    canUseTool(request, context) {
      if (JSON.stringify(request.input).includes('too-late')) {
        signal = context.signal;
        return new Promise(() => {});
      }
      asked.push(request);
      return allow({ updatedPermissions: request.suggestions });
    },
  });

  it.sequential('[P-3] deny the tool after the timeout', async () => {
    const turn = await stage().play([write(stage(), 'too-late'), text('what a pity')]);
    expect(stage().read('too-late')).toBeUndefined();
    expect(turn.modelReceived('the request timed out')).toBe(true);
    expect(signal?.aborted).toBe(true);
    expect(turn.warnings).toMatchObject([
      { code: 'permission-failed', context: { failure: 'timeout' } },
      { code: 'permission-denied' },
    ]);
  });

  it.sequential('[P-2] updatedPermissions: the suggested rules apply, and the second call needs no permission request', async () => {
    await stage().play([write(stage(), 'first'), write(stage(), 'second'), text('done')]);
    await stage().play([write(stage(), 'third'), text('done')]);
    expect(['first', 'second', 'third'].map((name) => stage().read(name))).toEqual(Array(3).fill('by the model'));
    expect(asked).toHaveLength(1);
  });
});

describe.concurrent.each(testedVersions)('permissions in %s', (version) => {
  it('[P-2] updatedPermissions for the settings: the rule is written there; older releases ask again', async () => {
    let asked = 0;
    await using stage = await openStage(version, {
      allowPermissionUpdates: true,
      canUseTool() {
        asked += 1;
        const rules = [{ toolName: 'Write' }];
        return allow({
          updatedPermissions: [{ type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' }],
        });
      },
    });
    await stage.play([...['first', 'second', 'third'].map((name) => write(stage, name)), text('done')]);
    expect(asked).toBe(version === pinnedVersion ? 1 : 2);
    expect(stage.read('third')).toBe('by the model');
    expect(stage.read('.claude/settings.local.json')).toContain('Write');
  });

  it('[P-6] canUseTool is called for a plan: a denial keeps the mode, an approval ends it', async () => {
    const asked: PermissionRequest[] = [];
    await using stage = await openStage(version, {
      permissionMode: 'plan',
      canUseTool(request) {
        asked.push(request);
        if (request.toolName !== 'ExitPlanMode') return deny('words-about-the-tool');
        return asked.length === 1 ? deny('words-about-the-plan') : allow();
      },
    });
    const plan = (): ReplyStep => toolUse('ExitPlanMode', { plan: '1. Write a file.' });
    const refused = await stage.play([plan(), text('I shall think again')]);
    expect(asked).toMatchObject([{ kind: 'plan', toolName: 'ExitPlanMode' }]);
    expect(refused.modelReceived('words-about-the-plan')).toBe(true);

    const approved = await stage.play([plan(), text('to work')]);
    expect(approved.requests[1]?.toolResults).toMatchObject([{ isError: false }]);
    const next = await stage.play([text('hm')]);
    expect(next.messages.find((message) => message.type === 'system')).not.toMatchObject({ permissionMode: 'plan' });
  });

  it('[P-4] the CLI enforces a policy, and asks about all other calls', async () => {
    const asked: string[] = [];
    await using stage = await openStage(version, {
      ...permissions({
        allow: ['Bash(touch *)'],
        deny: ['Read(./secret.txt)', 'Bash(cat *)'],
        ask: ({ toolName }) => {
          asked.push(toolName);
          return deny('words-of-the-policy');
        },
      }),
    });
    for (const name of ['secret.txt', 'open.txt']) writeFileSync(stage.path(name), `content of ${name}`);
    const read = (name: string): ReplyStep => toolUse('Read', { file_path: stage.path(name) });
    const turn = await stage.play([
      [read('secret.txt'), read('open.txt')],
      toolUse('Bash', { command: 'cat secret.txt' }),
      toolUse('Bash', { command: 'touch made' }),
      write(stage, 'asked.txt'),
      text('done'),
    ]);
    expect(turn.modelReceived('content of secret.txt')).toBe(false);
    expect(turn.modelReceived('content of open.txt')).toBe(true);
    expect(stage.read('made')).toBe('');
    expect(asked).toEqual(['Write']);
    expect(stage.read('asked.txt')).toBeUndefined();
    expect(turn.modelReceived('words-of-the-policy')).toBe(true);
    expect(stage.count('permissions-shadowed')).toBe(0);
  });

  it.each([
    ['Write(./kept.txt)', 'by the model'],
    ['Edit(./kept.txt)', undefined],
  ])('[P-4] %s in a settings file: the CLI compares paths only with rules of Edit', async (rule, found) => {
    const folder = await mkdtemp(join(tmpdir(), 'cox-settings-'));
    try {
      const settings = join(folder, 'settings.json');
      writeFileSync(settings, JSON.stringify({ permissions: { deny: [rule] } }));
      await using stage = await openStage(version, { settings, permissionMode: 'acceptEdits' });
      await stage.play([write(stage, 'kept.txt'), text('done')]);
      expect(stage.read('kept.txt')).toBe(found);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('[P-4] getSettings() does not remove settings that were passed to the CLI', async () => {
    await using stage = await openStage(version, { settings: { env: { GREETING: 'hello' } }, allowedTools: ['Bash'] });
    const answer = await stage.session.getSettings().catch((error: unknown) => error);
    if (version === pinnedVersion) expect(answer).toMatchObject({ effective: { env: { GREETING: 'hello' } } });
    else expect(answer).toMatchObject({ name: 'UnsupportedRequestError', required: '2.1.229' });
    const turn = await stage.play([toolUse('Bash', { command: 'echo "$GREETING, world"' }), text('done')]);
    expect(turn.modelReceived('hello, world')).toBe(true);
  });

  it('[P-4] applySettings() does not remove rules that were passed to the CLI', async () => {
    const settings = { permissions: { deny: ['Bash(touch *)'] } };
    await using stage = await openStage(version, { settings, allowedTools: ['Bash'], permissionMode: 'default' });
    const answer = await stage.session.applySettings({ includeCoAuthoredBy: false }).catch((error: unknown) => error);
    if (version === '2.1.197') expect(answer).toMatchObject({ name: 'UnsupportedRequestError', required: '2.1.290' });
    await stage.play([toolUse('Bash', { command: 'touch made' }), text('done')]);
    expect(stage.read('made')).toBeUndefined();
  });

  it('[P-5] a canUseTool that is never called causes a warning at the start', async () => {
    let asked = 0;
    const canUseTool = () => {
      asked += 1;
      return deny('no');
    };
    await using shadowed = await openStage(version, { canUseTool, allowedTools: ['Write', 'Bash(git log *)'] });
    expect(shadowed.warnings).toMatchObject([{ code: 'permissions-shadowed', context: { tools: ['Write'] } }]);
    await shadowed.play([write(shadowed, 'unasked'), text('done')]);
    expect(shadowed.read('unasked')).toBe('by the model');

    await using silent = await openStage(version, { canUseTool, permissionMode: 'dontAsk' });
    expect(silent.warnings).toMatchObject([{ code: 'permissions-shadowed', context: { permissionMode: 'dontAsk' } }]);
    await silent.play([write(silent, 'refused'), text('done')]);
    expect(silent.read('refused')).toBeUndefined();
    expect(asked).toBe(0);
  });
});

describe.concurrent.each(testedVersions)('PermissionRequest beside canUseTool in %s', (version) => {
  const { hooks, answer, inputs } = hooked('PermissionRequest');
  const signals: AbortSignal[] = [];
  let decided = false;
  const stage = sharedStage(version, {
    hooks,
    allowPermissionUpdates: true,
    canUseTool(_, { signal }) {
      signals.push(signal);
      return decided ? deny('words-of-canUseTool') : new Promise(() => {});
    },
  });

  beforeEach(() => {
    signals.length = 0;
    decided = false;
  });

  it.sequential('[H-1, H-3] receives the call and the suggestions', async () => {
    decided = true;
    answer({});
    const turn = await stage().play([write(stage(), 'plain'), text('done')]);
    expect(inputs('PermissionRequest')).toMatchObject([
      {
        tool_name: 'Write',
        tool_input: { file_path: stage().path('plain'), content: 'by the model' },
        permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      },
    ]);
    expect(turn.modelReceived('words-of-canUseTool')).toBe(true);
    expect(stage().count('hook-input-changed')).toBe(0);
  });

  it.sequential('[H-4, H-8] allow: the tool runs, and the request to canUseTool is withdrawn', async () => {
    answer({ PermissionRequest: () => allow() });
    await stage().play([write(stage(), 'allowed'), text('done')]);
    expect(stage().read('allowed')).toBe('by the model');
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(stage().session.pendingPermissions()).toEqual([]);
  });

  it.sequential('[H-4] allow with another input: the tool runs with that input', async () => {
    const file_path = stage().path('changed');
    answer({ PermissionRequest: () => allow({ updatedInput: { file_path, content: 'by the hook' } }) });
    await stage().play([write(stage(), 'changed'), text('done')]);
    expect(stage().read('changed')).toBe('by the hook');
  });

  it.sequential('[H-4] deny: the tool does not run, the model gets the reason, and the turn continues', async () => {
    answer({ PermissionRequest: () => deny('words-of-the-hook') });
    const turn = await stage().play([write(stage(), 'denied'), text('what a pity')]);
    expect(stage().read('denied')).toBeUndefined();
    expect(turn.modelReceived('words-of-the-hook')).toBe(true);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'what a pity' });
  });

  it.sequential.each([
    ['deny with interrupt', () => deny('enough', { interrupt: true })],
    ['stopTurn', () => stopTurn('enough')],
  ])('[H-4] %s: the tool does not run, and the turn ends', async (name, act) => {
    answer({ PermissionRequest: act });
    const file = name.replaceAll(' ', '-');
    const turn = await stage().play([write(stage(), file), text('unheard')]);
    expect(stage().read(file)).toBeUndefined();
    expect(turn.messagesContain('unheard')).toBe(false);
    expect(turn.outcome).toMatchObject({ kind: 'interrupted' });
  });

  it.sequential('[H-4] askUser: canUseTool decides', async () => {
    decided = true;
    answer({ PermissionRequest: () => askUser() });
    const turn = await stage().play([write(stage(), 'left'), text('done')]);
    expect(turn.requests[1]?.toolResults[0]?.text).toContain('words-of-canUseTool');
  });

  it.sequential('[H-4, H-5] an unsupported decision causes a warning, and canUseTool decides', async () => {
    decided = true;
    for (const outcome of [addContext('no'), modifyInput({ no: 1 }), deferTool(), replaceOutput('no')]) {
      answer({ PermissionRequest: () => outcome });
      const turn = await stage().play([write(stage(), 'misplaced'), text('done')]);
      expect(turn.requests[1]?.toolResults[0]?.text).toContain('words-of-canUseTool');
      expect(turn.warnings[0]).toMatchObject({
        code: 'decision-not-expressible',
        context: { event: 'PermissionRequest', what: outcome.decision },
      });
    }
  });

  it.sequential('[H-4] allow with new rules: the second call needs no permission request', async () => {
    const mode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' } as const;
    answer({ PermissionRequest: () => allow({ updatedPermissions: [mode] }) });
    await stage().play([write(stage(), 'ruled'), write(stage(), 'ruled-too'), text('done')]);
    expect(stage().read('ruled-too')).toBe('by the model');
    expect(inputs('PermissionRequest')).toHaveLength(1);
  });
});

describe.concurrent.each(testedVersions)('without canUseTool in %s', (version) => {
  const { hooks, answer, inputs } = hooked('PermissionRequest');
  const stage = sharedStage(version, { hooks, ...permissions({ deny: ['Read', 'Bash'] }) });

  it.sequential('[P-4] a policy that denies a whole tool removes it from the tools of the model', async () => {
    answer({ PermissionRequest: () => allow() });
    writeFileSync(stage().path('secret.txt'), 'content of secret.txt');
    const turn = await stage().play([
      toolUse('Read', { file_path: stage().path('secret.txt') }),
      toolUse('Bash', { command: 'echo ran > ran' }),
      text('done'),
    ]);
    expect(turn.requests[0]?.tools).not.toContain('Read');
    expect(turn.modelReceived('content of secret.txt')).toBe(false);
    expect(stage().read('ran')).toBeUndefined();
    expect(inputs('PermissionRequest')).toEqual([]);
  });

  it.sequential('[H-1, H-4] PermissionRequest decides in newer releases; older ones do not call it and refuse the tool', async () => {
    answer({ PermissionRequest: () => allow() });
    const turn = await stage().play([write(stage(), 'alone'), text('done')]);
    const newer = version === pinnedVersion;
    expect(inputs('PermissionRequest')).toHaveLength(newer ? 1 : 0);
    expect(stage().read('alone')).toBe(newer ? 'by the model' : undefined);
    expect(turn.warnings.map(({ code }) => code)).toEqual(newer ? [] : ['permission-denied']);
  });
});
