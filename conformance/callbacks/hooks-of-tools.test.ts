import { type Reply, text, toolUse } from '@coxswain/testkit';
import {
  addContext,
  allow,
  askUser,
  deferTool,
  deny,
  modifyInput,
  type Outcome,
  type PermissionRequest,
  replaceOutput,
  stopTurn,
} from 'coxswain';
import { beforeEach, describe, expect, it } from 'vitest';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { hooked } from './hooked.ts';
import { sharedStage } from './stage.ts';

/** A call of an allowed tool that creates a file. */
function write(name: string): Reply {
  return toolUse('Bash', { command: `echo ran > ${name}` });
}

const BASE = {
  session_id: expect.any(String),
  transcript_path: expect.stringMatching(/\.jsonl$/),
  cwd: expect.stringMatching(/project$/),
  permission_mode: 'default',
};

describe.concurrent.each(testedVersions)('before and after a tool in %s', (version) => {
  /** The end of a turn that a hook stopped before a tool ran: older releases must be interrupted. */
  const stopped: Partial<Outcome> =
    version === pinnedVersion ? { kind: 'stopped-by-hook', at: 'tool' } : { kind: 'interrupted' };
  const asked: PermissionRequest[] = [];
  const { hooks, answer, inputs } = hooked('PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch');
  const stage = sharedStage(version, {
    hooks,
    allowedTools: ['Bash'],
    canUseTool(request) {
      asked.push(request);
      return deny('nobody may');
    },
  });

  const echo = (said: string): Reply => toolUse('Bash', { command: `echo ${said}` });
  const readMissing = (): Reply => toolUse('Read', { file_path: stage().path('missing') });

  beforeEach(() => {
    asked.length = 0;
  });

  it.sequential('[H-1, H-3] PreToolUse receives the whole call, and by default lets the tool run', async () => {
    answer({});
    const turn = await stage().play([write('default'), text('done')]);
    expect(inputs('PreToolUse')).toMatchObject([
      {
        ...BASE,
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_input: { command: 'echo ran > default' },
        tool_use_id: expect.stringMatching(/^toolu_/),
      },
    ]);
    expect(stage().read('default')).toBe('ran\n');
    expect(turn).toMatchObject({ outcome: { kind: 'completed', text: 'done' }, warnings: [] });
  });

  it.sequential('[H-4, P-5] PreToolUse deny: the tool does not run, the model gets the reason, the turn continues, and a warning names the tool', async () => {
    answer({ PreToolUse: () => deny('reason-of-deny') });
    const turn = await stage().play([write('denied'), text('what a pity')]);
    expect(stage().read('denied')).toBeUndefined();
    expect(turn.requests[1]?.toolResults).toMatchObject([
      { isError: true, text: expect.stringContaining('reason-of-deny') },
    ]);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'what a pity' });
    expect(turn.warnings).toMatchObject([{ code: 'permission-denied', context: { tools: ['Bash'], count: 1 } }]);
  });

  it.sequential.each([
    ['stopTurn', () => stopTurn('reason-of-stop')],
    ['deny with interrupt', () => deny('reason-of-stop', { interrupt: true })],
  ])('[H-4] PreToolUse %s: the tool does not run, and the turn ends', async (name, act) => {
    answer({ PreToolUse: act });
    const file = name.replaceAll(' ', '-');
    const turn = await stage().play([write(file), text('unheard')]);
    expect(stage().read(file)).toBeUndefined();
    expect(turn.messagesContain('unheard')).toBe(false);
    expect(turn.outcome).toMatchObject(stopped);
  });

  it.sequential('[H-4] PreToolUse stopTurn: older releases run no other call of the message, newer ones run those that their hooks allow', async () => {
    answer({
      PreToolUse: ({ tool_input }) => (JSON.stringify(tool_input).includes('first') ? stopTurn('enough') : {}),
    });
    const turn = await stage().play([[write('first'), write('second')].flat(), text('unheard')]);
    expect(stage().read('first')).toBeUndefined();
    expect(stage().read('second')).toBe(version === pinnedVersion ? 'ran\n' : undefined);
    expect(turn.messagesContain('unheard')).toBe(false);
    expect(turn.outcome).toMatchObject(stopped);
  });

  it.sequential('[H-4] PreToolUse allow: a tool that no rule allows runs without a permission request', async () => {
    answer({ PreToolUse: () => allow({ reason: 'fine', context: 'context-of-allow' }) });
    const call = toolUse('Write', { file_path: stage().path('allowed'), content: 'written' });
    const turn = await stage().play([call, text('done')]);
    expect(stage().read('allowed')).toBe('written');
    expect(asked).toEqual([]);
    expect(turn.modelReceived('context-of-allow')).toBe(true);
  });

  it.sequential('[H-4] PreToolUse allow with another input: the tool runs with that input', async () => {
    const file_path = stage().path('changed');
    answer({ PreToolUse: () => allow({ updatedInput: { file_path, content: 'by the hook' } }) });
    await stage().play([toolUse('Write', { file_path, content: 'by the model' }), text('done')]);
    expect(stage().read('changed')).toBe('by the hook');
    expect(asked).toEqual([]);
  });

  it.sequential('[H-4, H-5] PreToolUse modifyInput: an allowed tool runs with the new input', async () => {
    answer({ PreToolUse: () => modifyInput({ command: 'echo modified > modified' }) });
    await stage().play([write('unmodified'), text('done')]);
    expect(stage().read('unmodified')).toBeUndefined();
    expect(stage().read('modified')).toBe('modified\n');
  });

  it.sequential('[H-4, H-5, P-1] PreToolUse modifyInput grants no permission: canUseTool receives the new input', async () => {
    const file_path = stage().path('modified-only');
    answer({ PreToolUse: () => modifyInput({ file_path, content: 'by the hook' }) });
    const call = toolUse('Write', { file_path, content: 'by the model' });
    const turn = await stage().play([call, text('done')]);
    expect(asked).toMatchObject([{ toolName: 'Write', input: { file_path, content: 'by the hook' } }]);
    expect(stage().read('modified-only')).toBeUndefined();
    expect(turn.modelReceived('nobody may')).toBe(true);
  });

  it.sequential('[H-5] PreToolUse modifyInput: the tool does not run with an invalid input', async () => {
    answer({ PreToolUse: () => modifyInput({ no: 'command' }) });
    const turn = await stage().play([write('bad-input'), text('done')]);
    expect(stage().read('bad-input')).toBeUndefined();
    expect(turn.requests[1]?.toolResults).toMatchObject([{ isError: true }]);
  });

  it.sequential('[H-4, P-1] PreToolUse askUser: canUseTool is called for an allowed tool', async () => {
    answer({ PreToolUse: () => askUser('reason-of-ask') });
    await stage().play([write('asked'), text('done')]);
    expect(asked).toMatchObject([
      { kind: 'tool', toolName: 'Bash', decisionReasonType: 'hook', input: { command: 'echo ran > asked' } },
    ]);
    expect(asked[0]?.decisionReason).toContain('reason-of-ask');
    expect(stage().read('asked')).toBeUndefined();
  });

  it.sequential('[H-4] PreToolUse addContext reaches the model, and the tool runs', async () => {
    answer({ PreToolUse: () => addContext('context-before-the-tool') });
    const turn = await stage().play([write('with-context'), text('done')]);
    expect(turn.modelReceived('context-before-the-tool')).toBe(true);
    expect(stage().read('with-context')).toBe('ran\n');
  });

  it.sequential('[H-4] PreToolUse deferTool: the turn ends with the call pending, and the next turn continues', async () => {
    answer({ PreToolUse: () => deferTool() });
    const turn = await stage().play([write('deferred'), text('unheard')]);
    expect(stage().read('deferred')).toBeUndefined();
    expect(turn.outcome).toMatchObject({
      kind: 'deferred',
      toolUse: { name: 'Bash', input: { command: 'echo ran > deferred' } },
    });
    answer({});
    const next = await stage().play([text('and now')]);
    expect(next.outcome).toMatchObject({ kind: 'completed', text: 'and now' });
  });

  it.sequential('[H-4] PreToolUse async: the tool does not wait', async () => {
    answer({ PreToolUse: () => ({ async: true, asyncTimeout: 5_000 }) });
    await stage().play([write('async'), text('done')]);
    expect(stage().read('async')).toBe('ran\n');
  });

  it.sequential.each([
    ['decision block', { decision: 'block', reason: 'reason-of-raw' }],
    [
      'permissionDecision deny without the event',
      { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'reason-of-raw' } },
    ],
  ] as const)('[H-4] PreToolUse raw %s: the tool does not run', async (name, output) => {
    answer({ PreToolUse: () => output });
    const file = name.replaceAll(' ', '-');
    const turn = await stage().play([write(file), text('done')]);
    expect(stage().read(file)).toBeUndefined();
    expect(turn.modelReceived('reason-of-raw')).toBe(true);
  });

  it.sequential('[H-4] PreToolUse raw continue: false alone: the tool runs, then the turn ends, with a warning', async () => {
    answer({ PreToolUse: () => ({ continue: false, stopReason: 'enough' }) });
    const turn = await stage().play([write('continue-false'), text('unheard')]);
    expect(stage().read('continue-false')).toBe('ran\n');
    expect(turn.requests).toHaveLength(1);
    expect(turn.outcome).toMatchObject({ kind: 'stopped-by-hook', at: 'tool' });
    expect(turn.warnings).toMatchObject([{ code: 'hook-output-suspect', context: { event: 'PreToolUse' } }]);
  });

  it.sequential('[H-4] PreToolUse raw systemMessage: newer releases show it, and it does not reach the model', async () => {
    answer({ PreToolUse: () => ({ systemMessage: 'message-of-raw' }) });
    const turn = await stage().play([write('system-message'), text('done')]);
    const shown = turn.messages.filter((message) => message.type === 'system' && message.subtype === 'informational');
    expect(JSON.stringify(shown).includes('message-of-raw')).toBe(version === pinnedVersion);
    expect(turn.modelReceived('message-of-raw')).toBe(false);
  });

  it.sequential('[H-4] PreToolUse replaceOutput is not supported: the tool runs, with a warning', async () => {
    answer({ PreToolUse: () => replaceOutput('output-too-early') });
    const turn = await stage().play([write('too-early'), text('done')]);
    expect(stage().read('too-early')).toBe('ran\n');
    expect(turn.modelReceived('output-too-early')).toBe(false);
    expect(turn.warnings).toMatchObject([{ code: 'decision-not-expressible', context: { what: 'replaceOutput' } }]);
  });

  it.sequential('[H-1, H-3] PostToolUse and PostToolBatch receive the output of the tool', async () => {
    answer({});
    await stage().session.clear();
    const turn = await stage().play([[echo('one'), echo('two')].flat(), text('done')]);
    const call = { tool_name: 'Bash', tool_use_id: expect.stringMatching(/^toolu_/) };
    // Read-only commands run in parallel.
    const ended = inputs('PostToolUse').toSorted((a, b) => String(a.tool_use_id).localeCompare(String(b.tool_use_id)));
    expect(ended).toMatchObject(
      ['one', 'two'].map((said) => ({
        ...BASE,
        ...call,
        tool_input: { command: `echo ${said}` },
        tool_response: { stdout: said, stderr: '', interrupted: false },
        duration_ms: expect.any(Number),
      })),
    );
    expect(inputs('PostToolBatch')).toMatchObject([
      {
        ...BASE,
        tool_calls: ['one', 'two'].map((said) => ({
          ...call,
          tool_input: { command: `echo ${said}` },
          tool_response: said,
        })),
      },
    ]);
    expect(inputs('PostToolUseFailure')).toEqual([]);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'done' });
  });

  it.sequential('[H-1, H-3] PostToolUseFailure receives the error', async () => {
    answer({});
    await stage().play([readMissing(), text('done')]);
    expect(inputs('PostToolUseFailure')).toMatchObject([
      {
        ...BASE,
        tool_name: 'Read',
        tool_input: { file_path: stage().path('missing') },
        tool_use_id: expect.stringMatching(/^toolu_/),
        error: expect.stringContaining('File does not exist'),
        is_interrupt: false,
      },
    ]);
    expect(inputs('PostToolUse')).toEqual([]);
  });

  it.sequential('[H-4] PostToolUse deny: the output stays, and the model gets the reason', async () => {
    answer({ PostToolUse: () => deny('reason-after-the-tool') });
    const turn = await stage().play([echo('kept'), text('done')]);
    expect(turn.requests[1]?.toolResults[0]?.text).toContain('kept');
    expect(turn.modelReceived('reason-after-the-tool')).toBe(true);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'done' });
  });

  it.sequential('[H-4] PostToolUse addContext reaches the model', async () => {
    answer({ PostToolUse: () => addContext('context-after-the-tool') });
    const turn = await stage().play([echo('something'), text('done')]);
    expect(turn.modelReceived('context-after-the-tool')).toBe(true);
  });

  it.sequential('[H-4] PostToolUse replaceOutput: the model gets the new output', async () => {
    answer({
      PostToolUse: ({ tool_response }) => replaceOutput({ ...Object(tool_response), stdout: 'output-of-the-hook' }),
    });
    const turn = await stage().play([toolUse('Bash', { command: 'echo out""put-of-the-tool' }), text('done')]);
    expect(turn.requests[1]?.toolResults[0]?.text).toContain('output-of-the-hook');
    expect(turn.modelReceived('output-of-the-tool')).toBe(false);
    expect(turn.warnings).toEqual([]);
  });

  it.sequential('[H-4] PostToolUse replaceOutput with another structure: the output stays, with a warning', async () => {
    answer({ PostToolUse: () => replaceOutput('only-a-text') });
    const turn = await stage().play([echo('as-it-was'), text('done')]);
    expect(turn.requests[1]?.toolResults[0]?.text).toContain('as-it-was');
    expect(turn.modelReceived('only-a-text')).toBe(false);
    expect(turn.warnings).toMatchObject([{ code: 'decision-not-expressible', context: { what: 'replaceOutput' } }]);
  });

  it.sequential.each([
    ['PostToolUse', 'stopTurn', () => stopTurn('reason-for-nobody')],
    ['PostToolBatch', 'stopTurn', () => stopTurn('reason-for-nobody')],
    ['PostToolBatch', 'deny', () => deny('reason-for-nobody')],
  ])('[H-4] %s %s: the turn ends after the tool, without a reason for the user or the model', async (event, _, act) => {
    answer({ [event]: act });
    const turn = await stage().play([echo('done'), text('unheard')]);
    expect(turn.requests).toHaveLength(1);
    expect(turn.messagesContain('reason-for-nobody')).toBe(false);
    expect(turn.outcome).toMatchObject({ kind: 'stopped-by-hook', at: 'tool' });
  });

  it.sequential('[H-4] PostToolUseFailure stopTurn: the turn ends', async () => {
    answer({ PostToolUseFailure: () => stopTurn('enough') });
    const turn = await stage().play([readMissing(), text('unheard')]);
    expect(turn.messagesContain('unheard')).toBe(false);
    expect(turn.outcome).toMatchObject({ kind: 'interrupted' });
  });

  it.sequential.each([
    ['deny', () => deny('words-after-the-failure')],
    ['addContext', () => addContext('words-after-the-failure')],
  ])('[H-4] PostToolUseFailure %s: the text reaches the model beside the error', async (_, act) => {
    answer({ PostToolUseFailure: act });
    const turn = await stage().play([readMissing(), text('done')]);
    expect(turn.requests[1]?.toolResults[0]?.text).toContain('File does not exist');
    expect(turn.modelReceived('words-after-the-failure')).toBe(true);
  });

  it.sequential('[H-4] PostToolBatch addContext reaches the model', async () => {
    answer({ PostToolBatch: () => addContext('context-of-the-batch') });
    const turn = await stage().play([echo('something'), text('done')]);
    expect(turn.modelReceived('context-of-the-batch')).toBe(true);
  });

  it.sequential.each(['PostToolUse', 'PostToolUseFailure', 'PostToolBatch'])(
    '[H-4, H-5] %s: modifyInput, askUser and deferTool are not supported, and an async answer changes nothing',
    async (event) => {
      const acts = [modifyInput({ command: 'echo no' }), askUser('who'), deferTool(), { async: true } as const];
      answer({ [event]: () => acts.shift() });
      const calls = [1, 2, 3, 4].map((n) => (event === 'PostToolUseFailure' ? readMissing() : echo(`said-${n}`)));
      const turn = await stage().play([...calls, text('all the same')]);
      expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'all the same' });
      expect(turn.warnings.map((warning) => warning.context)).toMatchObject(
        ['modifyInput', 'askUser', 'deferTool'].map((what) => ({ event, what })),
      );
    },
  );

  it.sequential('[H-3] the inputs have neither missing nor new fields', () => {
    expect(stage().count('hook-input-changed')).toBe(0);
  });
});
