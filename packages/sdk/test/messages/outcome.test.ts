import { describe, expect, it } from 'vitest';
import { RateLimitTracker } from '../../src/messages/api-failure.ts';
import { outcomeOf } from '../../src/messages/outcome.ts';
import type { RateLimitEventMessage } from '../../src/wire/messages.ts';
import { recordings, resultOf, resultsOf } from './recordings.ts';
import { result } from './samples.ts';

describe('outcomeOf recorded results', () => {
  it.each([
    ['A-oneshot-ok.325', { kind: 'completed', text: expect.stringMatching(/^Hello/), structuredOutput: undefined }],
    ['A-oneshot-ok.197', { kind: 'completed' }],
    ['A-oneshot-output-json.325', { kind: 'completed' }],
    ['A-err-529-then-ok.325', { kind: 'completed' }],
    ['A-tool-denied-no-prompter.325', { kind: 'completed' }],
    ['H-json-schema-ok.325', { kind: 'completed', structuredOutput: { a: 42 } }],
    ['A-max-turns-1.325', { kind: 'max-turns', turns: 2, message: 'Reached maximum number of turns (1)' }],
    ['A-max-turns-1.197', { kind: 'max-turns', turns: 2 }],
    [
      'A-max-budget.325',
      { kind: 'budget', totalCostUsd: 0.00014000000000000001, message: expect.stringContaining('$0.00001') },
    ],
    ['A-max-budget-text.325', { kind: 'budget' }],
    ['I-sigint-bash-running.325', { kind: 'interrupted', during: 'tools', message: '' }],
    ['C-pre-continue-false.325', { kind: 'stopped-by-hook', at: 'tool', message: '' }],
    ['C-pre-continue-false.197', { kind: 'stopped-by-hook', at: 'tool' }],
    ['C-post-continue-false.325', { kind: 'stopped-by-hook', at: 'tool' }],
    ['C-stop-continue-false.325', { kind: 'stopped-by-hook', at: 'stop', message: expect.stringMatching(/^Hello/) }],
    [
      'C-ups-noanswer-timeout2.325',
      { kind: 'stopped-by-hook', at: 'prompt', message: expect.stringContaining('timed out') },
    ],
    ['A-bad-resume-uuid.325', { kind: 'no-such-session', message: expect.stringContaining('11111111-2222') }],
    ['A-bad-resume-notuuid.325', { kind: 'no-such-session' }],
    ['H-stream-bad-resume.325', { kind: 'no-such-session' }],
    ['A-no-api-key.325', { kind: 'auth', status: undefined, message: 'Not logged in · Please run /login' }],
    ['A-bad-key-401-retries-0.325', { kind: 'auth', status: 401, message: 'Invalid API key · Fix external API key' }],
    ['A-bad-key-401-retries-0.197', { kind: 'auth', status: 401 }],
    ['A-err-429-max-retries-2.325', { kind: 'rate-limit', status: 429, resetsAt: undefined }],
    [
      'A-err-400.325',
      { kind: 'api-error', status: 400, type: 'invalid_request_error', message: 'API Error: 400 fake 400' },
    ],
    ['A-bad-model-404.325', { kind: 'api-error', status: 404, type: 'not_found_error' }],
    ['A-err-413.325', { kind: 'api-error', status: 413, type: 'request_too_large' }],
    ['A-err-500-max-retries-2.325', { kind: 'api-error', status: 500, type: 'api_error' }],
    ['A-err-529-max-retries-2.325', { kind: 'api-error', status: 529, type: 'overloaded_error' }],
    ['A-unreachable-api.325', { kind: 'api-error', status: undefined, type: 'connection_failed' }],
    ['H-json-schema-never2.325', { kind: 'structured-output', message: expect.stringContaining('/a: must be number') }],
  ])('[M-3] recognizes the outcome of %s', (name, expected) => {
    expect(outcomeOf(resultOf(name))).toMatchObject(expected);
  });

  it('[M-3] recognizes an interrupted turn and the completed one after it', () => {
    expect(resultsOf('F-interrupt-streaming.325').map((it) => outcomeOf(it))).toMatchObject([
      { kind: 'interrupted', during: 'streaming', message: '' },
      { kind: 'completed' },
    ]);
    for (const name of ['F-interrupt-bash.325', 'F-interrupt-bash.197']) {
      const [first] = resultsOf(name).map((it) => outcomeOf(it));
      expect(first).toMatchObject({ kind: 'interrupted', during: 'tools' });
    }
  });

  it('[M-3] is never unknown', () => {
    const unknown = recordings.flatMap(resultsOf).filter((it) => outcomeOf(it).kind === 'unknown');
    expect(unknown).toEqual([]);
  });

  it('[M-3] is completed only if the CLI reports neither an error nor a stop', () => {
    for (const it of recordings.flatMap(resultsOf)) {
      const finished = it.is_error === false && [undefined, 'completed'].includes(it.terminal_reason);
      const blocked = it.subtype === 'success' && it.result.startsWith('UserPromptSubmit operation blocked');
      expect(outcomeOf(it).kind === 'completed', JSON.stringify(it)).toBe(finished && !blocked);
    }
  });
});

