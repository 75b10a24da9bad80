import { describe, expect, it } from 'vitest';
import { script } from '../../src/scripted/script.ts';
import type { TurnScript } from '../../src/scripted/turn.ts';
import { kindOf } from './kind-of.ts';
import { Rehearsal } from './rehearsal.ts';

const oneShot = ['--print', '--output-format', 'stream-json', '--verbose'];

describe('script', () => {
  it('[K-1] is plain JSON and survives a round trip', () => {
    const weather = script()
      .version('2.0.1')
      .pace(5)
      .onPrompt(/weather/i, (turn) =>
        turn
          .think('Hm.')
          .say('Let me look.')
          .useTool('Bash', { command: 'date' }, { result: 'Sun' })
          .say('Sunny.')
          .result({ costUsd: 0.01 }),
      )
      .otherwise((turn) => turn.say('I do not know.'));
    expect(JSON.parse(JSON.stringify(weather))).toEqual(weather.toJSON());
  });

  it('[K-1] answers with the first matching rule, and respects the limit of each rule', () => {
    const agent = script()
      .onPrompt('once', (turn) => turn.say('first'), { times: 1 })
      .onPrompt(/ONCE/i, (turn) => turn.say('then'))
      .otherwise((turn) => turn.say('else'));
    const session = new Rehearsal(agent, ['--input-format', 'stream-json', ...oneShot]);
    const answers = ['once', 'once', 'what?'].map((content) => {
      session.send({ type: 'user', message: { role: 'user', content } });
      session.finish();
      return session.frames.at(-1)?.result;
    });
    expect(answers).toEqual(['first', 'then', 'else']);
  });

  it('[K-1] treats a string as a literal, not as a pattern', () => {
    const agent = script()
      .onPrompt('a.b?', (turn) => turn.say('yes'))
      .otherwise((turn) => turn.say('no'));
    const resultFor = (prompt: string): unknown => play(agent, prompt).frames.at(-1)?.result;
    expect([resultFor('is it a.b?'), resultFor('is it axb')]).toEqual(['yes', 'no']);
  });

  it('[K-1] fails with an explanation if no rule matches', () => {
    const run = play(
      script().onPrompt('weather', (turn) => turn.say('Sunny.')),
      'unexpected',
    );
    expect(run.frames.at(-1)).toMatchObject({ type: 'result', subtype: 'error_during_execution', is_error: true });
    expect(run.stderr).toContain('no rule for the prompt "unexpected"');
    expect(run.exitCode).toBe(1);
  });

  it('[K-1] sets the scripted cost, tokens and wire fields of a turn, and sums them', () => {
    const agent = script().otherwise((turn) =>
      turn.say('Hi.').result({ costUsd: 0.25, inputTokens: 100, outputTokens: 7, fields: { terminal_reason: 'odd' } }),
    );
    const session = new Rehearsal(agent, ['--input-format', 'stream-json', ...oneShot]);
    for (const content of ['a', 'b']) session.send({ type: 'user', message: { role: 'user', content } });
    const results = session.finish().frames.filter(({ type }) => type === 'result');
    expect(results).toMatchObject([
      { total_cost_usd: 0.25, usage: { input_tokens: 100, output_tokens: 7 }, terminal_reason: 'odd' },
      { total_cost_usd: 0.5, usage: { input_tokens: 100, output_tokens: 7 }, result_index: 1 },
    ]);
    expect(results[1]?.modelUsage).toMatchObject({ 'claude-opus-5-5': { costUSD: 0.5, inputTokens: 200 } });
  });

  it('[K-1] sends one result for a turn with a structured output and a cost', () => {
    const agent = script().otherwise((turn) =>
      turn.structuredOutput({ a: 1 }).result({ costUsd: 0.02, durationMs: 7 }),
    );
    const results = play(agent, 'x', ['--json-schema', '{}']).frames.filter(({ type }) => type === 'result');
    expect(results).toMatchObject([
      { subtype: 'success', structured_output: { a: 1 }, total_cost_usd: 0.02, duration_ms: 7 },
    ]);
  });

  it.each<[string, (turn: TurnScript) => TurnScript, object]>([
    ['apiError', (turn) => turn.apiError(529), { api_error_status: 529, is_error: true }],
    ['maxTurns', (turn) => turn.maxTurns(2), { subtype: 'error_max_turns' }],
    ['maxBudget', (turn) => turn.maxBudget(0.1), { subtype: 'error_max_budget_usd' }],
    ['fail', (turn) => turn.fail('no'), { subtype: 'error_during_execution', errors: ['no'] }],
    ['result', (turn) => turn.say('Hi.').result({ durationMs: 3 }), { result: 'Hi.', duration_ms: 3 }],
  ])('[K-1] applies result() after %s() to that ending', (_name, end, expected) => {
    const agent = script().otherwise((turn) => end(turn).result({ costUsd: 0.5 }));
    const results = play(agent, 'x').frames.filter(({ type }) => type === 'result');
    expect(results).toMatchObject([{ ...expected, total_cost_usd: 0.5 }]);
  });

  it('[K-1] refuses a turn that ends in two ways', () => {
    expect(() => script().otherwise((turn) => turn.result().structuredOutput({ a: 1 }))).toThrow(
      'This turn already ends with "result", so it cannot end with "structured-output" as well.',
    );
    expect(() => script().otherwise((turn) => turn.apiError(500).fail('no'))).toThrow(TypeError);
  });

  it('[K-1] plays steps after the result late', () => {
    const agent = script().otherwise((turn) =>
      turn.say('Done.').result().wait(50).message({ type: 'system', subtype: 'notification', text: 'late' }),
    );
    expect(play(agent, 'x').frames.map(kindOf)).toEqual([
      'system init',
      'assistant text',
      'result success',
      'system notification',
    ]);
  });

  it('[K-1] calls several tools in one message and answers each', () => {
    const agent = script().otherwise((turn) =>
      turn
        .useTools([
          { name: 'Read', input: { file_path: 'a' }, result: 'A', durationMs: 20 },
          { name: 'Read', input: { file_path: 'b' }, result: 'B', durationMs: 10 },
        ])
        .say('Read.'),
    );
    const frames = play(agent, 'x').frames;
    const messageIds = frames
      .filter(({ type }) => type === 'assistant')
      .map(({ message }) => (message as { id: string }).id);
    const results = frames.filter(({ type }) => type === 'user').map(({ tool_use_result }) => tool_use_result);
    expect(messageIds[0]).toBe(messageIds[1]);
    expect(messageIds[2]).not.toBe(messageIds[0]);
    expect(results).toMatchObject([{ file: { content: 'B' } }, { file: { content: 'A' } }]);
    expect(frames.at(-1)).toMatchObject({ num_turns: 3, result: 'Read.' });
  });
});

