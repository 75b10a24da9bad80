import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FakeCli } from '../support/fake-cli.ts';
import { INIT, result } from '../support/say.ts';
import { ConversationCli, type FakePool, fakePool, type PromptHandler, resumedBy } from './fake-pool.ts';

/** A CLI whose conversation gets another id after a clear. */
class ClearableCli extends ConversationCli {
  cleared: string | undefined;

  override get conversation(): string | undefined {
    return this.cleared ?? super.conversation;
  }
}

/** Each prompt is the cost of its answer in dollars; `die` ends the CLI instead. */
const costs: PromptHandler = (cli, prompt, text) => {
  if (text === '/clear' && cli instanceof ClearableCli) {
    cli.cleared = crypto.randomUUID();
    cli.say(INIT, result({ num_turns: 0, uuid: crypto.randomUUID() }));
    return;
  }
  cli.begin(prompt);
  if (text === 'die') return cli.die(null, 'SIGKILL');
  const spent = { opus: { inputTokens: 10, costUSD: Number(text) } };
  cli.finish(prompt, 'done', { uuid: crypto.randomUUID(), model_usage_since_last_result: spent });
};

function pricedPool(options: Parameters<typeof fakePool>[0] = {}): FakePool {
  return fakePool({ size: 1, ...options }, costs, () => new ClearableCli());
}

const budgets = (clis: readonly FakeCli[]): (string | undefined)[] =>
  clis.map(({ request }) => {
    const argv = request?.argv ?? [];
    const at = argv.indexOf('--max-budget-usd');
    return at === -1 ? undefined : argv[at + 1];
  });

afterEach(() => vi.unstubAllEnvs());

describe('the budget of a key', () => {
  it('[A-7] covers all its processes: after an eviction and after a crash, the next one gets the rest', async () => {
    const { pool, clis } = pricedPool({ defaults: { maxBudgetUsd: 0.5 } });
    await pool.run({ key: 'a', prompt: '0.1' });
    await pool.run({ key: 'a', prompt: '0.1' });
    await pool.run({ key: 'b', prompt: '0.3' });
    await pool.run({ key: 'a', prompt: 'die' });
    await pool.run({ key: 'a', prompt: '0.1' });
    await pool.run({ key: 'b', prompt: '0.1' });
    expect(budgets(clis)).toEqual(['0.5', '0.5', '0.3', '0.3', '0.2']);
  });

  it('[A-7] ends its jobs with the outcome `budget` once it is spent, without starting a process', async () => {
    const { pool, clis, events } = pricedPool({ session: (key) => (key === 'a' ? { maxBudgetUsd: 0.3 } : {}) });
    const first = await pool.run({ key: 'a', prompt: '0.3' });
    await pool.run({ key: 'b', prompt: '1' });
    const queued = ['0.1', '0.1'].map((prompt) => pool.submit({ key: 'a', prompt }));
    for (const job of queued) {
      expect(await job.outcome).toMatchObject({
        status: 'finished',
        outcome: { kind: 'budget', totalCostUsd: 0.3, message: 'Reached maximum budget ($0.3)' },
        result: { subtype: 'error_max_budget_usd', terminal_reason: 'budget_exhausted', session_id: first.sessionId },
        sessionId: first.sessionId,
        costUsd: 0,
      });
      await expect(job.text()).rejects.toMatchObject({ name: 'ResultError', outcome: 'budget' });
      expect((await job.collect()).items).toMatchObject([{ kind: 'message', message: { type: 'result' } }]);
    }
    // A job's own budget does not add to that of its key.
    expect(await pool.run({ key: 'a', prompt: '1', options: { maxBudgetUsd: 5 } })).toMatchObject({
      outcome: { kind: 'budget' },
    });
    expect(await pool.run({ key: 'b', prompt: '1' })).toMatchObject({ outcome: { kind: 'completed' } });
    expect(clis).toHaveLength(3);
    expect(events.filter(({ type }) => type === 'session-failed')).toEqual([]);
    expect(pool.stats()).toMatchObject({ jobs: { finished: 6, failed: 0 } });
  });

  it('[A-7, A-5] also counts its jobs with their own budgets, which never exceed the rest', async () => {
    const { pool, clis } = pricedPool({ defaults: { maxBudgetUsd: 0.5 } });
    await pool.run({ key: 'a', prompt: '0.2', options: { maxBudgetUsd: 0.25 } });
    await pool.run({ key: 'a', prompt: '0.1' });
    await pool.run({ key: 'a', prompt: '0.1', options: { maxBudgetUsd: 0.25 } });
    await pool.run({ prompt: '0.1', options: { maxBudgetUsd: 0.25 } });
    await pool.run({ prompt: '0.1' });
    expect(budgets(clis)).toEqual(['0.25', '0.3', '0.2', '0.25', '0.5']);
  });

  it('[A-7] is not renewed if a job clears the conversation: the next job gets another process with the rest', async () => {
    const { pool, clis, events } = pricedPool({ defaults: { maxBudgetUsd: 0.5 } });
    await pool.run({ key: 'a', prompt: '0.2' });
    expect(await pool.run({ key: 'a', prompt: '/clear' })).toMatchObject({ outcome: { kind: 'completed' } });
    await pool.run({ key: 'a', prompt: '0.2' });
    expect(budgets(clis)).toEqual(['0.5', '0.3']);
    expect(resumedBy(clis[1])).toBeDefined();
    expect(events.filter(({ type }) => type === 'session-evicted')).toMatchObject([{ key: 'a', why: 'options' }]);
  });

  it('[A-7] also covers a process that was started before the key was known, and may come from the environment', async () => {
    vi.stubEnv('COXSWAIN_MAX_BUDGET_USD', '0.5');
    const { pool, clis, waitFor } = pricedPool({ prewarm: 1 });
    await pool.run({ key: 'a', prompt: '0.2' });
    await waitFor('session-adopted');
    await pool.run({ key: 'b', prompt: '0.1' });
    await pool.run({ key: 'a', prompt: '/clear' });
    await pool.run({ key: 'a', prompt: '0.1' });
    expect(budgets(clis).slice(0, 3)).toEqual(['0.5', '0.5', '0.3']);
  });

  it('[A-7] is dropped with its key if there are more keys than the pool keeps', async () => {
    const { pool, clis, waitFor } = pricedPool({ maxKeys: 1, defaults: { maxBudgetUsd: 0.5 } });
    await pool.run({ key: 'a', prompt: '0.2' });
    await pool.run({ key: 'b', prompt: '0.1' });
    expect(await waitFor('key-forgotten')).toMatchObject({ key: 'a', why: 'too-many-keys' });
    await pool.run({ key: 'a', prompt: '0.2' });
    expect(budgets(clis)).toEqual(['0.5', '0.5', '0.5']);
  });
});