describe('outcomeOf results of the CLI on a fake API', () => {
  it.each([
    [
      'a refusal, 2.1.325',
      {
        is_error: true,
        stop_reason: 'refusal',
        terminal_reason: 'api_error',
        api_error_status: null,
        result: "API Error: Opus 5.5's safeguards flagged this message (https://www.anthropic.com/legal/aup).",
      },
      { kind: 'refused', message: expect.stringContaining('safeguards') },
    ],
    [
      'a refusal, 2.1.197',
      {
        is_error: true,
        stop_reason: 'refusal',
        terminal_reason: 'completed',
        api_error_status: null,
        result:
          'API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy',
      },
      { kind: 'refused' },
    ],
    [
      'a prompt that is too long',
      {
        is_error: true,
        stop_reason: 'stop_sequence',
        terminal_reason: 'prompt_too_long',
        api_error_status: 400,
        api_error_type: 'invalid_request_error',
        result: 'Prompt is too long · the request is ~250000 tokens (limit 200000)',
      },
      { kind: 'context-full', message: expect.stringContaining('Prompt is too long') },
    ],
    [
      'an answer that fills the context window, 2.1.197',
      {
        is_error: true,
        stop_reason: 'stop_sequence',
        terminal_reason: 'completed',
        api_error_status: null,
        result: 'API Error: The model has reached its context window limit.',
      },
      { kind: 'context-full' },
    ],
    [
      'a 403',
      {
        is_error: true,
        terminal_reason: 'api_error',
        api_error_status: 403,
        api_error_type: 'permission_error',
        result: 'Failed to authenticate. API Error: 403 Your account does not have access',
      },
      { kind: 'auth', status: 403 },
    ],
    [
      'no credit',
      { is_error: true, terminal_reason: 'completed', api_error_status: 400, result: 'Credit balance is too low' },
      { kind: 'api-error', status: 400, message: 'Credit balance is too low' },
    ],
    [
      'a deferred tool call',
      {
        is_error: false,
        stop_reason: 'tool_deferred',
        terminal_reason: 'tool_deferred',
        result: '',
        deferred_tool_use: { id: 'toolu_1', name: 'Bash', input: { command: 'echo hi' } },
      },
      { kind: 'deferred', toolUse: { id: 'toolu_1', name: 'Bash', input: { command: 'echo hi' } } },
    ],
    [
      'a prompt stopped by a hook',
      { is_error: false, num_turns: 0, stop_reason: null, result: 'Operation stopped by hook: X' },
      { kind: 'stopped-by-hook', at: 'prompt', message: 'Operation stopped by hook: X' },
    ],
    [
      'a prompt blocked by a hook',
      {
        num_turns: 0,
        stop_reason: null,
        result: 'UserPromptSubmit operation blocked by hook:\nR\n\nOriginal prompt: hi',
      },
      { kind: 'stopped-by-hook', at: 'prompt' },
    ],
    [
      'a UserPromptSubmit hook that never answered, 2.1.197',
      { subtype: 'error_during_execution', is_error: true, errors: [''] },
      { kind: 'execution-error', errors: [], message: '' },
    ],
    [
      'overload, 2.1.197',
      {
        is_error: true,
        terminal_reason: 'completed',
        api_error_status: null,
        result: 'API Error: Repeated 529 Overloaded errors',
      },
      { kind: 'api-error', status: undefined },
    ],
  ])('[M-3] recognizes %s', (_, fields, expected) => {
    expect(outcomeOf(result(fields))).toMatchObject(expected);
  });
});

