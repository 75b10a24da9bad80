import { type FleetAgent, type FollowItem, openFleet, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script, type TurnScript } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { dying, quick as limits, takingOver } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';

const soon = { outcomes: ['execution-error'], backoffMs: 100 } as const;
const broken = (turn: TurnScript): TurnScript => turn.fail('broken');
const used = (turn: TurnScript): TurnScript => broken(turn.useTool('Bash', { command: 'make' }));

/** An agent whose attempts at each turn play the scripts in their order; the last one repeats. Notes the prompts that it gets. */
function attempts(
  plays: readonly ((turn: TurnScript) => TurnScript)[],
  more: Partial<FleetAgent> = {},
): FleetAgent & { readonly prompts: string[] } {
  const prompts: string[] = [];
  const counts = new Map<string, number>();
  return {
    prompts,
    ...more,
    options: ({ id, prompt }) => {
      const count = counts.get(id) ?? 0;
      counts.set(id, count + 1);
      prompts.push(String(prompt));
      const play = plays[Math.min(count, plays.length - 1)] ?? broken;
      return {
        transport: inMemoryCli(script().otherwise(play)).transport,
        canUseTool: () => ({ decision: 'allow' }),
      };
    },
  };
}

/** What a follower sees, in short. */
async function followed(items: AsyncIterable<FollowItem>): Promise<string[]> {
  const seen: string[] = [];
  for await (const item of items) {
    if (item.kind === 'state') seen.push(`${item.state} ${item.attempt}`);
    if (item.kind === 'retry') seen.push(`retry ${item.attempt} ${item.outcome.kind}`);
    if (item.kind === 'outcome') seen.push(item.outcome.kind);
  }
  return seen;
}