describe('the command line of a scripted CLI', () => {
  it('[K-1] takes the prompt from stdin, from the command line, or from both', () => {
    const agent = script().otherwise((turn) => turn.say('ok'));
    const promptOf = (argv: readonly string[], stdin: string): unknown => {
      const run = new Rehearsal(agent, argv);
      run.prompt(stdin);
      return run
        .finish()
        .effects.flatMap((effect) =>
          effect.effect === 'record' && effect.entry.kind === 'prompt' ? [effect.entry.text] : [],
        )[0];
    };
    expect(promptOf(oneShot, 'over stdin\n')).toBe('over stdin\n');
    expect(promptOf([...oneShot, '--', '-x on argv'], '')).toBe('-x on argv');
    expect(promptOf([...oneShot, '--', 'argv'], 'stdin')).toBe('argv\nstdin');
  });

  it('[K-1] waits three seconds for a stdin that stays open, then continues with a warning', () => {
    const run = new Rehearsal(
      script().otherwise((turn) => turn.say('ok')),
      [...oneShot, '--', 'hello'],
    );
    expect(run.frames).toEqual([]);
    run.tick();
    expect(run.stderr).toContain('no stdin data received in 3s');
    expect(run.frames.at(-1)?.result).toBe('ok');
  });

  it('[K-1] exits at the end, unless the end of its input is ignored', () => {
    const agent = script().otherwise((turn) => turn.say('ok'));
    expect(play(agent, 'x').exitCode).toBe(0);
    expect(play(agent.ignore('EOF'), 'x').exitCode).toBeUndefined();
  });

  it.each([
    [['--print', '--output-format', 'stream-json'], 'requires --verbose'],
    [[...oneShot, '--replay-user-messages'], '--replay-user-messages requires both'],
    [[...oneShot, '--session-id', 'abc'], 'Invalid session ID'],
    [
      [
        ...oneShot,
        '--resume',
        '11111111-2222-3333-4444-555555555555',
        '--session-id',
        '11111111-2222-3333-4444-555555555556',
      ],
      '--session-id can only be used',
    ],
    [[...oneShot, '--newer-flag'], "unknown option '--newer-flag'"],
    [oneShot, 'Input must be provided'],
  ])('[K-1] refuses %j like the real CLI', (argv, words) => {
    const run = new Rehearsal(script().rejectFlags('--newer-flag'), argv);
    run.prompt('');
    expect(run.frames).toEqual([]);
    expect(run.stderr).toContain(words);
    expect(run.exitCode).toBe(1);
  });

  it('[K-1] reports the session, model and mode it was started with', () => {
    const sessionId = '11111111-2222-4333-8444-555555555555';
    const resumed = '11111111-2222-4333-8444-666666666666';
    const initWith = (...argv: string[]): unknown => {
      const run = new Rehearsal(
        script()
          .sessions(resumed)
          .otherwise((turn) => turn.say('ok')),
        [...oneShot, ...argv],
      );
      run.prompt('x');
      return run.frames[0];
    };
    expect(initWith('--session-id', sessionId, '--model=sonnet')).toMatchObject({
      session_id: sessionId,
      model: 'claude-sonnet-5-5',
    });
    expect(initWith('--resume', resumed, '--permission-mode', 'plan')).toMatchObject({
      session_id: resumed,
      permissionMode: 'plan',
    });
    expect(initWith('--resume', resumed, '--fork-session')).not.toMatchObject({ session_id: resumed });
  });
});

function play(agent: ReturnType<typeof script>, prompt: string, flags: readonly string[] = []): Rehearsal {
  const run = new Rehearsal(agent, [...oneShot, ...flags]);
  run.prompt(prompt);
  return run.finish();
}
