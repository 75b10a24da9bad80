import { describe, expect, it } from 'vitest';
import { createPool } from '../../src/index.ts';
import { fakeClis, fakePool, hold } from './fake-pool.ts';

describe('jobs with the same id', () => {
  it('[A-4] cancelling a refused duplicate does not cancel the job that has the id', async () => {
    const { pool, clis, waitFor } = fakePool({ size: 1 }, hold);
    const first = pool.submit({ id: 'same', key: 'k', prompt: 'hold' });
    await waitFor('job-started');
    const refused = pool.submit({ id: 'same', key: 'k', prompt: 'again' });
    expect(await refused.outcome).toMatchObject({ status: 'failed', error: { code: 'duplicate-job' } });
    expect(await refused.cancel('without effect')).toBe(false);
    const [cli] = clis;
    cli?.finish(await cli.got('prompt hold'));
    expect((await first.outcome).status).toBe('finished');
    expect(cli?.story).not.toContain('interrupt');
  });

  it('[A-4] cancelling an ended job does not cancel a later job with its id, but pool.cancel(id) does', async () => {
    const { pool, waitFor, clis } = fakePool({ size: 1 }, hold);
    const over = pool.submit({ id: 'same', key: 'k', prompt: 'one' });
    expect((await over.outcome).status).toBe('finished');
    const next = pool.submit({ id: 'same', key: 'k', prompt: 'hold' });
    await waitFor('job-started', 2);
    expect(await over.cancel()).toBe(false);
    expect(clis[0]?.story).not.toContain('interrupt');
    expect(await pool.cancel('same', 'enough')).toBe(true);
    expect(await next.outcome).toMatchObject({ status: 'cancelled', error: { cause: 'enough' } });
    expect(await next.cancel()).toBe(false);
  });

  it('[A-4] aborting the signal of a refused duplicate does not cancel the job that has the id', async () => {
    const { pool, waitFor, clis } = fakePool({ size: 1 }, hold);
    const first = pool.submit({ id: 'same', key: 'k', prompt: 'hold' });
    await waitFor('job-started');
    const aborted = pool.submit({ id: 'same', prompt: 'again' }, { signal: AbortSignal.abort('no') });
    const later = new AbortController();
    const refused = pool.submit({ id: 'same', prompt: 'again' }, { signal: later.signal });
    later.abort('no');
    for (const job of [aborted, refused]) {
      expect(await job.outcome).toMatchObject({ status: 'failed', error: { code: 'duplicate-job' } });
    }
    const [cli] = clis;
    cli?.finish(await cli.got('prompt hold'));
    expect((await first.outcome).status).toBe('finished');
  });

  it('[A-4] cancelling duplicates in the same tick as submit() does not cancel the job that has the id', async () => {
    const { transport } = fakeClis();
    await using pool = createPool({ size: 1, defaults: { transport } });
    const first = pool.submit({ id: 'same', key: 'k', prompt: 'one' });
    const refused = pool.submit({ id: 'same', key: 'k', prompt: 'two' });
    const refusal = refused.cancel();
    const aborted = pool.submit({ id: 'same', key: 'k', prompt: 'three' }, { signal: AbortSignal.abort('no') });
    const other = pool.submit({ id: 'other', key: 'k', prompt: 'four' });
    const cancelled = [refusal, aborted.cancel(), other.cancel('mine')];
    expect(await Promise.all(cancelled)).toEqual([false, false, true]);
    expect(await first.text()).toBe('you said one');
    for (const job of [refused, aborted]) expect(await job.outcome).toMatchObject({ error: { code: 'duplicate-job' } });
    expect(await other.outcome).toMatchObject({ status: 'cancelled', error: { cause: 'mine' } });
  });
});