describe('a policy of retries', () => {
  it('[F-44, F-3, F-2] gives a turn another attempt and one outcome, and the turns behind it wait', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const agent = attempts([broken, broken, (turn) => turn.say('done').result({ costUsd: 0.01 })], {
      retry: { attempts: 5, ...soon },
    });
    const { prompts, ...plain } = agent;
    const one = await fleet.submit({ key: 'ann', prompt: 'one', tenant: 'acme' });
    const two = await fleet.submit({ key: 'ann', prompt: 'two', tenant: 'acme', retry: { attempts: 1 } });
    await using _a = await startWorker({ ...place, limits, agent: plain });
    await using _b = await startWorker({ ...place, limits, agent: plain });
    expect(await followed(one.follow())).toEqual([
      ...['claimed 1', 'sent 1', 'retry 1 execution-error', 'waiting 1'],
      ...['claimed 2', 'sent 2', 'retry 2 execution-error', 'waiting 2'],
      ...['claimed 3', 'sent 3', 'completed'],
    ]);
    expect((await two.outcome()).outcome.kind).toBe('execution-error');
    expect(prompts).toEqual(['one', 'one', 'one', 'two']);
    expect(await one.info()).toMatchObject({ attempt: 3, retries: 2, retryAt: null, outcome: { kind: 'completed' } });
    expect(await fleet.spend()).toMatchObject([{ tenant: 'acme', turns: 2 }]);
    const events = await sql(
      place.database,
      `select kind from ${place.schema}.log where turn = '${one.id}' order by n`,
    );
    expect(events.map(({ kind }) => kind).filter((kind) => kind !== 'turn-claimed')).toEqual([
      'turn-submitted',
      'turn-retried',
      'turn-retried',
      'turn-ended',
    ]);
  });

  it('[F-44] ends with the outcome of the last attempt, and the turn costs what all of them cost', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await fleet.setQuota('acme', { maxUsdPerDay: 100 });
    const play = (turn: TurnScript): TurnScript => turn.fail('broken').result({ costUsd: 0.25 });
    const { prompts, ...agent } = attempts([play]);
    await using _worker = await startWorker({ ...place, limits, agent });
    const retry = { outcomes: ['execution-error'], attempts: 3, backoffMs: 0 } as const;
    const turn = await fleet.submit({ key: 'ann', prompt: 'one', tenant: 'acme', retry, maxUsdPerTurn: 1 });
    const { outcome, costUsd } = await turn.outcome();
    expect([outcome.kind, costUsd, prompts.length]).toEqual(['execution-error', 0.75, 3]);
    expect(await fleet.spend()).toMatchObject([{ tenant: 'acme', usd: 0.75, turns: 1 }]);
    expect(await fleet.conversations()).toMatchObject([{ costUsd: 0.75 }]);
    expect(await fleet.quotas()).toMatchObject([{ usdReserved: 0, usdToday: 0.75 }]);
  });

  it.each<[string, (turn: TurnScript) => TurnScript, Partial<FleetAgent>, number]>([
    ['does not repeat a turn after a tool', used, {}, 1],
    [
      'repeats it then, if replay allows it',
      used,
      { replay: ({ answered, attempts: count }) => answered && count < 2 },
      2,
    ],
    ['does not repeat it then for replay: unanswered', used, { replay: 'unanswered' }, 1],
    ['repeats a turn after a text', (turn) => broken(turn.say('I begin.')), {}, 3],
    ['repeats no completed turn', (turn) => turn.say('done'), {}, 1],
    ['repeats no other outcome', (turn) => turn.maxTurns(), {}, 1],
  ])('[F-44] %s', async (_, play, more, count) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const { prompts, ...agent } = attempts([play], { ...more, retry: { ...soon, backoffMs: 0 } });
    await using _worker = await startWorker({ ...place, limits, agent });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    await turn.outcome();
    expect(prompts).toHaveLength(count);
  });

  it('[F-44, F-10] by default, repeats a turn that the API refused, once its credential is no longer paused', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const { prompts, ...agent } = attempts([(turn) => turn.apiError(529), (turn) => turn.say('done')], {
      retry: { backoffMs: 0 },
    });
    await using _worker = await startWorker({ ...place, limits, agent });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    await expect.poll(async () => (await fleet.stats()).pauses, { timeout: 20_000 }).toHaveLength(1);
    await fleet.pause(null);
    expect((await turn.outcome()).outcome.kind).toBe('completed');
    expect(prompts).toHaveLength(2);
  });

  it('[F-44] repeats no command, and nothing if the submission asks for one attempt', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const { prompts, ...agent } = attempts([(turn) => turn.fail('broken')], {
      retry: { outcomes: ['execution-error'], backoffMs: 0 },
    });
    await using _worker = await startWorker({ ...place, limits, agent });
    const command = await fleet.submit({ key: 'ann', prompt: '/deploy' });
    expect((await command.outcome()).outcome.kind).toBe('execution-error');
    const once = await fleet.submit({ key: 'ann', prompt: 'once', retry: { attempts: 1 } });
    expect((await once.outcome()).outcome.kind).toBe('execution-error');
    expect(prompts).toEqual(['/deploy', 'once']);
  });

  it('[F-44, F-9] a turn that waits for its next attempt holds no worker, keeps its place, survives all workers, and can be cancelled', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const retry = { outcomes: ['execution-error'], backoffMs: 3_600_000, maxBackoffMs: 3_600_000 } as const;
    const { prompts, ...agent } = attempts([(turn) => turn.fail('broken'), (turn) => turn.say('done')]);
    const first = await startWorker({ ...place, limits, agent, slots: 1 });
    const one = await fleet.submit({ key: 'ann', prompt: 'one', retry });
    await expect
      .poll(() => one.info(), { timeout: 20_000 })
      .toMatchObject({ state: 'waiting', retries: 1, worker: null });
    const { retryAt } = await one.info();
    expect((retryAt ?? 0) - Date.now()).toBeGreaterThan(1_700_000);
    const two = await fleet.submit({ key: 'ann', prompt: 'two' });
    const other = await fleet.submit({ key: 'bob', prompt: 'other' });
    await other.outcome();
    expect(await two.info()).toMatchObject({ state: 'waiting', attempt: 0 });
    await first.drain();
    await using _second = await startWorker({ ...place, limits, agent });
    await (await fleet.submit({ key: 'bob', prompt: 'more' })).outcome();
    expect(prompts).toEqual(['one', 'other', 'more']);
    expect(await fleet.cancel(one.id, { by: 'bob' })).toBe('take-out');
    expect((await one.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'cancel' });
    expect((await two.outcome()).outcome.kind).toBe('execution-error');
  });

  it('[F-44] a later turn that wakes the conversation does not run first, and the next attempt begins when it is due', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const retry = { outcomes: ['execution-error'], backoffMs: 3_600_000, maxBackoffMs: 3_600_000 } as const;
    const { prompts, ...agent } = attempts([(turn) => turn.fail('broken'), (turn) => turn.say('done')]);
    await using _worker = await startWorker({ ...place, limits, agent });
    const one = await fleet.submit({ key: 'ann', prompt: 'one', retry });
    await expect.poll(() => one.info(), { timeout: 20_000 }).toMatchObject({ state: 'waiting', retries: 1 });
    const two = await fleet.submit({ key: 'ann', prompt: 'two' });
    const { database, schema } = place;
    // An hour later.
    await sql(database, `update ${schema}.turn set start_after = now() where id = '${one.id}'`);
    await sql(database, `update ${schema}.job set start_after = now() where state < 'active'`);
    expect((await two.outcome()).outcome.kind).toBe('execution-error');
    expect(prompts).toEqual(['one', 'one', 'two']);
    expect((await one.outcome()).outcome.kind).toBe('completed');
  });

  it('[F-44] a delayed turn that becomes due meanwhile does not run first, although it has a job of its own', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const { prompts, ...agent } = attempts([broken]);
    const later = await fleet.submit({ key: 'ann', prompt: 'later', startAfter: 3_600_000 });
    const retry = { ...soon, backoffMs: 3_600_000, maxBackoffMs: 3_600_000 };
    const one = await fleet.submit({ key: 'ann', prompt: 'one', retry });
    await using _worker = await startWorker({ ...place, limits, agent });
    await expect.poll(() => one.info(), { timeout: 20_000 }).toMatchObject({ state: 'waiting', retries: 1 });
    const { database, schema } = place;
    const jobOf = async (id: string): Promise<unknown> =>
      (await sql(database, `select job from ${schema}.turn where id = '${id}'`))[0]?.job;
    const job = await jobOf(later.id);
    expect(job).toEqual(expect.any(String));
    // An hour later.
    await sql(database, `update ${schema}.turn set start_after = now() where id = '${later.id}'`);
    await sql(database, `update ${schema}.job set start_after = now() where id = '${String(job)}'`);
    await expect.poll(() => jobOf(later.id), { timeout: 20_000 }).toBe(null);
    expect(await later.info()).toMatchObject({ state: 'waiting', attempt: 0 });
    expect(await jobOf(one.id)).toEqual(expect.any(String));
    await fleet.cancel(one.id);
    expect((await later.outcome()).outcome.kind).toBe('execution-error');
    expect(prompts).toEqual(['one', 'later']);
  });

  it('[F-44, F-4] the next attempt begins on another worker if the one that ran the first was killed', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await using victim = startWorkerProcess({
      ...place,
      name: 'victim',
      limits: dying,
      slots: 1,
      dieAt: { step: 'retried', nth: 1 },
    });
    const retry = { attempts: 2, backoffMs: 1_000 };
    const turn = await fleet.submit({ key: 'ann', prompt: 'limit', retry });
    await victim.exited;
    expect(await turn.info()).toMatchObject({ state: 'waiting', retries: 1, worker: null });
    await fleet.pause(null);
    const { prompts, ...agent } = attempts([(turn) => turn.say('done')]);
    await using _other = await startWorker({ ...place, limits: takingOver, agent });
    expect((await turn.outcome()).outcome.kind).toBe('completed');
    expect(await turn.info()).toMatchObject({ attempt: 2, retries: 1 });
    expect(prompts).toEqual(['limit']);
  });

  it('[F-44, F-9] a cancellation that arrives while an attempt ends is no other attempt', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const { prompts, ...agent } = attempts([broken], { retry: { ...soon, attempts: 100 } });
    // After the agent has finished, the worker does not read cancellations any more.
    const onStep = async (step: string, { id }: { id: string }): Promise<void> => {
      if (step === 'result') await fleet.cancel(id, { by: 'bob' });
    };
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    await using _worker = await startWorker({ ...place, limits: { ...limits, pollMs: 60_000 }, agent, onStep });
    expect((await turn.outcome()).outcome).toMatchObject({
      kind: expect.stringMatching(/interrupted|execution-error/),
    });
    expect(prompts).toHaveLength(1);
    const items: string[] = [];
    for await (const { kind } of turn.follow()) items.push(kind);
    expect(items.filter((kind) => kind === 'outcome')).toHaveLength(1);
  });

  it('[F-44, F-45, F-2, F-3, F-4] kill -9 at every step of turns that are repeated loses, doubles and reorders nothing', {
    timeout: 180_000,
  }, async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const retry = { ...soon, attempts: 20 };
    const turns = Array.from({ length: 12 }, (_, n) => ({
      key: `c${n % 3}`,
      prompt: `flaky ${n}`,
      tenant: 'acme',
      retry,
    }));
    const group = await fleet.submitMany(turns, { group: 'g' });
    const worker = { ...place, limits: dying, slots: 3, replay: 'always' } as const;
    for (const step of ['fetched', 'claimed', 'sent', 'result', 'retried', 'committing']) {
      await using victim = startWorkerProcess({ ...worker, name: `dies at ${step}`, dieAt: { step, nth: 2 } });
      await victim.exited;
    }
    await using _last = startWorkerProcess({ ...worker, name: 'last' });
    expect((await group.done()).map(({ outcome }) => outcome.kind)).toEqual(turns.map(() => 'completed'));
    const { database, schema } = place;
    const outcomes = await sql(
      database,
      `select turn, count(*)::integer as count from ${schema}.event where kind = 'outcome' group by 1 having count(*) <> 1`,
    );
    expect(outcomes).toEqual([]);
    // All items of a turn come before those of the next one.
    const mixed = await sql(
      database,
      `select * from (select turn.key, turn.seq, min(event.seq) as first, lag(max(event.seq)) over (partition by turn.key order by turn.seq) as before
       from ${schema}.turn join ${schema}.event on event.turn = turn.id group by turn.key, turn.seq) spans where first < before`,
    );
    expect(mixed).toEqual([]);
    const [sums] = await sql(
      database,
      `select (select sum(usd) from ${schema}.spend)::float8 as spent, (select sum(cost_usd) from ${schema}.conversation)::float8 as kept,
              (select sum(turns) from ${schema}.spend)::integer as turns`,
    );
    expect(sums?.turns).toBe(turns.length);
    expect(sums?.spent).toBeCloseTo(Number(sums?.kept), 6);
    const { costUsd } = await group.info();
    expect(costUsd).toBeCloseTo(Number(sums?.spent), 6);
  });
});
