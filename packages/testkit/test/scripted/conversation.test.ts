import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { script } from '../../src/scripted/script.ts';
import type { TurnScript } from '../../src/scripted/turn.ts';
import { kindOf } from './kind-of.ts';
import { Rehearsal } from './rehearsal.ts';

const oneShot = ['--print', '--output-format', 'stream-json', '--verbose'];
const argv = ['--input-format', 'stream-json', ...oneShot];
const prompt = (content: string): JsonObject => ({ type: 'user', message: { role: 'user', content } });

describe('scripted limits and retries of the API', () => {
  it('[K-1, M-3] report the reset time of a rate limit, and end the turn with 429', () => {
    const resetsAt = new Date('2026-11-15T12:00:00Z');
    const run = play((turn) => turn.say('…').rateLimited({ resetsAt, type: 'seven_day' }));
    expect(run.frames.slice(-3)).toMatchObject([
      {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt: resetsAt.getTime() / 1000, rateLimitType: 'seven_day' },
      },
      { type: 'assistant', error: 'rate_limit', message: { model: '<synthetic>' } },
      { type: 'result', subtype: 'success', is_error: true, api_error_status: 429 },
    ]);
    expect(run.exitCode).toBe(1);
  });

  it('[K-1] report a rate limit and continue', () => {
    const run = play((turn) => turn.rateLimitEvent('allowed_warning', { utilization: 0.9 }).say('ok'));
    expect(run.frames[1]).toMatchObject({ rate_limit_info: { status: 'allowed_warning', utilization: 0.9 } });
    expect(run.frames.at(-1)).toMatchObject({ result: 'ok', is_error: false });
  });

  it('[K-1] are retried as often as scripted, with a reported delay that may differ from the real one', () => {
    const run = play((turn) => turn.apiRetry(529, { attempts: 2, delayMs: 60_000, waitMs: 10 }).say('ok'));
    const retries = run.frames.filter(({ subtype }) => subtype === 'api_retry');
    expect(retries).toMatchObject([
      { attempt: 1, max_retries: 10, retry_delay_ms: 60_000, error_status: 529, error: 'overloaded' },
      { attempt: 2 },
    ]);
    expect(run.frames.at(-1)?.duration_ms).toBe(20);
  });
});

describe('a scripted turn that expects a refusal', () => {
  const edit = (turn: TurnScript): TurnScript =>
    turn
      .useTool('Edit', { file_path: 'a', old_string: 'a', new_string: 'b' }, { permission: 'ask' })
      .ifRefused((refused) => refused.say('I may not.'))
      .useTool('Bash', { command: 'make' }, { permission: 'allow' })
      .say('Done.');

  it('[K-1] plays other steps after a refusal instead of the rest', () => {
    const { frames } = play(edit);
    expect(frames.at(-1)).toMatchObject({ type: 'result', result: 'I may not.' });
    expect(JSON.stringify(frames)).not.toContain('make');
  });

  it('[K-1] plays the rest if no call of the last message was refused', () => {
    const { frames } = play((turn) =>
      edit(
        turn
          .useTool('Edit', { file_path: 'b' }, { permission: 'ask' })
          .useTool('Bash', { command: 'ls' }, { permission: 'allow' })
          .ifRefused((refused) => refused.say('Wrong: this call was allowed.')),
      ),
    );
    expect(frames.at(-1)).toMatchObject({ result: 'I may not.' });
  });
});

