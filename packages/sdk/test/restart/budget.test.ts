import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../src/messages/outcome.ts';
import type { Session } from '../../src/session/session.ts';
import { type FakeCli, settle } from '../support/fake-cli.ts';
import { INIT, result } from '../support/say.ts';
import { AT_ONCE, flagOf, start } from './stage.ts';

const budgetOf = (cli: FakeCli): number => Number(flagOf(cli, '--max-budget-usd'));

/** Sends a prompt and makes the CLI answer it at this cost. */
async function spend(session: Session, cli: FakeCli, prompt: string, costUsd: number): Promise<void> {
  const turn = session.send(prompt);
  const sent = await cli.got(`prompt ${prompt}`);
  cli.begin(sent);
  cli.finish(sent, 'done', {
    uuid: crypto.randomUUID(),
    model_usage_since_last_result: { opus: { inputTokens: 10, costUSD: costUsd } },
  });
  await turn.result();
}

const FRESH = '22222222-2222-4222-8222-222222222222';

/** Clears the conversation, like 2.1.325. */
async function clear(session: Session, cli: FakeCli): Promise<void> {
  const cleared = session.clear();
  await cli.got('prompt /clear');
  cli.say({ ...INIT, session_id: FRESH }, result({ session_id: FRESH, num_turns: 0, uuid: crypto.randomUUID() }));
  await cleared;
}

describe('the budget of a restarting session', () => {
  it('[A-7] covers all its processes: each replacement gets the rest of the earlier ones', async () => {
    const { session, cli, cli1 } = await start({ maxBudgetUsd: 0.5 });
    expect(budgetOf(cli1)).toBe(0.5);
    await spend(session, cli1, 'one', 0.1);
    await spend(session, cli1, 'two', 0.2);
    cli1.die(null, 'SIGKILL');
    const cli2 = await cli(2);
    await spend(session, cli2, 'three', 0.15);
    expect(budgetOf(cli2)).toBe(0.2);
    cli2.die(null, 'SIGKILL');
    const cli3 = await cli(3);
    await cli3.got('initialize');
    expect(budgetOf(cli3)).toBe(0.05);
  });

  it('[A-7] is not changed for a process that dies before it reports a cost', async () => {
    const { session, cli, cli1 } = await start({ maxBudgetUsd: 0.5 });
    const cut = session.send('one');
    cli1.begin(await cli1.got('prompt one'));
    cli1.die(null, 'SIGKILL');
    await expect(cut.result()).rejects.toMatchObject({ name: 'TurnInterruptedError' });
    const cli2 = await cli(2);
    await cli2.got('initialize');
    expect(budgetOf(cli2)).toBe(0.5);
    expect(session.cost().complete).toBe(false);
  });

  it('[A-7] prevents a new process once it is spent: waiting and later turns end with the outcome `budget`', async () => {
    const { session, clis, cli1, events } = await start({ maxBudgetUsd: 0.5 }, { ...AT_ONCE, replay: () => true });
    await spend(session, cli1, 'one', 0.6);
    const cut = session.send('two');
    const waiting = session.send('three');
    await cli1.got('prompt two');
    cli1.die(null, 'SIGKILL');
    for (const turn of [cut, waiting]) expect(outcomeOf(await turn.result())).toMatchObject({ kind: 'budget' });
    await session.closed;
    expect(session.state).toBe('ended');
    expect(events.at(-1)?.type).toBe('ended');
    const later = session.send('four');
    expect(await later.result()).toMatchObject({
      type: 'result',
      subtype: 'error_max_budget_usd',
      is_error: true,
      errors: ['Reached maximum budget ($0.5)'],
      terminal_reason: 'budget_exhausted',
      total_cost_usd: 0.6,
      user_message_uuid: later.id,
      session_id: session.id,
    });
    await expect(session.send('five').text()).rejects.toMatchObject({ name: 'ResultError', outcome: 'budget' });
    expect(await later.cost()).toMatchObject({ costUsd: 0, complete: true });
    expect(clis).toHaveLength(1);
    await expect(session.clear()).rejects.toMatchObject({ name: 'SessionStoppedError' });
    await session.close();
    await expect(session.send('six').result()).rejects.toMatchObject({ name: 'SessionStoppedError' });
  });

  it('[A-7] is not renewed by a clear(), after which the CLI counts from 0; another process gets the rest', async () => {
    const { session, cli, cli1, events } = await start({ maxBudgetUsd: 0.5 });
    await spend(session, cli1, 'one', 0.2);
    await clear(session, cli1);
    expect(cli1.hasExited).toBe(false);
    const turn = session.send('two');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt two'));
    expect(await turn.text()).toBe('done');
    expect(budgetOf(cli2)).toBe(0.3);
    expect(flagOf(cli2, '--session-id')).toBe(FRESH);
    expect(cli1.story).not.toContain('prompt two');
    expect(events.filter(({ type }) => type === 'restarting')).toMatchObject([{ attempt: 0, cause: null }]);
  });

  it('[A-7] needs no other process after a clear() before the first cost, or without a budget', async () => {
    for (const options of [{ maxBudgetUsd: 0.5 }, {}]) {
      const { session, clis, cli1 } = await start(options);
      await spend(session, cli1, 'one', 'maxBudgetUsd' in options ? 0 : 1);
      await clear(session, cli1);
      await spend(session, cli1, 'two', 0.1);
      expect(clis).toHaveLength(1);
    }
  });

  it('[A-7] stays spent after a clear(): the turn ends without a process, and observers are notified', async () => {
    const { session, clis, cli1, events } = await start({ maxBudgetUsd: 0.5 });
    await spend(session, cli1, 'one', 0.5);
    await clear(session, cli1);
    const seen: string[] = [];
    session.observe({
      opened: () => ({
        prompt: () => void seen.push('prompt'),
        message: ({ message }) => void seen.push(message.type),
        turnEnded: ({ outcome }) => void seen.push(String(outcome)),
      }),
    });
    const turn = session.send('two');
    expect(outcomeOf(await turn.result())).toMatchObject({ kind: 'budget', totalCostUsd: 0.5 });
    await session.idle();
    await settle();
    expect(seen).toEqual(['prompt', 'result', 'budget']);
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', turn: turn.id, outcome: 'budget', costUsd: 0 });
    expect(cli1.story).not.toContain('prompt two');
    expect(clis).toHaveLength(1);
    expect(session.state).toBe('running');
  });

  it('[A-7] delays the replacement of the CLI until open requests are answered', async () => {
    const { session, cli, cli1 } = await start({ maxBudgetUsd: 0.5 });
    await spend(session, cli1, 'one', 0.2);
    await clear(session, cli1);
    cli1.answers.get_context_usage = () => {};
    const usage = session.contextUsage();
    const { request_id = '' } = await cli1.got('get_context_usage');
    const turn = session.send('two');
    const model = session.setModel('haiku');
    await settle();
    expect(cli1.hasExited).toBe(false);
    cli1.succeed(request_id, { totalTokens: 7 });
    expect(await usage).toMatchObject({ totalTokens: 7 });
    const cli2 = await cli(2);
    await model;
    cli2.reply(await cli2.got('prompt two'));
    expect(await turn.text()).toBe('done');
    expect(cli2.story.slice(0, 3)).toEqual(['initialize', 'set_model', 'prompt two']);
  });
});