describe('outcomeOf', () => {
  it('[M-3] treats an absent is_error as false', () => {
    expect(outcomeOf(result({ result: 'done' }))).toEqual({
      kind: 'completed',
      text: 'done',
      structuredOutput: undefined,
    });
  });

  it('[M-3] does not mistake the text of a model for a report of the CLI', () => {
    const answer = 'Operation stopped by hook: that is what you would see.';
    expect(outcomeOf(result({ num_turns: 1, terminal_reason: 'completed', result: answer })).kind).toBe('completed');
    expect(outcomeOf(result({ num_turns: 1, result: 'Prompt is too long' })).kind).toBe('completed');
  });

  it('[M-3] names an unknown subtype', () => {
    expect(outcomeOf(result({ subtype: 'error_brand_new', is_error: true, errors: ['Boom'] }))).toEqual({
      kind: 'unknown',
      subtype: 'error_brand_new',
      message: 'Boom',
    });
  });

  it('[M-3] keeps every error of a run that failed', () => {
    expect(
      outcomeOf(result({ subtype: 'error_during_execution', errors: ['one', '[ede_diagnostic] x', 'two'] })),
    ).toEqual({
      kind: 'execution-error',
      errors: ['one', 'two'],
      message: 'one\ntwo',
    });
  });

  it('[M-3] does not report a failure of the CLI as an API failure', () => {
    const failed = result({ is_error: true, terminal_reason: 'turn_setup_failed', result: 'no tools' });
    expect(outcomeOf(failed)).toEqual({ kind: 'execution-error', errors: ['no tools'], message: 'no tools' });
  });
});

describe('outcomeOf a rate limit', () => {
  const limited = result({ is_error: true, api_error_status: 429, result: 'API Error: Request rejected (429)' });

  it('[M-3] takes the reset time from the last rate limit event', () => {
    const outcome = outcomeOf(limited, { rateLimit: rateLimit({ status: 'rejected', resetsAt: 1_794_720_000 }) });
    expect(outcome).toEqual({
      kind: 'rate-limit',
      status: 429,
      resetsAt: Date.UTC(2026, 10, 15, 5, 20),
      message: 'API Error: Request rejected (429)',
    });
  });

  it.each(['allowed', 'allowed_warning'])(
    '[M-3] does not take the reset time from a limit that was not reached: %s',
    (status) => {
      const outcome = outcomeOf(limited, { rateLimit: rateLimit({ status, resetsAt: 1_794_720_000 }) });
      expect(outcome).toMatchObject({ kind: 'rate-limit', resetsAt: undefined });
    },
  );

  it('[M-3, A-3] applies the reset time to every result after the event, until the next event', () => {
    const tracker = new RateLimitTracker();
    const [before, first, second, later] = [{ ...limited }, { ...limited }, { ...limited }, { ...limited }];
    const sent = [
      ...[before, rateLimit({ status: 'rejected', resetsAt: 1_794_720_000 }), first, second],
      ...[rateLimit({ status: 'rejected' }), later],
    ];
    for (const message of sent) tracker.note(message);
    const known = [before, first, second, later].map((message) => Reflect.get(outcomeOf(message), 'resetsAt'));
    expect(known).toEqual([undefined, 1_794_720_000_000, 1_794_720_000_000, undefined]);
  });
});

function rateLimit(rate_limit_info: RateLimitEventMessage['rate_limit_info']): RateLimitEventMessage {
  return { type: 'rate_limit_event', rate_limit_info, uuid: '', session_id: '' };
}
