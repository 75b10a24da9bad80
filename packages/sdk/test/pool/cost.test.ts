import { describe, expect, it } from 'vitest';
import { settle } from '../support/fake-cli.ts';
import { result } from '../support/say.ts';
import { fakePool, type PromptHandler } from './fake-pool.ts';

/** Does not end the turn of the prompt "hold"; any other prompt costs one dollar per character. The total is per process. */
function onPrompt(): PromptHandler {
  let total = 0;
  return (cli, prompt, text) => {
    cli.begin(prompt);
    if (text === 'hold') return;
    total += text.length;
    cli.finish(prompt, 'done', { total_cost_usd: total, uuid: crypto.randomUUID() });
  };
}

describe('the cost of a job', () => {
  it('[M-8] excludes background work after the job has ended, which is reported as a background-cost event', async () => {
    const { pool, clis, waitFor } = fakePool({ size: 1 }, onPrompt());
    const job = pool.submit({ key: 'a', prompt: 'four' });
    expect(await job.outcome).toMatchObject({ costUsd: 4 });
    clis[0]?.say(result({ total_cost_usd: 9, uuid: crypto.randomUUID(), origin: { kind: 'task-notification' } }));
    expect(await waitFor('background-cost')).toMatchObject({ key: 'a', cost: { costUsd: 5, complete: true } });
  });

  it('[M-8] of background work is reported as incomplete if the CLI dies while a background task is open', async () => {
    const { pool, clis, waitFor } = fakePool({ size: 1 }, onPrompt());
    expect(await pool.submit({ key: 'a', prompt: 'four' }).outcome).toMatchObject({ costUsd: 4 });
    clis[0]?.say({ type: 'system', subtype: 'task_started', task_id: 't' });
    await settle();
    clis[0]?.die(null, 'SIGKILL');
    expect(await waitFor('background-cost')).toMatchObject({ key: 'a', cost: { costUsd: 0, complete: false } });
  });

  it('[M-8] causes no background-cost event for a result without a job that cost nothing', async () => {
    const { pool, clis, events } = fakePool({ size: 1 }, onPrompt());
    await pool.submit({ key: 'a', prompt: 'four' }).outcome;
    clis[0]?.say(result({ total_cost_usd: 4, uuid: crypto.randomUUID(), origin: { kind: 'task-notification' } }));
    expect(await pool.submit({ key: 'a', prompt: 'four' }).outcome).toMatchObject({ costUsd: 4 });
    expect(events.map(({ type }) => type)).not.toContain('background-cost');
  });

  it('[M-8] is in its outcome, and the cost of a cancelled job is not added to the next job', async () => {
    const { pool, clis, waitFor } = fakePool({ size: 1 }, onPrompt());
    const held = pool.submit({ key: 'a', prompt: 'hold' });
    await waitFor('job-started');
    const next = pool.submit({ key: 'a', prompt: 'four' });
    const prompt = await clis[0]?.got('prompt hold');
    await held.cancel();
    await clis[0]?.got('interrupt');
    if (prompt) clis[0]?.finish(prompt, '', { total_cost_usd: 2, is_error: true, terminal_reason: 'aborted_tools' });
    expect(await held.outcome).toMatchObject({ status: 'cancelled', costUsd: 2, cost: { complete: true } });
    // The total of the CLI includes earlier jobs.
    expect(await next.outcome).toMatchObject({ status: 'finished', costUsd: 2, cost: { complete: true } });
    expect(await next.cost()).toMatchObject({ costUsd: 2 });
  });

  it('[M-8] is 0 for a job that never ran, and incomplete for a job whose CLI died', async () => {
    const { pool, clis, waitFor } = fakePool({ size: 1 }, onPrompt());
    const held = pool.submit({ key: 'a', prompt: 'hold' });
    await waitFor('job-started');
    const waiting = pool.submit({ key: 'a', prompt: 'four' });
    await clis[0]?.got('prompt hold');
    await waiting.cancel();
    expect(await waiting.outcome).toMatchObject({ status: 'cancelled', costUsd: 0, cost: { complete: true } });
    clis[0]?.die(null, 'SIGKILL');
    expect(await held.outcome).toMatchObject({ status: 'failed', costUsd: 0, cost: { complete: false } });
  });
});
