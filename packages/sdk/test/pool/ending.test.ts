import { describe, expect, it } from 'vitest';
import { AbortError } from '../../src/errors/stream.ts';
import { FakeCli, silence } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';
import { fakePool, hold } from './fake-pool.ts';

describe('cancelledBy in the outcome of a job', () => {
  it('[A-6] distinguishes cancel() from the signal for a running or queued job', async () => {
    const { pool, waitFor } = fakePool({ size: 1 }, hold);
    await pool.ready;
    const stop = new AbortController();
    const running = pool.submit({ id: 'running', key: 'a', prompt: 'hold' });
    const waiting = pool.submit({ key: 'a', prompt: 'never' }, { signal: stop.signal });
    await waitFor('job-started');
    stop.abort(new Error('the client left'));
    expect(await waiting.outcome).toMatchObject({
      status: 'cancelled',
      cancelledBy: 'signal',
      error: { code: 'abort', by: 'signal', message: expect.stringContaining('signal: the client left') },
    });
    await pool.cancel('running', new Error('enough'));
    expect(await running.outcome).toMatchObject({
      status: 'cancelled',
      cancelledBy: 'cancel',
      error: { code: 'abort', by: 'cancel', message: 'The job was cancelled by cancel(): enough.' },
    });
    const failure: unknown = await running.text().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AbortError);
    expect(failure).toMatchObject({ by: 'cancel', cause: new Error('enough') });
    expect(await waitFor('job-ended', 2)).toMatchObject({ job: 'running', outcome: { cancelledBy: 'cancel' } });
  });

  it('[A-6] names the first of several cancellations, even while the process starts', async () => {
    const { pool, waitFor } = fakePool({ size: 1 }, hold, () => new FakeCli({ initialize: silence }));
    const stop = new AbortController();
    const starting = pool.submit({ prompt: 'never' }, { signal: stop.signal });
    await waitFor('job-queued');
    await starting.cancel('mine');
    stop.abort('too late');
    await pool.close();
    expect(await starting.outcome).toMatchObject({ cancelledBy: 'cancel', error: { cause: 'mine' } });
  });

  it('[A-6] is absent for a job that timed out or whose CLI died', async () => {
    const { pool, clis, waitFor } = fakePool({ size: 2 }, hold);
    const late = await pool.run({ key: 'a', prompt: 'hold', options: { timeoutMs: 20 } });
    expect(late).toMatchObject({ status: 'failed', error: { code: 'timeout', kind: 'timeoutMs' } });
    expect(late).not.toHaveProperty('cancelledBy');
    const dead = pool.submit({ key: 'b', prompt: 'hold' });
    await waitFor('job-started', 2);
    clis.at(-1)?.die(1);
    expect(await dead.outcome).toMatchObject({ status: 'failed', error: { code: 'process' } });
  });
});

describe('drain() with timeoutMs', () => {
  fakeClock();

  it('[A-6] cancels the remaining jobs after the timeout, with cancelledBy: drain', async () => {
    const { pool, waitFor, clis } = fakePool({ size: 1 }, hold);
    const running = pool.submit({ key: 'a', prompt: 'hold' });
    const waiting = pool.submit({ key: 'b', prompt: 'never' });
    await waitFor('job-started');
    const drained = Promise.all([pool.drain({ timeoutMs: 60_000 }), pool.drain({ timeoutMs: 1_000 }), pool.drain()]);
    await waitFor('draining');
    await pass(999);
    expect(pool.stats()).toMatchObject({ state: 'draining', queued: 1, running: 1 });
    await pass(1);
    await drained;
    const by = { status: 'cancelled', cancelledBy: 'drain' };
    expect(await running.outcome).toMatchObject({ ...by, error: { code: 'session-stopped' } });
    expect(await waiting.outcome).toMatchObject({ ...by, error: { code: 'pool-closed' } });
    expect(await waitFor('stopping')).toMatchObject({ by: 'drain' });
    expect(clis.every(({ hasExited }) => hasExited)).toBe(true);
  });

  it('[A-6] leaves no timer if the jobs end in time', async () => {
    const { pool, events } = fakePool();
    await pool.run({ prompt: 'x' });
    await pool.drain({ timeoutMs: 1_000 });
    await pass(2_000);
    expect(events.map(({ type }) => type)).not.toContain('stopping');
    expect(pool.stats()).toMatchObject({ state: 'closed', jobs: { finished: 1, cancelled: 0 } });
  });

  it('[A-6, O-4] rejects invalid options with an OptionsError and leaves the pool open', async () => {
    const { pool } = fakePool();
    await pool.ready;
    for (const bad of [{ timeoutMs: -1 }, { timeoutMs: '5s' }, { timeout: 5 }]) {
      await expect(pool.drain(bad as never)).rejects.toMatchObject({ code: 'options' });
    }
    expect(await pool.run({ prompt: 'x' })).toMatchObject({ status: 'finished' });
  });
});
