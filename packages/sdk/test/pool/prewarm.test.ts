import { describe, expect, it } from 'vitest';
import { FakeCli } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';
import { ConversationCli, echo, fakePool, promptsOf, resumedBy } from './fake-pool.ts';

fakeClock();

describe('prewarmed sessions', () => {
  it('[A-4] are started and initialized before the first job, adopted by new keys, and replaced after a delay', async () => {
    const { pool, clis, waitFor, eventLog } = fakePool({ size: 4, prewarm: 2 });
    await waitFor('session-started', 2);
    expect(pool.stats().sessions).toMatchObject({ warm: 2, starting: 0 });
    expect(clis.map(({ story }) => story)).toEqual([['initialize'], ['initialize']]);

    const outcome = await pool.run({ id: 'j1', key: 'a', prompt: 'hello' });
    expect(clis).toHaveLength(2);
    expect(promptsOf(clis[0])).toEqual(['hello']);
    expect(outcome.sessionId).toBe((await waitFor('session-started')).sessionId);
    expect(await waitFor('session-adopted')).toMatchObject({ slot: 1, key: 'a', job: 'j1' });
    expect(eventLog().slice(2)).toEqual(['job-queued j1', 'session-adopted j1', 'job-started j1', 'job-ended j1']);

    // The next process is started after a delay, so that it does not slow down the job.
    expect(pool.stats().sessions).toMatchObject({ warm: 1, idle: 1 });
    await pass(1_000);
    await waitFor('session-started', 3);
    expect(pool.stats()).toMatchObject({ sessions: { warm: 2, idle: 1 }, totals: { adopted: 1, started: 3 } });
    // Jobs without a key also adopt prewarmed sessions.
    await pool.run({ prompt: 'alone' });
    expect(promptsOf(clis[1])).toEqual(['alone']);
  });

  it('[A-4] are not used for an existing conversation, or for a key with its own options', async () => {
    const { pool, clis, waitFor } = fakePool({
      size: 3,
      prewarm: 1,
      session: (key) => (key === 'special' ? { model: 'haiku' } : undefined),
    });
    await waitFor('session-started');
    await pool.run({ key: 'special', prompt: '1' });
    await pool.run({ key: 'known', prompt: '2', resume: '11111111-2222-4333-8444-555555555555' });
    expect(promptsOf(clis[0])).toEqual([]);
    expect(clis.slice(1).map((cli) => [promptsOf(cli), resumedBy(cli) !== undefined])).toEqual([
      [['1'], false],
      [['2'], true],
    ]);
    expect(clis[1]?.request?.argv.join(' ')).toContain('--model haiku');
    expect(pool.stats().totals.adopted).toBe(0);
  });

  it('[A-4] are stopped when a resumed key needs their slot, and never exceed the size', async () => {
    const { pool, clis, mostProcesses, waitFor } = fakePool({ size: 1, prewarm: 1 });
    await waitFor('session-started');
    await pool.run({ key: 'a', prompt: '1', resume: '11111111-2222-4333-8444-555555555555' });
    expect(clis.map(promptsOf)).toEqual([[], ['1']]);
    await pass(5_000);
    expect([mostProcesses(), clis.length]).toEqual([1, 2]);
  });

  it('[A-4] are retried with growing delays if they fail to start', async () => {
    const { pool, clis, waitFor } = fakePool({ size: 2, prewarm: 1 }, echo, () => {
      return clis.length < 3 ? new FakeCli({ initialize: (cli) => cli.die(1) }) : new ConversationCli();
    });
    await waitFor('session-ended');
    await pass(999);
    expect(clis).toHaveLength(1);
    await pass(1);
    await waitFor('session-ended', 2);
    await pass(1_999);
    expect(clis).toHaveLength(2);
    await pass(1);
    await waitFor('session-ended', 3);
    await pass(4_000);
    await waitFor('session-started');
    expect(pool.stats()).toMatchObject({ sessions: { warm: 1 }, totals: { failed: 3, started: 1 } });
  });

  it('[A-4] do not affect the next job if they die before they are adopted', async () => {
    const { pool, clis, waitFor } = fakePool({ size: 2, prewarm: 1 });
    await waitFor('session-started');
    clis[0]?.die(1);
    expect(await waitFor('session-failed')).toMatchObject({ slot: 1, key: null, error: { code: 'process' } });
    expect(await pool.run({ key: 'a', prompt: 'hello' })).toMatchObject({ status: 'finished' });
  });

  it('[A-4] can be adopted while they start, and then a failed start fails the job', async () => {
    let go: (ok: boolean) => void = () => {};
    const { pool, clis } = fakePool({ size: 2, prewarm: 1 }, echo, () => {
      return new ConversationCli({
        initialize: (cli, id) => {
          go = (ok) => (ok ? cli.succeed(id, {}) : cli.die(4));
        },
      });
    });
    const first = pool.submit({ key: 'a', prompt: 'hello' });
    await expect.poll(() => clis.length).toBe(1);
    await expect.poll(() => clis[0]?.story).toEqual(['initialize']);
    go(true);
    expect(await first.text()).toBe('you said hello');
    await pass(1_000);
    const second = pool.submit({ key: 'b', prompt: 'hello' });
    await expect.poll(() => clis[1]?.story).toEqual(['initialize']);
    go(false);
    expect(await second.outcome).toMatchObject({ status: 'failed', error: { code: 'cli-exited-during-init' } });
    expect(clis).toHaveLength(2);
  });
});
