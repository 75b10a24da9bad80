import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { inMemoryCli } from '../../src/scripted/in-memory.ts';
import { script } from '../../src/scripted/script.ts';
import { startedSession } from '../started-session.ts';
import { kindOf } from './kind-of.ts';
import { Rehearsal } from './rehearsal.ts';

const argv = [
  ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
  '--replay-user-messages',
];
const uuid = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
const agent = script()
  .onPrompt('go', (turn) =>
    turn
      .useTool('Bash', { command: 'make' }, { durationMs: 100, permission: 'allow' })
      .useTool('Bash', { command: 'ls' })
      .say('Made.'),
  )
  .onPrompt(/faster|secret/, (turn) => turn.say('Hurrying.'));

describe('a prompt that would join a running turn', () => {
  it('[K-1] first runs the prompt hook: a refused prompt is dropped and not echoed', () => {
    const session = steered('faster', 'secret');
    answerHook(session, {});
    answerHook(session, { decision: 'block', reason: 'No secrets.' });
    expect(afterTool(session)).toEqual([
      'control_request hook_callback UserPromptSubmit',
      'control_response success',
      'control_request hook_callback UserPromptSubmit',
      'control_response success',
      'command_lifecycle started',
      'command_lifecycle completed',
      'system informational',
      'user string replay',
      'command_lifecycle started',
      'assistant text',
      'assistant tool_use',
      'user tool_result',
      'assistant text',
      'command_lifecycle completed',
      'result success',
      'command_lifecycle completed',
    ]);
    expect(lifecycleOf(session, 3)).toEqual(['queued', 'started', 'completed']);
    expect(result(session)).toMatchObject({ user_message_uuids: [uuid(1), uuid(2)], result: 'Made.' });
    expect(session.frames.find(({ subtype }) => subtype === 'informational')).toMatchObject({
      content: 'UserPromptSubmit operation blocked by hook:\nNo secrets.\n\nOriginal prompt: secret',
      prompt_submit_outcome: { kind: 'blocked_by_hook', prompt_kept: false, reason: 'No secrets.' },
    });
  });

  it('[K-1] joins with the others: all are echoed, with the output of their hooks, before any starts', () => {
    const session = steered('faster', 'faster still');
    answerHook(session, { systemMessage: 'Noted.' });
    answerHook(session, {});
    expect(afterTool(session).slice(4, 9)).toEqual([
      'user string replay',
      'system informational',
      'user string replay',
      'command_lifecycle started',
      'command_lifecycle started',
    ]);
  });

  it('[K-1] gets a separate turn if the hook stops the agent: it is kept and echoed', () => {
    const session = steered('faster');
    answerHook(session, { continue: false, stopReason: 'Enough.' });
    answerHook(session, { continue: false, stopReason: 'Enough.' });
    expect(hooksAsked(session)).toEqual(['go', 'faster', 'faster']);
    expect(afterTool(session).slice(-6)).toEqual([
      'control_response success',
      'system init',
      'system informational',
      'user string replay',
      'result success',
      'command_lifecycle completed',
    ]);
    expect(result(session)).toMatchObject({ result: 'Operation stopped by hook: Enough.' });
  });

  it('[K-1] stays in the queue while the hook runs: an interrupt ends the turn, not the prompt', () => {
    const session = steered('faster');
    session.send({ type: 'control_request', request_id: 'i', request: { subtype: 'interrupt' } });
    expect(session.frames.find(({ type, response }) => type === 'control_response' && idOf(response) === 'i')).toEqual({
      type: 'control_response',
      response: { subtype: 'success', request_id: 'i', response: { still_queued: [uuid(2)] } },
    });
    expect(result(session)).toMatchObject({ terminal_reason: 'aborted_streaming', stop_reason: 'tool_use' });
    session.tick();
    expect(hooksAsked(session)).toEqual(['go', 'faster', 'faster']);
  });

  it('[K-1] is dropped if the host withdraws it while the hook runs', () => {
    const session = steered('faster');
    const request = { subtype: 'cancel_async_message', message_uuid: uuid(2) };
    session.send({ type: 'control_request', request_id: 'c', request });
    answerHook(session, {});
    expect(lifecycleOf(session, 2)).toEqual(['queued', 'cancelled']);
    expect(result(session)).toMatchObject({ user_message_uuids: [uuid(1)], result: 'Made.' });
  });
});

