import { describe, expect, it, vi } from 'vitest';
import { OptionsError } from '../../src/errors/options.ts';
import { readLayer } from '../../src/options/option-layer.ts';
import { createPool, createPoolWith } from '../../src/pool/create-pool.ts';
import { ConversationCli, fakePool } from './fake-pool.ts';

describe('the options of a pool', () => {
  it('[A-4, O-4] are checked by createPool(), which reports all problems', () => {
    const connect = async (): Promise<void> => {};
    const problems = problemsOf(() =>
      createPool({
        size: 0,
        prewarm: -1,
        queu: 3,
        defaults: {
          resume: 'x',
          transport: new ConversationCli(),
          mcpServers: { one: { connect } },
        },
      } as never),
    );
    expect(problems).toEqual([
      'size',
      'prewarm',
      'queu',
      'defaults.resume',
      'defaults.transport',
      'defaults.mcpServers.one',
    ]);
    expect(problemsOf(() => createPool({ size: 1, prewarm: 2 }))).toEqual(['prewarm']);
    expect(problemsOf(() => createPool(undefined as never))).toEqual(['pool']);
  });

  it('[A-4, O-4] with invalid session defaults make ready reject and every job fail with all problems', async () => {
    const bad = { size: 1, defaults: { maxTurns: -1, modle: 'x' } } as never;
    const pool = createPoolWith(bad, [readLayer({ effort: 7 })]);
    const problems = {
      code: 'options',
      problems: expect.arrayContaining([
        expect.objectContaining({ path: 'defaults.maxTurns' }),
        expect.objectContaining({ path: 'defaults.modle' }),
        expect.objectContaining({ path: 'defaults.effort' }),
      ]),
    };
    await expect(pool.ready).rejects.toMatchObject(problems);
    await expect(pool.submit({ prompt: 'x' }).text()).rejects.toMatchObject(problems);
    expect(await pool.run({ prompt: 'x' })).toMatchObject({ status: 'failed', error: problems });
    expect(await pool.cancel('any')).toBe(false);
    await pool.drain();
    await pool.close();
    expect(pool.stats()).toMatchObject({ state: 'closed', totals: { started: 0 } });
    const prewarmed = createPool({ size: 1, prewarm: 1, defaults: { maxTurns: -1 } });
    await expect(prewarmed.ready).rejects.toMatchObject({ code: 'options' });
    await expect(createPool({ size: 1 }).ready).resolves.toBeUndefined();
  });

  it('[A-4] without prewarm start no process before the first job', async () => {
    const { pool, clis, events } = fakePool({ size: 3 });
    expect(pool.stats()).toMatchObject({ state: 'open', size: 3, queued: 0 });
    expect(pool.pendingPermissions()).toEqual([]);
    expect([clis, events]).toEqual([[], []]);
    await pool.submit({ prompt: 'x' }).result();
    expect(clis).toHaveLength(1);
  });

  it('[A-4, O-5] are overridden by those of a key and override those of the client, and maps are merged', async () => {
    const clis: ConversationCli[] = [];
    const transport = (): ConversationCli => {
      const cli = new ConversationCli();
      clis.push(cli);
      return cli;
    };
    const seen = vi.fn();
    await using pool = createPoolWith(
      {
        size: 2,
        defaults: { model: 'sonnet', env: { B: 'pool', C: 'pool' } },
        session: (key) => ({ env: { C: String(key) }, ...(key === 'a' && { model: 'haiku' }), onEvent: seen }),
      },
      [readLayer({ transport, model: 'opus', effort: 'low', env: { A: 'client', B: 'client' } })],
    );
    pool.submit({ key: 'a', prompt: 'x' });
    pool.submit({ key: 'b', prompt: 'x' });
    await expect.poll(() => clis.filter(({ request }) => request).length).toBe(2);
    expect(clis.map(({ request }) => request?.argv.join(' '))).toEqual([
      expect.stringMatching(/--model haiku.*--effort low|--effort low.*--model haiku/),
      expect.stringMatching(/--model sonnet.*--effort low|--effort low.*--model sonnet/),
    ]);
    expect(clis.map(({ request }) => [request?.env.A, request?.env.B, request?.env.C])).toEqual([
      ['client', 'pool', 'a'],
      ['client', 'pool', 'b'],
    ]);
    await expect.poll(() => seen.mock.calls.some(([event]) => event.type === 'ready')).toBe(true);
  });

  it('[A-4] fail only the job if session(key) throws, or disables persistSession for a key', async () => {
    const { pool } = fakePool({
      prewarm: 1,
      session: (key) => {
        if (key === 'bad') throw new TypeError('no such tenant');
        return key === 'secret' || key === null ? { persistSession: false } : undefined;
      },
    });
    expect(await pool.run({ key: 'bad', prompt: 'x' })).toMatchObject({
      status: 'failed',
      error: { name: 'TypeError', message: 'no such tenant' },
    });
    expect(await pool.run({ key: 'secret', prompt: 'x' })).toMatchObject({
      status: 'failed',
      error: { code: 'options', problems: [{ path: 'persistSession' }] },
    });
    expect(await pool.run({ prompt: 'x' })).toMatchObject({ status: 'finished' });
    expect(await pool.run({ key: 'good', prompt: 'x' })).toMatchObject({ status: 'finished' });
  });

  it('[A-4, T-1] create a tool server for each session from a factory', async () => {
    const create = vi.fn(() => async () => ({ result: {} }));
    const { pool, clis } = fakePool({ defaults: { mcpServers: { calc: { create } } } });
    await Promise.all(['a', 'b'].map((key) => pool.run({ key, prompt: 'x' })));
    expect(create).toHaveBeenCalledTimes(2);
    expect(clis).toHaveLength(2);
  });

  it('[A-4] with maxKeys forget the least recently used key and emit key-forgotten', async () => {
    const { pool, waitFor, clis } = fakePool({ size: 1, maxKeys: 2 });
    const first = await pool.run({ key: 'a', prompt: 'x' });
    for (const key of ['b', 'c']) await pool.run({ key, prompt: 'x' });
    expect(await waitFor('key-forgotten')).toMatchObject({
      key: 'a',
      sessionId: first.sessionId,
      why: 'too-many-keys',
    });
    await pool.run({ key: 'a', prompt: 'x' });
    expect(clis.at(-1)?.request?.argv).not.toContain('--resume');
    expect(pool.stats().keys).toBe(2);
  });
});

