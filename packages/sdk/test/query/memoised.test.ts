import { describe, expect, it } from 'vitest';
import { query } from '../../src/query/query.ts';
import { isAlive } from '../support/processes.ts';
import { assistant, cliPath, INIT, ORDINARY, result, say, watch } from '../support/say.ts';

const BAD = [{ message: result({ is_error: true, result: 'API Error: 500', api_error_status: 500 }) }, { exit: 1 }];

describe('result(), text() and output()', () => {
  it('[Q-2, Q-10] read the stream to its end when the caller does not', async () => {
    expect(await say([...ORDINARY]).stream.result()).toEqual(result());
    expect(await say([...ORDINARY]).stream.text()).toBe('done');
    expect(await say([...ORDINARY]).stream.closed).toMatchObject({ exitCode: 0 });
  });

  it('[Q-2] `closed` reads the stream, too: a CLI with much output does not block on a full pipe', async () => {
    const run = watch((watching) =>
      query('hello', {
        cli: cliPath('floods.mjs'),
        versionCheck: 'off',
        orphanGuard: false,
        env: { FLOOD: '2000' },
        ...watching,
      }),
    );
    expect(await run.stream.closed).toMatchObject({ exitCode: 0, ended: 'by-itself' });
    expect(await run.stream.text()).toBe('done');
  });

  it('[Q-2] are memoised: before, during and after the loop, the same promise and the same result', async () => {
    const { stream } = say([...ORDINARY]);
    const before = stream.result();
    const texts = [stream.text()];
    const seen: unknown[] = [];
    for await (const message of stream) {
      seen.push(message);
      expect(stream.result()).toBe(before);
      texts.push(stream.text());
    }
    expect(stream.result()).toBe(before);
    expect(seen).toHaveLength(3);
    expect(await before).toBe(seen[2]);
    expect(await Promise.all([...texts, stream.text()])).toEqual(Array(5).fill('done'));
    expect(new Set(texts).size).toBe(1);
  });

  it('[Q-2] can be called after the loop only', async () => {
    const { stream } = say([...ORDINARY]);
    for await (const _ of stream);
    expect(await stream.result()).toEqual(result());
    expect(await stream.text()).toBe('done');
    expect(stream.results).toEqual([result()]);
  });

  it('[Q-2] reject with the terminal error each time they are awaited', async () => {
    const { stream } = say([{ exit: 3 }]);
    const error = await stream.result().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'process', exitCode: 3 });
    await expect(stream.result()).rejects.toBe(error);
    await expect(stream.text()).rejects.toBe(error);
    await expect(stream.output()).rejects.toBe(error);
  });

  it('[Q-10] result() is a NoResultError when there is none', async () => {
    const { stream } = say([{ message: INIT }]);
    await expect(stream.result()).rejects.toMatchObject({ name: 'NoResultError', code: 'no-result' });
  });

  it('[Q-10, Q-6] result() gives a failed result; text() and output() reject with it', async () => {
    const { stream } = say(BAD);
    expect(await stream.result()).toMatchObject({ is_error: true });
    const error = expect.objectContaining({ code: 'result', outcome: 'api-error', result: await stream.result() });
    await expect(stream.text()).rejects.toEqual(error);
    await expect(stream.output()).rejects.toEqual(error);
  });

  it("[Q-10] text() of a result without one is ''", async () => {
    expect(await say([{ message: result({ result: undefined }) }]).stream.text()).toBe('');
  });

  it('[Q-10] leave no process behind', async () => {
    const run = say([...ORDINARY, { stay: true }], { limits: { drainMs: 100, graceMs: 10 } });
    expect(await run.stream.text()).toBe('done');
    await run.stream.close();
    expect(isAlive(run.pid)).toBe(false);
  });
});

describe('output()', () => {
  const schema = {
    jsonSchema: { type: 'object' },
    schema: {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) =>
          typeof value === 'object' && value !== null && 'n' in value && typeof value.n === 'number'
            ? { value: { n: value.n } }
            : { issues: [{ message: 'must be a number', path: ['n'] }] },
      },
    },
  };
  const answer = (structured_output: unknown) =>
    say([{ message: assistant('…') }, { message: result({ structured_output }) }], { outputSchema: schema }).stream;

  it('[M-6, Q-2] returns the validated value, memoised', async () => {
    const stream = answer({ n: 1, more: true });
    expect(await stream.output()).toEqual({ n: 1 });
    expect(stream.output()).toBe(stream.output());
  });

  it('[M-6] rejects what does not fit, and what is absent', async () => {
    await expect(answer({ n: 'one' }).output()).rejects.toMatchObject({
      code: 'structured-output',
      reason: 'invalid',
      issues: [{ message: 'must be a number', path: ['n'] }],
    });
    await expect(answer(undefined).output()).rejects.toMatchObject({ reason: 'absent' });
  });

  it('[M-6, E-2] says whether outputSchema was not set or the model returned no output', async () => {
    await expect(answer(undefined).output()).rejects.toThrow(/: the model did not return one\./);
    const withoutSchema = say([{ message: assistant('…') }, { message: result() }]).stream;
    await expect(withoutSchema.output()).rejects.toThrow(/: the option outputSchema was not set\./);
  });
});
