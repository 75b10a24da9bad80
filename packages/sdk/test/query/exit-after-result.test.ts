import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../src/messages/outcome.ts';
import { INIT, ORDINARY, result, say } from '../support/say.ts';

const FAILED = result({ subtype: 'error_during_execution', is_error: true, result: undefined, errors: ['boom'] });

describe('an expected exit', () => {
  it('[Q-4] with 0 after a result causes no warning', async () => {
    const run = say([...ORDINARY]);
    expect(await run.stream.collect()).toEqual({
      items: expect.any(Array),
      messages: ORDINARY.map(messageOf),
      warnings: [],
      errors: [],
    });
    expect(run.warnings).toEqual([]);
    expect(run.stream.state).toBe('closed');
    expect(run.events.at(-1)).toMatchObject({ type: 'ended' });
  });

  it('[Q-4, Q-6] with 1 after an error result causes neither a warning nor an exception', async () => {
    const collected = await say([{ message: INIT }, { message: FAILED }, { exit: 1 }]).stream.collect();
    expect(collected).toEqual({
      items: expect.any(Array),
      messages: [INIT, withoutUndefined(FAILED)],
      warnings: [],
      errors: [],
    });
  });

  it('[Q-6, M-3] of a failed run leaves its outcome in the result', async () => {
    const seen: unknown[] = [];
    const { stream } = say([{ message: INIT }, { message: FAILED }, { err: 'Error: boom\n' }, { exit: 1 }]);
    for await (const message of stream) seen.push(message);
    const last = await stream.result();
    expect(seen.at(-1)).toBe(last);
    expect(outcomeOf(last)).toMatchObject({ kind: 'execution-error', errors: ['boom'] });
  });
});

describe('an unexpected exit', () => {
  it.each([
    ['exit 1 after a successful result', result(), { exit: 1 }, { exitCode: 1, signal: null }],
    ['exit 2 after an error', FAILED, { exit: 2 }, { exitCode: 2, signal: null }],
    ['exit 143', result(), { exit: 143 }, { exitCode: 143, signal: null }],
    ['a signal', result(), { kill: 'KILL' as const }, { exitCode: null, signal: 'SIGKILL' }],
  ])('[Q-4] after the result causes a warning: %s', async (_, last, end, how) => {
    const run = say([{ message: last }, end]);
    const { items, terminalError } = await run.stream.collect();
    expect(items).toMatchObject([
      { kind: 'message', message: { type: 'result' } },
      { kind: 'warning', warning: { code: 'non-zero-exit-after-result', context: how } },
    ]);
    expect(terminalError).toBeUndefined();
    expect(await run.stream.result()).toMatchObject({ type: 'result' });
    expect(await run.stream.closed).toEqual({ ...how, ended: 'by-itself' });
  });

  it('[Q-4] causes a ProcessError with the result if strictExit is set', async () => {
    const run = say([{ message: result() }, { err: 'could not save\n' }, { exit: 9 }], { strictExit: true });
    const seen: unknown[] = [];
    const error = await (async () => {
      for await (const message of run.stream) seen.push(message);
    })().catch((reason: unknown) => reason);
    expect(seen).toEqual([result()]);
    expect(error).toMatchObject({
      code: 'process',
      exitCode: 9,
      signal: null,
      stderrTail: 'could not save\n',
      result: result(),
    });
    expect(String(error)).toContain('exited with code 9 after its result');
    expect(run.warnings).toEqual([]);
    await expect(run.stream.result()).rejects.toBe(error);
    expect(run.events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'process', exitCode: 9 } });
  });

  it('[Q-4] is required for strictExit: expected exits are unaffected', async () => {
    expect((await say([...ORDINARY], { strictExit: true }).stream.collect()).terminalError).toBeUndefined();
    const failed = say([{ message: FAILED }, { exit: 1 }], { strictExit: true });
    expect((await failed.stream.collect()).terminalError).toBeUndefined();
  });
});

function messageOf(step: object): unknown {
  return 'message' in step ? step.message : undefined;
}

function withoutUndefined(message: object): unknown {
  return JSON.parse(JSON.stringify(message));
}