describe('a prompt that arrives too late to join', () => {
  it('[K-1] is echoed if it matches no rule, and its result names the missing rule', () => {
    const session = new Rehearsal(agent, argv);
    session.send(prompt('what?', 1));
    session.finish();
    expect(session.frames.map(kindOf).slice(-4)).toEqual([
      'system init',
      'user string replay',
      'result error_during_execution',
      'command_lifecycle completed',
    ]);
    expect(result(session)).toMatchObject({ errors: [expect.stringContaining('no rule for the prompt "what?"')] });
  });

  it('[K-1] fails the steered turn if it matches no rule', async () => {
    const { transport } = inMemoryCli(script().onPrompt('go', (turn) => turn.wait(50).say('Gone.')));
    await using session = await startedSession({ transport });
    const turn = session.send('go');
    await turn.steer('what?');
    await expect(turn.text()).rejects.toThrow('The script has no rule for the prompt "what?"');
  });
});

describe('an interrupted scripted turn', () => {
  it('[K-1] while its prompt hook runs still has a result', () => {
    const session = opened();
    session.send(prompt('go', 1));
    session.tick();
    session.send({ type: 'control_request', request_id: 'i', request: { subtype: 'interrupt' } });
    expect(session.frames.map(kindOf).slice(-7)).toEqual([
      'control_request hook_callback UserPromptSubmit',
      'control_cancel_request',
      'control_response success',
      'system init',
      'user text',
      'result error_during_execution',
      'command_lifecycle cancelled',
    ]);
    expect(result(session)).toMatchObject({
      num_turns: 0,
      terminal_reason: 'aborted_streaming',
      errors: ['prompt_check: the turn was stopped before its prompt was checked'],
    });
    session.send(prompt('faster', 2));
    session.tick();
    answerHook(session, {});
    expect(result(session)).toMatchObject({ result: 'Hurrying.' });
  });

  it('[K-1] before its first message has its prompt echoed', () => {
    const session = new Rehearsal(
      script().otherwise((turn) => turn.silence()),
      argv,
    );
    session.send(prompt('go', 1));
    session.tick();
    session.send({ type: 'control_request', request_id: 'i', request: { subtype: 'interrupt' } });
    expect(session.frames.map(kindOf).slice(-4)).toEqual([
      'user string replay',
      'user text',
      'result error_during_execution',
      'command_lifecycle cancelled',
    ]);
  });
});

/** A session with a hook for prompts. */
function opened(): Rehearsal {
  const session = new Rehearsal(agent, argv);
  const hooks = { UserPromptSubmit: [{ matcher: null, hookCallbackIds: ['on prompt'] }] };
  session.send({ type: 'control_request', request_id: 'hello', request: { subtype: 'initialize', hooks } });
  return session;
}

/** A session whose turn is steered while its first tool runs; the hook is pending for the first of these prompts. */
function steered(...prompts: string[]): Rehearsal {
  const session = opened();
  session.send(prompt('go', 1));
  session.tick();
  const [asked] = session.frames.filter(({ type }) => type === 'control_request');
  reply(session, asked, {});
  prompts.forEach((text, index) => {
    session.send(prompt(text, index + 2));
  });
  while (hooksAsked(session).length < 2 && session.tick());
  return session;
}

function prompt(content: string, n: number): JsonObject {
  return { type: 'user', message: { role: 'user', content }, uuid: uuid(n) };
}

/** Answers the last request of the hook and lets the clock run. */
function answerHook(session: Rehearsal, response: JsonObject): void {
  const asked = session.frames.findLast(({ type }) => type === 'control_request');
  reply(session, asked, response);
  while (allAnswered(session) && session.tick());
}

/** True if the last request was answered. */
function allAnswered({ frames }: Rehearsal): boolean {
  const last = frames.findLast(({ type }) => type === 'control_request' || type === 'control_response');
  return last?.type === 'control_response';
}

function reply(session: Rehearsal, asked: JsonObject | undefined, response: JsonObject): void {
  const request_id = asked?.request_id;
  session.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
}

/** The kinds of frames since the first tool's result. */
function afterTool(session: Rehearsal): string[] {
  const kinds = session.frames.map(kindOf);
  return kinds.slice(kinds.indexOf('user tool_result') + 1);
}

/** The prompts of the hook requests. */
function hooksAsked({ frames }: Rehearsal): unknown[] {
  const asked = frames.filter((frame) => kindOf(frame).endsWith('UserPromptSubmit'));
  return asked.map(({ request }) => (request as { input: JsonObject }).input.prompt);
}

function lifecycleOf({ frames }: Rehearsal, n: number): unknown[] {
  return frames.filter(({ command_uuid }) => command_uuid === uuid(n)).map(({ state }) => state);
}

function result({ frames }: Rehearsal): JsonObject | undefined {
  return frames.findLast(({ type }) => type === 'result');
}

function idOf(response: unknown): unknown {
  return (response as JsonObject).request_id;
}