describe('a scripted session with hooks', () => {
  it('[K-1] sends keep-alive messages while a hook runs', () => {
    const session = withHooks(['PreToolUse'], (turn) => turn.useTool('Bash', { command: 'make' }).say('ok'));
    session.tick();
    for (let beats = 0; beats < 2; beats += 1) session.tick();
    const asked = session.frames.find(({ type }) => type === 'control_request')?.request as JsonObject;
    expect(session.frames.filter(({ type }) => type === 'tool_progress')).toMatchObject([
      { tool_use_id: `hook-PreToolUse-${asked.tool_use_id}-heartbeat-0`, elapsed_time_seconds: 30, heartbeat: true },
      { tool_name: 'PreToolUse', elapsed_time_seconds: 60, parent_tool_use_id: asked.tool_use_id },
    ]);
    answerAll(session, () => ({}));
    expect(session.frames.at(-1)).toMatchObject({ result: 'ok' });
    expect(session.tick()).toBe(false);
  });

  it('[K-1] runs hooks for any scripted event', () => {
    const session = withHooks(['FileChanged'], (turn) => turn.fireHook('FileChanged', { file_path: '/a' }).say('ok'));
    const seen: unknown[] = [];
    answerAll(session, ({ request }) => {
      seen.push((request as { input: unknown }).input);
      return {};
    });
    expect(seen).toMatchObject([{ hook_event_name: 'FileChanged', file_path: '/a', cwd: '/home/user/project' }]);
  });

  it('[K-1] keeps its model if a hook refuses another', () => {
    const session = withHooks(['PreModelSwitch'], (turn) => turn.say('ok'));
    session.send({ type: 'control_request', request_id: 's', request: { subtype: 'set_model', model: 'haiku' } });
    answerAll(session, () => ({ decision: 'block', reason: 'Too small.' }));
    expect(responseTo(session, 's')).toMatchObject({
      error: 'Model switch blocked by a PreModelSwitch hook: Too small.',
      error_code: 'blocked_by_hook',
    });
    session.send(prompt('y'));
    session.finish();
    expect(session.frames.findLast(({ subtype }) => subtype === 'init')).toMatchObject({ model: 'claude-opus-5-5' });
  });

  it('[K-1] does not compact if a hook refuses, and reports it', () => {
    const session = withHooks(['PreCompact'], (turn) => turn.say('ok'), '/compact');
    answerAll(session, () => ({ decision: 'block', reason: 'Not now.' }));
    expect(session.frames.map(kindOf)).not.toContain('system compact_boundary');
    expect(session.frames.findLast(({ subtype }) => subtype === 'status')).toMatchObject({ compact_result: 'failed' });
    expect(session.frames.at(-1)).toMatchObject({ type: 'result', local_command: 'compact' });
  });

  it('[K-1] compacts at a scripted point', () => {
    const session = withHooks(['PreCompact', 'PostCompact'], (turn) =>
      turn.say('a').compact({ summary: 'S' }).say('b'),
    );
    const inputs: unknown[] = [];
    answerAll(session, ({ request }) => {
      inputs.push((request as { input: JsonObject }).input);
      return {};
    });
    expect(inputs).toMatchObject([{ trigger: 'auto' }, { trigger: 'auto', compact_summary: 'S' }]);
    expect(session.frames.map(kindOf).slice(2)).toEqual([
      'assistant text',
      'system status',
      'control_request hook_callback PreCompact',
      'control_request hook_callback PostCompact',
      'system status',
      'system compact_boundary',
      'user string',
      'assistant text',
      'result success',
    ]);
  });

  it('[K-1] lets a subagent continue if its hook blocks the end', () => {
    const agent = script()
      .onPrompt('Look again', (turn) => turn.say('Still nothing.'))
      .otherwise((turn) =>
        turn.useAgent({ description: 'look', prompt: 'Look.' }, (sub) => sub.say('Nothing.')).say('Done.'),
      );
    const session = withHooks(['SubagentStop'], agent);
    let stops = 0;
    answerAll(session, () => (++stops === 1 ? { decision: 'block', reason: 'Look again' } : {}));
    expect(stops).toBe(2);
    expect(session.frames.find(({ subtype }) => subtype === 'task_notification')).toMatchObject({
      summary: 'Still nothing.',
    });
  });

  it('[K-1] passes the id of a subagent to its hooks', () => {
    const session = withHooks(['PreToolUse'], (turn) =>
      turn.useAgent({ description: 'd', prompt: 'p', type: 'scout' }, (sub) =>
        sub.useTool('Bash', { command: 'ls' }).say('ok'),
      ),
    );
    session.finish();
    const asked = session.frames.find((frame) => kindOf(frame).endsWith('PreToolUse'))?.request as {
      input: JsonObject;
    };
    expect(asked.input).toMatchObject({ agent_type: 'scout', agent_id: expect.any(String) });
  });
});

describe('scripted questions of MCP servers', () => {
  const asks = (turn: TurnScript): TurnScript =>
    turn
      .useTool('mcp__inn__book', {}, { permission: 'allow', result: 'Booked.', elicits: { message: 'Which day?' } })
      .say('ok');

  it('[K-1] reach the host, and its answer is kept', () => {
    const session = withHooks([], asks);
    answerAll(session, () => ({ action: 'accept', content: { day: 'Monday' } }));
    expect(session.frames.find((frame) => kindOf(frame) === 'control_request elicitation')).toMatchObject({
      request: { mcp_server_name: 'inn', message: 'Which day?', mode: 'form' },
    });
    expect(session.effects).toContainEqual({
      effect: 'record',
      entry: {
        kind: 'elicitation',
        server: 'inn',
        message: 'Which day?',
        answer: { action: 'accept', content: { day: 'Monday' } },
      },
    });
  });

  it('[K-1] are answered by a hook, or not at all', () => {
    const hooked = withHooks(['Elicitation', 'ElicitationResult'], asks);
    const inputs: JsonObject[] = [];
    answerAll(hooked, ({ request }) => {
      const { input } = request as { input: JsonObject };
      inputs.push(input);
      const { hook_event_name: hookEventName } = input;
      return hookEventName === 'Elicitation' ? { hookSpecificOutput: { hookEventName, action: 'decline' } } : {};
    });
    expect(inputs).toMatchObject([{ message: 'Which day?' }, { action: 'decline' }]);
    expect(hooked.frames.map(kindOf)).not.toContain('control_request elicitation');
    expect(play(asks).effects).toContainEqual({
      effect: 'record',
      entry: { kind: 'elicitation', server: 'inn', message: 'Which day?', answer: { action: 'cancel' } },
    });
  });
});

