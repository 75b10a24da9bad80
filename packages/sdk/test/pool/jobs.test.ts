import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { allow, type DecisionOf } from '../../src/callbacks/decisions.ts';
import { OptionsError } from '../../src/errors/options.ts';
import { DuplicateJobError, PoolQueueFullError } from '../../src/errors/session.ts';
import { StreamConsumedError } from '../../src/errors/stream.ts';
import type { StandardSchema } from '../../src/options/option-types.ts';
import { createPool } from '../../src/pool/create-pool.ts';
import { FakeCli, settle } from '../support/fake-cli.ts';
import { echo, fakeClis, fakePool, hold, type PromptHandler, promptsOf } from './fake-pool.ts';

describe('the jobs of a pool', () => {
  it('[A-4] of one key run in order in one session, in parallel with jobs of other keys', async () => {
    const { pool, clis, mostProcesses } = fakePool({ size: 2 });
    const jobs = ['a', 'b', 'a', 'a', 'b'].map((key, n) => pool.submit({ key, prompt: `${key}${n}` }));
    expect(await Promise.all(jobs.map((job) => job.text()))).toEqual([
      'you said a0',
      'you said b1',
      'you said a2',
      'you said a3',
      'you said b4',
    ]);
    expect(clis.map(promptsOf)).toEqual([
      ['a0', 'a2', 'a3'],
      ['b1', 'b4'],
    ]);
    expect(mostProcesses()).toBe(2);
    await Promise.all(jobs.map((job) => job.outcome));
    expect(pool.stats()).toMatchObject({
      queued: 0,
      running: 0,
      sessions: { idle: 2 },
      keys: 2,
      jobs: { finished: 5 },
    });
  });

  it('[A-4] without a key each run in a new session, which is then closed', async () => {
    const { pool, clis, mostProcesses, events } = fakePool({ size: 2 });
    const outcomes = await Promise.all(['x', 'y', 'z'].map((prompt) => pool.run({ prompt })));
    expect(outcomes.map(({ status }) => status)).toEqual(['finished', 'finished', 'finished']);
    expect(clis.map(promptsOf)).toEqual([['x'], ['y'], ['z']]);
    expect(new Set(outcomes.map(({ sessionId }) => sessionId)).size).toBe(3);
    expect(mostProcesses()).toBe(2);
    await pool.drain();
    expect(events.filter(({ type }) => type === 'session-evicted')).toEqual([]);
    expect(clis.every(({ hasExited }) => hasExited)).toBe(true);
    expect(pool.stats().keys).toBe(0);
  });

  it('[A-4] can be listed with their prompts, and cancelled by their ids, while they wait', async () => {
    const { pool, clis } = fakePool({ size: 1 }, hold);
    const before = Date.now();
    void pool.run({ key: 'a', prompt: 'hold' });
    expect(pool.waiting()).toEqual([]);
    const jobs = ['a', 'b'].map((key) => pool.submit({ id: `job-${key}`, key, prompt: `for ${key}`, priority: 1 }));
    expect(pool.waiting()).toMatchObject([
      { id: 'job-a', key: 'a', prompt: 'for a', priority: 1 },
      { id: 'job-b', key: 'b', prompt: 'for b', priority: 1 },
    ]);
    expect(pool.waiting()[0]?.submittedAt).toBeGreaterThanOrEqual(before);
    expect(await pool.cancel('job-a')).toBe(true);
    expect(await jobs[0]?.outcome).toMatchObject({ status: 'cancelled' });
    expect(pool.waiting().map(({ id }) => id)).toEqual(['job-b']);
    await clis[0]?.got('prompt hold');
  });

  it('[A-4] can be read like a turn as soon as they are submitted', async () => {
    const { pool } = fakePool();
    const job = pool.submit({ id: 'j1', key: 'k', prompt: 'hello' });
    expect([job.id, job.key, job.results]).toEqual(['j1', 'k', []]);
    const contents: string[] = [];
    for await (const message of job)
      if (message.type === 'assistant') contents.push(JSON.stringify(message.message.content));
    expect(contents.join()).toContain('you said hello');
    expect(job.results).toHaveLength(1);
    expect(await job.text()).toBe('you said hello');
    await expect(async () => {
      for await (const _ of job);
    }).rejects.toBeInstanceOf(StreamConsumedError);
    expect(
      (await pool.submit({ prompt: 'x' }).collect()).messages.some((message) => message.type === 'assistant'),
    ).toBe(true);
    const { items } = await pool.submit({ prompt: 'x' }).collect();
    expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(['message']));
  });

  it('[A-4] pass every message to the onMessage callback of run() before the outcome, even if it throws', async () => {
    const { pool } = fakePool();
    const types: string[] = [];
    const outcome = await pool.run(
      { prompt: 'hello' },
      {
        onMessage: ({ type }) => {
          types.push(type);
          throw new Error('mine');
        },
      },
    );
    expect(outcome).toMatchObject({ status: 'finished', outcome: { kind: 'completed', text: 'you said hello' } });
    expect(types.at(-1)).toBe('result');
    expect(types).toContain('assistant');
    const rejecting = async (): Promise<void> => Promise.reject(new Error('mine'));
    expect((await pool.run({ prompt: 'again' }, { onMessage: rejecting })).status).toBe('finished');
  });

  it('[A-4] can have turn options and can be steered', async () => {
    const { pool, clis, waitFor } = fakePool({}, hold);
    const job = pool.submit({ key: 'k', prompt: 'hold', options: { model: 'haiku' } });
    await waitFor('job-started');
    await job.steer('faster');
    expect(promptsOf(clis[0])).toEqual(['hold', 'faster']);
    expect(clis[0]?.story.slice(0, 3)).toEqual(['initialize', 'get_settings', 'set_model']);
  });

  it('[A-4, H-9] run callbacks in the async context of the submit() call', async () => {
    const who = new AsyncLocalStorage<string>();
    const asked: unknown[] = [];
    const asks: PromptHandler = (cli, prompt) => {
      cli.begin(prompt);
      cli.askPermission('p1');
      void cli.answered('p1').then(() => cli.finish(prompt));
    };
    const canUseTool = (): DecisionOf<'allow'> => {
      asked.push(who.getStore());
      return allow();
    };
    const { pool } = fakePool({ size: 1, defaults: { canUseTool } }, asks);
    await Promise.all(['ann', 'bob', 'cid'].map((name) => who.run(name, () => pool.run({ key: name, prompt: 'go' }))));
    expect(asked).toEqual(['ann', 'bob', 'cid']);
  });

  it('[A-4, M-6] have the output described by the schema of their session', async () => {
    const outputSchema = { schema: anything<{ n: number }>(), jsonSchema: { type: 'object' } };
    const { transport } = fakeClis((cli, prompt) => {
      cli.begin(prompt);
      cli.finish(prompt, 'done', { structured_output: { n: 1 } });
    });
    await using pool = createPool({ size: 1, defaults: { transport, outputSchema } });
    const output = await pool.submit({ prompt: 'x' }).output();
    expectTypeOf(output).toEqualTypeOf<{ n: number }>();
    expect(output).toEqual({ n: 1 });
  });

  it('[A-4] are refused with a PoolQueueFullError if the queue of the pool or of their key is full', async () => {
    const { pool, waitFor } = fakePool({ size: 1, queue: 2, perKey: 1 }, hold);
    const running = pool.submit({ key: 'a', prompt: 'hold' });
    await waitFor('job-started');
    pool.submit({ key: 'a', prompt: '2' });
    const ofKey = pool.submit({ key: 'a', prompt: '3' });
    await expect(ofKey.text()).rejects.toMatchObject({ code: 'pool-queue-full', key: 'a', limit: 1 });
    pool.submit({ key: 'b', prompt: '4' });
    const ofAll = pool.submit({ id: 'late', key: 'c', prompt: '5' });
    await expect(ofAll.result()).rejects.toBeInstanceOf(PoolQueueFullError);
    expect(await ofAll.outcome).toMatchObject({ status: 'failed', error: { code: 'pool-queue-full', limit: 2 } });
    expect((await ofAll.collect()).terminalError).toBeInstanceOf(PoolQueueFullError);
    const looped = pool.submit({ key: 'd', prompt: '6' });
    await expect(looped[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(PoolQueueFullError);
    expect(pool.stats()).toMatchObject({ queued: 2, running: 1, jobs: { failed: 3 } });
    expect(running.results).toEqual([]);
  });

  it('[A-4, O-4] fail with all problems if they are invalid, and with a DuplicateJobError if their id is in use', async () => {
    const { pool, waitFor, events } = fakePool({}, hold);
    const bad = { id: '', key: '', prompt: ' ', priority: 11, options: { modell: 'x', signal: AbortSignal.abort() } };
    const problem = await pool
      .submit(bad as never)
      .result()
      .catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(OptionsError);
    expect((problem as OptionsError).problems.map(({ path }) => path)).toEqual([
      'id',
      'key',
      'priority',
      'options.modell',
      'options.signal',
      'prompt',
    ]);
    await expect(pool.submit(undefined as never).text()).rejects.toBeInstanceOf(OptionsError);

    const first = pool.submit({ id: 'same', prompt: 'hold' });
    await waitFor('job-started');
    const second = pool.submit({ id: 'same', prompt: 'again' });
    await expect(second.text()).rejects.toBeInstanceOf(DuplicateJobError);
    expect(await second.outcome).toMatchObject({ status: 'failed', error: { code: 'duplicate-job', id: 'same' } });
    expect(first.results).toEqual([]);
    expect(events.filter(({ type }) => type === 'job-ended')).toEqual([]);
  });

  it('[A-4] run by priority, and keys of the same priority take turns', async () => {
    const { pool, waitFor, clis } = fakePool({ size: 1 }, hold);
    const first = pool.submit({ prompt: 'hold' });
    await waitFor('job-started');
    const submit = (key: string, priority: number): unknown =>
      pool.submit({ key, prompt: `${key} ${priority}`, priority });
    submit('low', -10);
    for (let n = 0; n < 8; n++) submit('busy', 0);
    submit('other', 0);
    submit('urgent', 5);
    const [cli] = clis;
    cli?.finish(await cli.got('prompt hold'));
    await first.result();
    await pool.drain();
    const order = clis.slice(1).flatMap(promptsOf);
    expect([order[0], order.at(-1)]).toEqual(['urgent 5', 'low -10']);
    // A key keeps its session for a few more jobs before others get the slot.
    expect(order.indexOf('other 0')).toBe(4);
    expect(order.filter((prompt) => prompt === 'busy 0')).toHaveLength(8);
  });
});

describe('cancelling a job', () => {
  it('[A-4] removes it from the queue', async () => {
    const { pool, waitFor, clis } = fakePool({ size: 1 }, hold);
    pool.submit({ key: 'a', prompt: 'hold' });
    await waitFor('job-started');
    const waiting = pool.submit({ id: 'w', key: 'a', prompt: 'never' });
    expect(await pool.cancel('w', 'changed my mind')).toBe(true);
    expect(await waiting.outcome).toMatchObject({
      status: 'cancelled',
      error: { code: 'abort', cause: 'changed my mind' },
    });
    await expect(waiting.text()).rejects.toMatchObject({ code: 'abort' });
    expect(await pool.cancel('w')).toBe(false);
    expect(await waiting.cancel()).toBe(false);
    expect(promptsOf(clis[0])).toEqual(['hold']);
  });

  it('[A-4] interrupts it while it runs, and the session runs the next job', async () => {
    const { pool, waitFor, clis } = fakePool({ size: 1 }, hold);
    const stop = new AbortController();
    const job = pool.submit({ key: 'a', prompt: 'hold' }, { signal: stop.signal });
    const next = pool.submit({ key: 'a', prompt: 'next' });
    await waitFor('job-started');
    await clis[0]?.got('prompt hold');
    stop.abort('enough');
    await expect(job.text()).rejects.toMatchObject({ code: 'abort' });
    const prompt = await clis[0]?.got('prompt hold');
    await clis[0]?.got('interrupt');
    if (prompt) clis[0]?.finish(prompt, '', { is_error: true, terminal_reason: 'aborted_streaming' });
    expect(await job.outcome).toMatchObject({ status: 'cancelled', error: { code: 'abort', cause: 'enough' } });
    expect(await next.text()).toBe('you said next');
    expect(clis).toHaveLength(1);
  });

  it('[A-4] ends it immediately while its process is starting, and the process runs the next job', async () => {
    let answer = (): void => {};
    const { pool, clis, waitFor } = fakePool({ size: 1 }, echo, () => {
      const cli = new FakeCli({
        initialize: (self, id) => {
          answer = () => self.succeed(id, {});
        },
      });
      return cli;
    });
    const job = pool.submit({ key: 'a', prompt: 'never' });
    await waitFor('job-queued');
    await expect.poll(() => clis[0]?.story).toEqual(['initialize']);
    expect(await job.cancel()).toBe(true);
    expect((await job.outcome).status).toBe('cancelled');
    const next = pool.submit({ key: 'a', prompt: 'next' });
    answer();
    expect(await next.text()).toBe('you said next');
    expect(promptsOf(clis[0])).toEqual(['next']);
  });

  it('[A-4] works with a signal that is already aborted at submit()', async () => {
    const { pool, clis } = fakePool();
    const job = pool.submit({ prompt: 'never' }, { signal: AbortSignal.abort('no') });
    expect(await job.outcome).toMatchObject({ status: 'cancelled' });
    await settle();
    expect(clis.flatMap(promptsOf)).toEqual([]);
  });
});

/** A schema that accepts any value. */
function anything<T>(): StandardSchema<T> {
  // The test guarantees the type of the value.
  const validate = (value: unknown): { value: T } => ({ value: value as T });
  return { '~standard': { version: 1, vendor: 'test', validate } };
}