describe('the events of a pool', () => {
  it('[A-4] are plain JSON, numbered without gaps, and cover each job from start to end', async () => {
    const { pool, events, eventLog } = fakePool({ size: 1 });
    const seen: unknown[] = [];
    const watching = (async () => {
      for await (const event of pool.events()) seen.push(event);
    })();
    await pool.run({ id: 'j1', key: 'a', prompt: '1', priority: 2 });
    await pool.run({ id: 'j2', key: 'b', prompt: '2' });
    await pool.drain();
    await watching;
    expect(eventLog()).toEqual([
      'job-queued j1',
      'session-started 1',
      'job-started j1',
      'job-ended j1',
      'job-queued j2',
      'session-evicted 1',
      'session-ended 1',
      'session-started 2',
      'job-started j2',
      'job-ended j2',
      'draining',
      'session-ended 2',
      'closed',
    ]);
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n));
    expect(seen).toEqual(events);
    const ended = events.find(({ type }) => type === 'job-ended');
    expect(ended).toMatchObject({ key: 'a', outcome: { status: 'finished', result: { result: 'you said 1' } } });
    expect(events[0]).toMatchObject({ priority: 2, key: 'a', at: expect.any(Number) });
  });

  it('[A-4, E-6] do not break the pool if the listener throws or rejects', async () => {
    const throws = fakePool({
      onEvent: () => {
        throw new Error('mine');
      },
    });
    expect((await throws.pool.run({ prompt: 'x' })).status).toBe('finished');
    const rejects = fakePool({ onEvent: async () => Promise.reject(new Error('mine')) });
    expect((await rejects.pool.run({ prompt: 'x' })).status).toBe('finished');
  });
});

function problemsOf(make: () => unknown): string[] {
  try {
    make();
  } catch (error) {
    if (error instanceof OptionsError) return error.problems.map(({ path }) => path);
    throw error;
  }
  return [];
}
