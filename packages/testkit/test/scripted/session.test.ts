import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { script } from '../../src/scripted/script.ts';
import type { TurnScript } from '../../src/scripted/turn.ts';
import { kindOf } from './kind-of.ts';
import { Rehearsal } from './rehearsal.ts';

const argv = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
const uuid = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
const prompt = (content: string, n?: number): JsonObject => ({
  type: 'user',
  message: { role: 'user', content },
  ...(n !== undefined && { uuid: uuid(n) }),
});
const writes = (turn: TurnScript): TurnScript =>
  turn.useTool('Write', { file_path: '/tmp/a.txt', content: 'x' }).say('Written.');

describe('a scripted session', () => {
  it('[K-1] lets a prompt join the turn whose tools are running: one result names both', () => {
    const agent = script()
      .onPrompt('go', (turn) =>
        turn.useTool('Bash', { command: 'make' }, { durationMs: 100, permission: 'allow' }).say('Made.'),
      )
      .onPrompt('faster', (turn) => turn.say('Hurrying.'));
    const session = new Rehearsal(agent, [...argv, '--replay-user-messages']);
    session.send(prompt('go', 1));
    session.tick();
    session.send(prompt('faster', 2));
    session.finish();
    expect(session.frames.map(kindOf).slice(3)).toEqual([
      'user string replay',
      'assistant tool_use',
      'command_lifecycle queued',
      'user tool_result',
      'user string replay',
      'command_lifecycle started',
      'assistant text',
      'assistant text',
      'command_lifecycle completed',
      'result success',
      'command_lifecycle completed',
    ]);
    expect(resultOf(session)).toMatchObject({ user_message_uuids: [uuid(1), uuid(2)], result: 'Made.' });
  });

  it('[K-1] sends one result if the scripts of both prompts end their shared turn', () => {
    const agent = script()
      .onPrompt('go', (turn) =>
        turn.useTool('Bash', { command: 'make' }, { durationMs: 100, permission: 'allow' }).say('Made.').result(),
      )
      .onPrompt('faster', (turn) => turn.say('Hurrying.').result({ costUsd: 0.5 }));
    const session = new Rehearsal(agent, argv);
    session.send(prompt('go', 1));
    session.tick();
    session.send(prompt('faster', 2));
    const results = session.finish().frames.filter(({ type }) => type === 'result');
    expect(results).toMatchObject([{ user_message_uuids: [uuid(1), uuid(2)], total_cost_usd: 0.5 }]);
  });

  it('[K-1] answers a duplicate prompt once', () => {
    const session = new Rehearsal(
      script().otherwise((turn) => turn.say('ok')),
      argv,
    );
    session.send(prompt('x', 1));
    session.send(prompt('x', 1));
    expect(session.finish().frames.filter(({ type }) => type === 'result')).toHaveLength(1);
  });

  it('[K-1] starts a new session and resets costs on /clear', () => {
    const session = new Rehearsal(
      script().otherwise((turn) => turn.say('ok').result({ costUsd: 1 })),
      argv,
    );
    for (const text of ['a', '/clear', 'b']) {
      session.send(prompt(text));
      session.finish();
    }
    const [first, cleared, second] = session.frames.filter(({ type }) => type === 'result');
    expect(cleared).toMatchObject({ num_turns: 0, total_cost_usd: 0 });
    expect(second).toMatchObject({ total_cost_usd: 1, session_id: cleared?.session_id });
    expect(cleared?.session_id).not.toBe(first?.session_id);
  });

  it('[K-1] accepts every listed model, and unknown names', () => {
    const session = new Rehearsal(script().model('sonnet'), [...argv, '--model', 'haiku']);
    const chosen = (model: string | undefined): unknown => {
      session.send({
        type: 'control_request',
        request_id: 'r',
        request: { subtype: 'set_model', ...(model !== undefined && { model }) },
      });
      return session.frames.findLast(({ type }) => type === 'control_response')?.response;
    };
    const names = {
      ...{
        default: 'claude-sonnet-5-5',
        opus: 'claude-opus-5-5',
        fable: 'claude-fable-5-2',
        sonnet: 'claude-sonnet-5-5',
      },
      ...{
        haiku: 'claude-haiku-5-5',
        best: 'claude-opus-5-5',
        opusplan: 'claude-sonnet-5-5',
        ' OPUS ': 'claude-opus-5-5',
      },
      ...{ 'sonnet[1m]': 'claude-sonnet-5-5', 'odd[1m]': 'odd[1m]', 'my-proxy/model': 'my-proxy/model' },
    };
    for (const [name, model] of Object.entries(names)) {
      expect(chosen(name), name).toMatchObject({ subtype: 'success', response: { model } });
    }
    expect(chosen(undefined)).toMatchObject({ response: { model: 'claude-sonnet-5-5' } });
    session.send({ type: 'control_request', request_id: 'r', request: { subtype: 'list_models' } });
    const listed = [
      { value: 'default', resolvedModel: 'claude-sonnet-5-5' },
      ...['opus', 'fable', 'sonnet', 'haiku'].map((value) => ({ value })),
    ];
    expect(session.frames.at(-1)).toMatchObject({ response: { response: { models: listed } } });
  });

  it('[K-1] refuses unknown control requests, and accepts known ones', () => {
    const session = new Rehearsal(script(), argv, { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1' });
    const asked = (request: JsonObject): unknown => {
      session.send({ type: 'control_request', request_id: 'r', request });
      return session.frames.findLast(({ type }) => type === 'control_response')?.response;
    };
    expect(asked({ subtype: 'ping' })).toMatchObject({ subtype: 'error', error_code: 'unsupported_request' });
    expect(asked({ subtype: 'toString' })).toMatchObject({ subtype: 'error', error_code: 'unsupported_request' });
    expect(asked({ subtype: 'set_permission_mode', mode: 'plan' })).toMatchObject({ response: { mode: 'plan' } });
    expect(asked({ subtype: 'set_permission_mode', mode: 'odd' })).toMatchObject({ error_code: 'invalid_mode' });
    expect(asked({ subtype: 'set_model', model: 'haiku' })).toMatchObject({ response: { model: 'claude-haiku-5-5' } });
    expect(asked({ subtype: 'set_model', model: '' })).toMatchObject({ error_code: 'catalog_unknown' });
    expect(asked({ subtype: 'rewind_files', user_message_id: uuid(9) })).toMatchObject({ subtype: 'error' });
    expect(asked({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: 0 })).toEqual({
      subtype: 'success',
      request_id: 'r',
    });
  });

  it('[K-1] reports whether it is busy on request of the host', () => {
    const session = new Rehearsal(
      script().otherwise((turn) => turn.say('ok')),
      argv,
      { CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' },
    );
    session.send(prompt('x'));
    const states = session.finish().frames.filter(({ subtype }) => subtype === 'session_state_changed');
    expect(states).toMatchObject([
      { state: 'running', sdk_host_only: true },
      { state: 'idle', sdk_host_only: true },
    ]);
  });

  it('[K-1] ends the running turn with a result when the session is ended, and exits with 1', () => {
    const session = new Rehearsal(
      script().otherwise((turn) => turn.say('one two three', { everyMs: 10 })),
      argv,
    );
    session.send(prompt('x', 1));
    for (let ticks = 0; ticks < 3; ticks += 1) session.tick();
    session.send({ type: 'control_request', request_id: 'e', request: { subtype: 'end_session' } });
    expect(session.frames.map(kindOf).slice(-5)).toEqual([
      'control_response success',
      'assistant text',
      'user text',
      'result error_during_execution',
      'command_lifecycle cancelled',
    ]);
    expect(session.exitCode).toBe(1);
  });

  it.each(['initialize', 'interrupt', 'end_session'] as const)('[K-1] can ignore %s', (subtype) => {
    const session = new Rehearsal(script().ignore(subtype), argv);
    session.send({ type: 'control_request', request_id: 'r', request: { subtype } });
    expect(session.frames).toEqual([]);
    expect(session.exitCode).toBeUndefined();
  });
});

describe('a scripted session with hooks', () => {
  it('[K-1] respects a prompt hook that blocks', () => {
    const session = withHooks(['UserPromptSubmit'], (turn) => turn.say('never'), { decision: 'block', reason: 'NO' });
    expect(session.frames.map(kindOf).slice(1)).toEqual([
      'control_request hook_callback UserPromptSubmit',
      'system init',
      'system informational',
      'result success',
    ]);
    expect(resultOf(session)).toMatchObject({ num_turns: 0, result: expect.stringContaining('blocked by hook:\nNO') });
  });

  it('[K-1] ends the turn with a call that a hook defers', () => {
    const hookSpecificOutput = { hookEventName: 'PreToolUse', permissionDecision: 'defer' };
    const session = withHooks(['PreToolUse'], writes, { hookSpecificOutput });
    expect(resultOf(session)).toMatchObject({
      stop_reason: 'tool_deferred',
      deferred_tool_use: { name: 'Write', input: { file_path: '/tmp/a.txt', content: 'x' } },
    });
    expect(toolsOf(session)).toEqual([]);
  });

  it('[K-1] replaces the input and the output of a tool by those of hooks', () => {
    const session = withHooks(
      ['PreToolUse', 'PostToolUse'],
      (turn) => turn.useTool('Bash', { command: 'echo hi' }).say('ok'),
      (event) =>
        event === 'PreToolUse'
          ? { hookSpecificOutput: { hookEventName: event, updatedInput: { command: 'echo other' } } }
          : { hookSpecificOutput: { hookEventName: event, updatedToolOutput: { stdout: 'replaced' } } },
    );
    expect(toolsOf(session)).toEqual([
      { kind: 'tool', name: 'Bash', input: { command: 'echo other' }, outcome: 'ran' },
    ]);
    expect(session.frames.find(({ type }) => type === 'user')).toMatchObject({
      message: { content: [{ content: 'replaced' }] },
      tool_use_result: { stdout: 'replaced' },
    });
  });

  it("[K-1] continues after a Stop hook that blocks, with the script's answer to its reason", () => {
    let blocks = 1;
    const agent = script()
      .onPrompt('Stop hook feedback:\nTest it', (turn) => turn.say('Tested.'))
      .otherwise((turn) => turn.say('Done.'));
    const session = withHooks(['Stop'], agent, () => (blocks-- > 0 ? { decision: 'block', reason: 'Test it' } : {}));
    expect(resultOf(session)).toMatchObject({ result: 'Tested.', num_turns: 2 });
    const stops = session.frames.filter((frame) => kindOf(frame).endsWith('Stop'));
    expect(stops).toMatchObject([
      { request: { input: { stop_hook_active: false, last_assistant_message: 'Done.' } } },
      { request: { input: { stop_hook_active: true, last_assistant_message: 'Tested.' } } },
    ]);
  });

  it('[K-1] records the context that a hook adds', () => {
    const hookSpecificOutput = { hookEventName: 'UserPromptSubmit', additionalContext: 'It rains.' };
    const session = withHooks(['UserPromptSubmit'], (turn) => turn.say('ok'), { hookSpecificOutput });
    expect(session.effects).toContainEqual({
      effect: 'record',
      entry: { kind: 'context', event: 'UserPromptSubmit', text: 'It rains.' },
    });
  });
});

describe('a scripted session with permissions', () => {
  const asking = [...argv, '--permission-prompt-tool', 'stdio'];

  it('[K-1] ends the turn if the host denies and interrupts', () => {
    const session = new Rehearsal(script().otherwise(writes), asking);
    session.send(prompt('x'));
    answerAll(session, () => ({ behavior: 'deny', message: 'M', interrupt: true }));
    expect(session.frames.map(kindOf).slice(-3)).toEqual([
      'user tool_result',
      'user text',
      'result error_during_execution',
    ]);
    expect(resultOf(session)).toMatchObject({ terminal_reason: 'aborted_tools', num_turns: 3 });
  });

  it('[K-1] uses the first decision: a PermissionRequest hook withdraws the request to the host', () => {
    const session = new Rehearsal(script().otherwise(writes), asking);
    session.send(hello(['PermissionRequest']));
    session.send(prompt('x'));
    const decision = { behavior: 'deny', message: 'PRDENY' };
    answerAll(session, (frame) =>
      kindOf(frame).endsWith('PermissionRequest')
        ? { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } }
        : undefined,
    );
    expect(session.frames.map(kindOf)).toContain('control_cancel_request');
    expect(toolsOf(session)).toMatchObject([{ name: 'Write', outcome: 'refused' }]);
    expect(resultOf(session)).toMatchObject({ permission_denials: [{ tool_name: 'Write' }] });
  });

  it('[K-1] does not ask about calls that a rule allows, or that are harmless', () => {
    const agent = script().otherwise((turn) =>
      turn
        .useTool('Write', { file_path: 'a', content: '' })
        .useTool('Bash', { command: 'touch b' })
        .useTool('Bash', { command: 'echo hi' })
        .useTool('Read', { file_path: 'a' })
        .useTool('Edit', { file_path: 'a', old_string: '', new_string: '' }),
    );
    const session = new Rehearsal(agent, [...asking, '--allowedTools', 'Write,Bash(touch:*)']);
    session.send(prompt('x'));
    const asked: unknown[] = [];
    answerAll(session, (frame) => {
      asked.push((frame.request as JsonObject).tool_name);
      return { behavior: 'allow', updatedInput: {} };
    });
    expect(asked).toEqual(['Edit']);
    expect(toolsOf(session).map(({ outcome }) => outcome)).toEqual(['ran', 'ran', 'ran', 'ran', 'ran']);
  });
});

function hello(events: readonly string[]): JsonObject {
  const hooks = Object.fromEntries(
    events.map((event) => [event, [{ matcher: null, hookCallbackIds: [`on ${event}`] }]]),
  );
  return { type: 'control_request', request_id: 'hello', request: { subtype: 'initialize', hooks } };
}

/** Plays one turn with hooks that all answer alike, or as the function decides. */
function withHooks(
  events: readonly string[],
  agent: ReturnType<typeof script> | ((turn: TurnScript) => TurnScript),
  reply: JsonObject | ((event: string) => JsonObject),
): Rehearsal {
  const session = new Rehearsal(typeof agent === 'function' ? script().otherwise(agent) : agent, argv);
  session.send(hello(events));
  session.send(prompt('x'));
  answerAll(session, (frame) => {
    const event = String(kindOf(frame).split(' ').at(-1));
    return typeof reply === 'function' ? reply(event) : reply;
  });
  return session;
}

/** Answers every request of the CLI until nothing more happens. */
function answerAll(session: Rehearsal, reply: (frame: JsonObject) => JsonObject | undefined): void {
  const seen = new Set<unknown>();
  const next = (): JsonObject | undefined =>
    session.frames.find(({ type, request_id }) => type === 'control_request' && !seen.has(request_id));
  for (let frame = next(); frame || session.tick(); frame = next()) {
    if (!frame) continue;
    seen.add(frame.request_id);
    const response = reply(frame);
    if (response) {
      session.send({
        type: 'control_response',
        response: { subtype: 'success', request_id: frame.request_id, response },
      });
    }
  }
}

function resultOf(session: Rehearsal): JsonObject | undefined {
  return session.frames.findLast(({ type }) => type === 'result');
}

function toolsOf(session: Rehearsal): JsonObject[] {
  return session.effects.flatMap((effect) =>
    effect.effect === 'record' && effect.entry.kind === 'tool' ? [{ ...effect.entry } as JsonObject] : [],
  );
}