describe('background tasks of a scripted session', () => {
  it('[K-1] stop on request of the host without causing a turn', () => {
    const session = new Rehearsal(
      script().otherwise((turn) => turn.runInBackground('sleep 9', { runsMs: 9_000 }).say('ok')),
      argv,
    );
    session.send(prompt('x'));
    session.tick();
    const { task_id } = session.frames.find(({ subtype }) => subtype === 'task_started') ?? {};
    session.send({ type: 'control_request', request_id: 's', request: { subtype: 'stop_task', task_id } });
    session.handle({ event: 'input-end' });
    session.finish();
    expect(session.frames.slice(-4).map(kindOf)).toEqual([
      'system task_updated',
      'system task_notification',
      'system background_tasks_changed',
      'control_response success',
    ]);
    expect(session.exitCode).toBe(0);
  });

  it('[K-1] can be agents whose messages are sent; a one-shot query sends its results when they are done', () => {
    const run = play((turn) =>
      turn
        .runAgentInBackground(
          { description: 'look', prompt: 'Look.' },
          (agent) => agent.wait(50).say('Nothing.'),
          (after) => after.say('It is back.'),
        )
        .say('Under way.'),
    );
    const texts = run.frames.filter(({ type }) => type === 'assistant' || type === 'result');
    expect(texts.map((frame) => frame.result ?? blockOf(frame))).toEqual([
      'Agent',
      'Under way.',
      'Nothing.',
      'It is back.',
      'Under way.',
      'It is back.',
    ]);
    expect(run.frames.at(-1)).toMatchObject({ origin: { kind: 'task-notification' } });
  });
});

describe('scripted answers to control requests', () => {
  it('[K-1] replace those of the CLI, and answer unknown requests', () => {
    const agent = script()
      .onRequest('side_question', { response: { answer: '42' } })
      .onRequest('mcp_status', { error: 'no servers today', errorCode: 'odd' });
    const session = new Rehearsal(agent, argv);
    for (const subtype of ['side_question', 'mcp_status']) {
      session.send({ type: 'control_request', request_id: subtype, request: { subtype } });
    }
    expect(responseTo(session, 'side_question')).toMatchObject({ subtype: 'success', response: { answer: '42' } });
    expect(responseTo(session, 'mcp_status')).toMatchObject({ error: 'no servers today', error_code: 'odd' });
  });
});

describe('a scripted structured output', () => {
  it('[K-1] is rejected as often as scripted, then accepted or given up', () => {
    const schema = ['--json-schema', '{"properties":{"a":{"type":"number"}},"required":["a"]}'];
    const given = play(
      (turn) => turn.rejectedOutput({ a: 'x' }, '/a: must be number').structuredOutput({ a: 1 }),
      schema,
    );
    expect(given.frames.filter((frame) => kindOf(frame) === 'user tool_result')).toMatchObject([
      { message: { content: [{ is_error: true, content: expect.stringContaining('/a: must be number') }] } },
      { message: { content: [{ content: 'Structured output provided successfully' }] } },
    ]);
    expect(given.frames.at(-1)).toMatchObject({ structured_output: { a: 1 }, result: '{"a":1}' });
    const failed = play((turn) => turn.rejectedOutput({}, 'nothing there', 3).structuredOutputFails(), schema);
    expect(failed.frames.at(-1)).toMatchObject({
      subtype: 'error_max_structured_output_retries',
      errors: [expect.stringContaining('after 3 attempts')],
    });
  });
});

function play(build: (turn: TurnScript) => TurnScript, flags: readonly string[] = []): Rehearsal {
  const run = new Rehearsal(script().otherwise(build), [...oneShot, ...flags]);
  run.prompt('x');
  return run.finish();
}

/** A session with a callback for each of these events that has received a prompt. */
function withHooks(
  events: readonly string[],
  agent: ReturnType<typeof script> | ((turn: TurnScript) => TurnScript),
  text = 'x',
): Rehearsal {
  const session = new Rehearsal(typeof agent === 'function' ? script().otherwise(agent) : agent, argv);
  const hooks = Object.fromEntries(events.map((event) => [event, [{ hookCallbackIds: [`on ${event}`] }]]));
  session.send({ type: 'control_request', request_id: 'hello', request: { subtype: 'initialize', hooks } });
  session.send(prompt(text));
  return session;
}

/** Answers every request of the CLI until nothing more happens. */
function answerAll(session: Rehearsal, reply: (frame: JsonObject) => JsonObject): void {
  const seen = new Set<unknown>();
  const next = (): JsonObject | undefined =>
    session.frames.find(({ type, request_id }) => type === 'control_request' && !seen.has(request_id));
  for (let frame = next(); frame || session.tick(); frame = next()) {
    if (!frame) continue;
    seen.add(frame.request_id);
    const response = { subtype: 'success', request_id: frame.request_id, response: reply(frame) };
    session.send({ type: 'control_response', response });
  }
}

function responseTo(session: Rehearsal, id: string): unknown {
  const responses = session.frames.filter(({ type }) => type === 'control_response').map(({ response }) => response);
  return responses.find((response) => (response as JsonObject).request_id === id);
}

function blockOf({ message }: JsonObject): unknown {
  const [block] = (message as { content: { text?: string; name?: string }[] }).content;
  return block?.text ?? block?.name;
}
