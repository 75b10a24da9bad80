import { describe, expect, it } from 'vitest';
import { fakeClock, pass } from '../support/fake-clock.ts';
import { fakePool, type PromptHandler, promptsOf } from './fake-pool.ts';

fakeClock();

const TURNED_AWAY = { is_error: true, api_error_status: 429 };

describe('the pause of a pool', () => {
  const answers: PromptHandler = (cli, prompt, text) => {
    cli.begin(prompt);
    if (text === 'limit') {
      const resetsAt = Math.round(Date.now() / 1_000) + 60;
      const info = { status: 'rejected', resetsAt, rateLimitType: 'five_hour' };
      cli.say({ type: 'rate_limit_event', rate_limit_info: info, uuid: 'u', session_id: 's' });
      cli.finish(prompt, 'You have hit your limit', TURNED_AWAY);
    } else if (text === 'still limit') cli.finish(prompt, 'You have hit your limit', TURNED_AWAY);
    else if (text === 'overload') cli.finish(prompt, 'API Error: 529', { is_error: true, api_error_status: 529 });
    else if (text === 'retry') {
      const about = { attempt: 1, max_retries: 10, retry_delay_ms: 5_000, error_status: 529, error: 'overloaded' };
      cli.say({ type: 'system', subtype: 'api_retry', ...about, session_id: 's' });
    } else cli.finish(prompt, `you said ${text}`);
  };

  it('[A-3, A-4] holds back all jobs until the limit that one job has reached resets', async () => {
    const { pool, clis, waitFor } = fakePool({ size: 2 }, answers);
    expect(await pool.run({ key: 'a', prompt: 'limit' })).toMatchObject({ outcome: { kind: 'rate-limit' } });
    const { until, reason, limit } = await waitFor('paused');
    expect([reason, limit]).toEqual(['rate-limit', 'five_hour']);
    expect(pool.stats().pausedUntil).toBe(until);
    const other = pool.submit({ key: 'b', prompt: 'hello' });
    await pass(until - Date.now() - 1);
    expect(clis.flatMap(promptsOf)).toEqual(['limit']);
    await pass(1);
    expect(await other.text()).toBe('you said hello');
    await waitFor('resumed');
    expect(pool.stats().pausedUntil).toBeNull();
  });

  it('[A-3, A-4] includes resetsAt in the outcome of a job, even if the CLI reported it during an earlier job', async () => {
    const { pool, waitFor } = fakePool({ size: 1 }, answers);
    const resetsAt = (Math.round(Date.now() / 1_000) + 60) * 1_000;
    const limited = { status: 'finished', outcome: { kind: 'rate-limit', resetsAt } };
    expect(await pool.run({ key: 'a', prompt: 'limit' })).toMatchObject(limited);
    await pass((await waitFor('paused')).until - Date.now());
    const second = pool.submit({ key: 'a', prompt: 'still limit' });
    expect(await second.outcome).toMatchObject(limited);
    await expect(second.text()).rejects.toMatchObject({ name: 'ResultError', outcome: 'rate-limit', resetsAt });
  });

  it('[A-3, A-4] grows with each overload error, and lasts as long as the CLI’s own retry delay', async () => {
    const { pool, events, waitFor } = fakePool({ size: 1 }, answers);
    const pauses = (): number[] => events.flatMap((e) => (e.type === 'paused' ? [e.until - e.at] : []));
    for (const wait of [5_000, 10_000, 20_000]) {
      const job = pool.submit({ key: 'a', prompt: 'overload' });
      expect(await job.outcome).toMatchObject({ outcome: { kind: 'api-error', status: 529 } });
      await pass(wait);
    }
    // Half of each delay is random.
    for (const [n, ms] of pauses().entries()) expect(Math.abs(ms / 2 ** n - 3_750)).toBeLessThanOrEqual(1_250);
    expect(pauses()).toHaveLength(3);
    await pool.run({ key: 'a', prompt: 'fine' });
    pool.submit({ key: 'a', prompt: 'retry' });
    await waitFor('paused', 4);
    expect(pauses()[3]).toBe(5_000);
  });

  it('[A-3, A-4] is not ended by a running job that succeeds', async () => {
    const { pool, clis, waitFor } = fakePool({ size: 2 }, (cli, prompt, text) => {
      if (text === 'slow') cli.begin(prompt);
      else answers(cli, prompt, text);
    });
    const slow = pool.submit({ key: 'a', prompt: 'slow' });
    await waitFor('job-started');
    await pool.run({ key: 'b', prompt: 'limit' });
    const prompt = await clis[0]?.got('prompt slow');
    if (prompt) clis[0]?.finish(prompt);
    await slow.result();
    expect(pool.stats().pausedUntil).not.toBeNull();
  });

  it('[A-3, A-4] does not delay close()', async () => {
    const { pool } = fakePool({ size: 1 }, answers);
    await pool.run({ key: 'a', prompt: 'limit' });
    const waiting = pool.submit({ key: 'a', prompt: 'never' });
    await pool.close();
    expect(await waiting.outcome).toMatchObject({ error: { code: 'pool-closed' } });
  });
});
