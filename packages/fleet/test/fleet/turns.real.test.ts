import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type FleetTurn, type FollowItem, openFleet, SubmissionError, startWorker } from '@coxswain/fleet';
import { allow, answerQuestions, decideLater, deny, textOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

async function read(turn: FleetTurn, after = 0): Promise<FollowItem[]> {
  const items: FollowItem[] = [];
  for await (const item of turn.follow({ after })) items.push(item);
  return items;
}

const textsIn = (items: readonly FollowItem[]): string[] =>
  items.flatMap((item) => (item.kind === 'message' && item.message.type === 'assistant' ? [textOf(item.message)] : []));

describe.concurrent('turns', () => {
  it('[F-1] a turn is durable when submit resolves, runs on a worker, and reaches its follower; the same id is one turn', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const turn = await fleet.submit({ key: 'ann', prompt: 'tidy', id: 'order-7' });
    const same = await fleet.submit({ key: 'ann', prompt: 'tidy', id: 'order-7' });
    expect(same.id).toBe(turn.id);
    expect(await fleet.turns({ key: 'ann' })).toHaveLength(1);
    await expect(fleet.submit({ key: 'bob', prompt: 'tidy', id: 'order-7' })).rejects.toThrow(SubmissionError);
    await expect(fleet.submit({ key: 'ann', prompt: 'x', tenant: 'other' })).rejects.toThrow('tenant');
    await using _worker = await startWorker({ database, schema, limits, agent: scriptedAgent() });
    const items = await read(turn);
    expect(items.at(-1)).toMatchObject({ kind: 'outcome', outcome: { kind: 'completed', text: 'did tidy' } });
    expect(items.filter(({ kind }) => kind === 'state')).toMatchObject([{ state: 'claimed' }, { state: 'sent' }]);
    const ended = await (await fleet.turn('order-7')).outcome();
    expect(ended.outcome.kind).toBe('completed');
  });

  it('[F-2] turns of one conversation run one at a time and in the order of submission, on several workers', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const running = new Map<string, number>();
    const order: string[] = [];
    let overlaps = 0;
    const onStep = (step: string, { id }: { id: string }): void => {
      const key = id.split(' ')[0] ?? '';
      if (step === 'claimed') {
        const now = (running.get(key) ?? 0) + 1;
        running.set(key, now);
        if (now > 1) overlaps += 1;
        order.push(id);
      }
      if (step === 'result') running.set(key, (running.get(key) ?? 0) - 1);
    };
    const keys = ['a', 'b', 'c', 'd'];
    const turns: FleetTurn[] = [];
    for (let n = 0; n < 8; n += 1) {
      // All conversations at once, with priorities that must not matter within a conversation.
      turns.push(
        ...(await Promise.all(
          keys.map((key) => fleet.submit({ key, prompt: `${n}`, id: `${key} ${n}`, priority: n })),
        )),
      );
    }
    const start = (): ReturnType<typeof startWorker> =>
      startWorker({ database, schema, limits, agent: scriptedAgent(), slots: 3, onStep });
    await using _a = await start();
    await using _b = await start();
    await Promise.all(turns.map((turn) => turn.outcome()));
    for (const key of keys) {
      const mine = order.filter((id) => id.startsWith(key));
      expect(mine).toEqual(Array.from({ length: 8 }, (_, n) => `${key} ${n}`));
    }
    expect(overlaps).toBe(0);
  });

  it('[F-6, F-7] the next turn runs on another worker with the history; followers read it again from any seq', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const first = await fleet.submit({ key: 'ann', prompt: 'one' });
    {
      await using _worker = await startWorker({ database, schema, limits, agent: scriptedAgent() });
      await first.outcome();
    }
    const second = await fleet.submit({ key: 'ann', prompt: 'two' });
    // The scripted agent refuses to resume a conversation that was not restored.
    await using _worker = await startWorker({ database, schema, limits, agent: scriptedAgent() });
    expect((await second.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did two' });
    const items = await read(first);
    const [, third] = items;
    expect(await read(first, third?.seq)).toEqual(items.slice(2));
    const texts = (await fleet.transcript('ann')).flatMap((entry) =>
      entry.type === 'assistant' ? [JSON.stringify(entry)] : [],
    );
    expect(texts).toHaveLength(2);
    expect(texts[0]).toContain('did one');
    expect(texts[1]).toContain('did two');
    expect([...textsIn(items), ...textsIn(await read(second))]).toEqual(['did one', 'did two']);
  });

  it('[F-8] the first answer to an approval wins, from any process, and its author and time are kept', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await using other = await openFleet({ database, schema, limits });
    const agent = scriptedAgent((turn) =>
      turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say('built'),
    );
    await using _worker = await startWorker({ database, schema, limits, agent });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    for await (const item of turn.follow()) if (item.kind === 'permission-requested') break;
    const [approval] = await other.approvals();
    expect(approval).toMatchObject({
      key: 'ann',
      turn: turn.id,
      state: 'pending',
      request: { toolName: 'Bash', input: { command: 'make' } },
    });
    const { id = '', hash = '' } = approval ?? {};
    const answers = await Promise.allSettled([
      fleet.answer(id, allow(), { by: 'ann', hash }),
      other.answer(id, deny('no'), { by: 'bob', hash }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
    const [kept] = await fleet.approvals({ state: 'answered' });
    const won = answers[0]?.status === 'fulfilled' ? 'ann' : 'bob';
    expect(kept).toMatchObject({ id, by: won, answer: { decision: won === 'ann' ? 'allow' : 'deny' } });
    expect(kept?.answeredAt).toBeGreaterThanOrEqual(approval?.requestedAt ?? 0);
    await expect(fleet.answer(id, allow(), { by: 'eve', hash })).rejects.toMatchObject({
      code: 'approval-closed',
      by: won,
    });
    await expect(fleet.answer('none', allow(), { by: 'eve', hash })).rejects.toMatchObject({ code: 'not-in-fleet' });
  });

  it('[F-7, F-8] a permission request follows the messages before it, live and afterwards, whenever the agent decides', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const order = ['assistant', 'assistant', 'permission-requested', 'permission-answered', 'user'];
    const told = (items: readonly FollowItem[]): string[] =>
      items
        .map((item) => (item.kind === 'message' ? item.message.type : item.kind))
        .filter((kind) => order.includes(kind));
    for (const waitMs of [0, 100]) {
      const agent = scriptedAgent((turn) =>
        turn
          .say('I will build.')
          .useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' })
          .say('built'),
      );
      const slow: typeof agent = {
        ...agent,
        options: async (job) => ({
          ...(await agent.options(job)),
          canUseTool: async () => {
            await delay(waitMs);
            return decideLater();
          },
        }),
      };
      await using _worker = await startWorker({ database, schema, limits, agent: slow });
      const turn = await fleet.submit({ key: `${waitMs}`, prompt: 'build' });
      const live: FollowItem[] = [];
      for await (const item of turn.follow()) {
        live.push(item);
        if (item.kind === 'permission-requested')
          await fleet.answer(item.approval ?? '', allow(), { by: 'ann', hash: item.hash });
      }
      expect(told(live).slice(0, order.length)).toEqual(order);
      expect(told(await read(turn))).toEqual(told(live));
    }
  });

  it('[F-8] an answer that does not fit is refused, or leaves the approval open', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const agent = scriptedAgent((turn) =>
      turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say('built'),
    );
    const errors: unknown[] = [];
    await using _worker = await startWorker({
      database,
      schema,
      limits,
      agent,
      onError: (error) => errors.push(error),
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    for await (const item of turn.follow()) if (item.kind === 'permission-requested') break;
    const [approval] = await fleet.approvals();
    const { id = '', hash = '' } = approval ?? {};
    // A valid answer, but the request is not a question.
    const unfit = answerQuestions({ 'Which boat?': 'Eight' });
    for (const answer of ['yes', {}, { decision: 'maybe' }, null, unfit, { decision: 'allow', updateInput: {} }])
      await expect(fleet.answer(id, answer as never, { by: 'ann', hash })).rejects.toMatchObject({
        code: 'fleet-input',
      });
    // A client of another release may have stored it.
    await sql(database, `update ${schema}.approval set state = 'answered', answer = $1, answer_hash = hash`, [
      JSON.stringify(unfit),
    ]);
    while (errors.length === 0 || (await fleet.approvals()).length === 0) await delay(20);
    await fleet.answer(id, allow(), { by: 'bob', hash });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
    expect(await fleet.approvals({ state: 'answered' })).toMatchObject([{ id, by: 'bob' }]);
  });

  it('[F-1] a burst of submissions waits for connections, in order, and all are stored', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: { ...limits, connections: 1 } });
    const turns = await Promise.all(
      Array.from({ length: 200 }, (_, n) => fleet.submit({ key: 'burst', prompt: `${n}` })),
    );
    expect(turns).toHaveLength(200);
    const stored = await fleet.turns({ key: 'burst', limit: 200 });
    expect(stored.map(({ prompt }) => Number(prompt)).sort((a, b) => a - b)).toEqual(turns.map((_, n) => n));
  });

  it('[F-8, P-8] questions of the agent are answered the same way, and an allow without an answer leaves them open', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const questions = [
      { question: 'Which boat?', header: 'Boat', options: [{ label: 'Eight', description: '' }], multiSelect: false },
    ];
    const agent = scriptedAgent((turn) =>
      turn.useTool('AskUserQuestion', { questions }, { permission: 'ask' }).say('good'),
    );
    await using _worker = await startWorker({ database, schema, limits, agent });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    for await (const item of turn.follow()) {
      if (item.kind !== 'permission-requested') continue;
      expect(item.request.kind).toBe('question');
      const { approval, hash } = item;
      await expect(fleet.answer(approval ?? '', allow(), { by: 'ann', hash })).rejects.toThrow(
        'a question needs an answer',
      );
      await fleet.answer(approval ?? '', answerQuestions({ 'Which boat?': 'Eight' }), { by: 'ann', hash });
    }
    expect((await turn.outcome()).outcome.kind).toBe('completed');
  });

  it('[F-9] cancel removes a waiting turn and interrupts a running one', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const agent = scriptedAgent((turn, job) =>
      job.prompt === 'hang' ? turn.say('I hang.').silence() : turn.say('fine'),
    );
    await using _worker = await startWorker({ database, schema, limits, agent });
    const running = await fleet.submit({ key: 'ann', prompt: 'hang' });
    const waiting = await fleet.submit({ key: 'ann', prompt: 'two' });
    const last = await fleet.submit({ key: 'ann', prompt: 'three' });
    for await (const item of running.follow()) if (item.kind === 'message' && item.message.type === 'assistant') break;
    expect(await fleet.cancel(waiting.id, { by: 'ann' })).toBe('take-out');
    expect((await waiting.outcome()).outcome).toMatchObject({ kind: 'cancelled', by: 'ann' });
    expect(await fleet.cancel(running.id, { by: 'ann' })).toBe('interrupt');
    expect((await running.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'cancel' });
    expect((await last.outcome()).outcome.kind).toBe('completed');
    expect(await fleet.cancel(last.id)).toBe('too-late');
    await expect(fleet.cancel('none')).rejects.toMatchObject({ code: 'not-in-fleet', kind: 'turn' });
    const again = await fleet.resend(running.id);
    await fleet.cancel(again.id);
    expect(await again.info()).toMatchObject({ resendOf: running.id });
  });

  it('[F-9] cancel of a conversation with damaged rows changes nothing and has the code of PostgreSQL', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    await sql(database, `insert into ${schema}.event (key, seq, turn, kind, body) values ('ann', 1, 'x', 'x', '{}')`);
    await expect(fleet.cancel(turn.id)).rejects.toMatchObject({ code: 'database-unavailable', reason: '23505' });
    expect(await turn.info()).toMatchObject({ state: 'waiting' });
  });

  it('[F-9] a turn that is cancelled before its prompt is sent has the author of the cancellation, however far it was', async ({
    expect,
  }) => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const agent = scriptedAgent();
    await using _worker = await startWorker({
      database,
      schema,
      // The worker learns of a cancellation only by its notification.
      limits: { ...limits, pollMs: 60_000 },
      agent: { ...agent, options: (job) => (job.prompt === 'hang' ? new Promise(() => {}) : agent.options(job)) },
      onStep: async (step, { id }) => {
        if (step !== 'claimed') return;
        if (id === 'told') expect(await fleet.cancel(id, { by: 'ann' })).toBe('interrupt');
        // Without a notification, the worker reads it before it sends the prompt.
        if (id === 'found') await sql(database, `update ${schema}.turn set cancelled_by = 'bob' where id = 'found'`);
      },
    });
    const found = await fleet.submit({ key: 'b', prompt: 'one', id: 'found' });
    expect((await found.outcome()).outcome).toMatchObject({ kind: 'cancelled', by: 'bob' });
    const told = await fleet.submit({ key: 'a', prompt: 'hang', id: 'told' });
    expect((await told.outcome()).outcome).toMatchObject({ kind: 'cancelled', by: 'ann' });
  });

  it('[F-10] quotas hold over all workers: concurrent turns, and dollars per day', async ({ expect }) => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await fleet.setQuota('small', { maxConcurrent: 1, maxUsdPerDay: 0.05 });
    let running = 0;
    let most = 0;
    const onStep = (step: string, { id }: { id: string }): void => {
      if (!id.startsWith('small')) return;
      if (step === 'claimed') running += 1;
      if (step === 'result') running -= 1;
      most = Math.max(most, running);
    };
    const agent = scriptedAgent((turn) => turn.say('ok').wait(20).result({ costUsd: 0.02 }));
    const start = (): ReturnType<typeof startWorker> => startWorker({ database, schema, limits, agent, onStep });
    await using _a = await start();
    await using _b = await start();
    const small = await Promise.all(
      ['1', '2', '3', '4', '5'].map((key) =>
        fleet.submit({ key: `s${key}`, prompt: 'x', id: `small ${key}`, tenant: 'small' }),
      ),
    );
    const big = await Promise.all(
      ['1', '2', '3'].map((key) => fleet.submit({ key: `b${key}`, prompt: 'x', tenant: 'big' })),
    );
    await Promise.all(big.map((turn) => turn.outcome()));
    // Three turns at 0.02 reach 0.05; two must wait for tomorrow.
    await expect
      .poll(async () => (await fleet.turns({ tenant: 'small', state: 'done' })).length, { timeout: 10_000 })
      .toBe(3);
    await delay(2 * limits.pollMs);
    expect(await fleet.turns({ tenant: 'small', state: 'waiting' })).toHaveLength(2);
    expect(most).toBe(1);
    const [spent] = await fleet.spend({ tenant: 'small' });
    expect(spent).toMatchObject({ turns: 3 });
    expect(spent?.usd).toBeCloseTo(0.06);
    await fleet.setQuota('small', null);
    await Promise.all(small.map((turn) => turn.outcome()));
  });

  it('[F-10] a rate limit pauses every worker with the same credential until its reset; one turn goes first', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    let resetsAt = 0;
    const startedAt: number[] = [];
    const agent = scriptedAgent((turn, job) => {
      if (job.prompt === 'first') {
        resetsAt = Math.ceil(Date.now() / 1000) * 1000 + 2_000;
        return turn.rateLimited({ resetsAt });
      }
      startedAt.push(Date.now());
      const answered = turn.wait(50).say('ok');
      return job.prompt === 'slow' ? answered.silence() : answered;
    });
    const start = (credential: string): ReturnType<typeof startWorker> =>
      startWorker({ database, schema, limits, agent, credential });
    await using _a = await start('one');
    const limited = await fleet.submit({ key: 'x', prompt: 'first' });
    expect((await limited.outcome()).outcome).toMatchObject({ kind: 'rate-limit', resetsAt });
    expect((await fleet.stats()).pauses).toMatchObject([{ credential: 'one', until: resetsAt }]);
    await using _b = await start('one');
    // The first turn hangs after its answer; the others only need that answer.
    const first = await fleet.submit({ key: 'p', prompt: 'slow', priority: 1 });
    const held = await Promise.all(['q', 'r'].map((key) => fleet.submit({ key, prompt: 'later' })));
    await Promise.all(held.map((turn) => turn.outcome()));
    expect(Math.min(...startedAt)).toBeGreaterThanOrEqual(resetsAt);
    const infos = await Promise.all([first, ...held].map((turn) => turn.info()));
    const [began = 0, ...later] = infos.map((info) => info.startedAt ?? 0);
    expect(Math.min(...later)).toBeGreaterThanOrEqual(began + 50);
    expect(infos[0]).toMatchObject({ state: 'sent' });
    await fleet.cancel(first.id);
    expect((await fleet.stats()).pauses).toEqual([]);
  });

  it('[F-10] a rate limit with a reset in the far future pauses for a month at most', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const agent = scriptedAgent((turn, { prompt }) => turn.rateLimited({ resetsAt: Number(prompt) }));
    for (const [credential, prompt] of Object.entries({ one: '8.64e15', two: '1e300' })) {
      await using _worker = await startWorker({ database, schema, limits, agent, credential });
      const turn = await fleet.submit({ key: credential, prompt });
      expect((await turn.outcome()).outcome).toMatchObject({ kind: 'rate-limit' });
    }
    const { pauses } = await fleet.stats();
    expect(pauses).toHaveLength(2);
    for (const { until } of pauses) expect(until).toBeLessThan(Date.now() + 32 * 24 * 3_600_000);
  });

  it('[F-11] a draining worker claims no new turns; running ones end, or are interrupted and committed at the deadline', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const agent = scriptedAgent((turn, job) =>
      job.prompt === 'hang' ? turn.say('I hang.').silence() : turn.say('x').wait(150).say('fine'),
    );
    const begun = async (prompt: string): Promise<FleetTurn> => {
      const turn = await fleet.submit({ key: prompt, prompt });
      for await (const item of turn.follow()) if (item.kind === 'message') break;
      return turn;
    };
    await using first = await startWorker({ database, schema, limits, agent });
    const short = await begun('short');
    const drained = first.drain({ timeoutMs: 60_000 });
    const late = await fleet.submit({ key: 'late', prompt: 'late' });
    expect(first.health()).toMatchObject({ ready: false, draining: true });
    await drained;
    expect((await short.outcome()).outcome.kind).toBe('completed');
    expect(await late.info()).toMatchObject({ state: 'waiting' });
    await using second = await startWorker({ database, schema, limits, agent });
    expect((await late.outcome()).outcome.kind).toBe('completed');
    const hanging = await begun('hang');
    await second.drain({ timeoutMs: 100 });
    expect((await hanging.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'drain' });
    expect((await fleet.stats()).workers).toEqual([]);
  });

  it('[F-11] a turn that a worker claims while it begins to drain is released', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const steps = new EventEmitter();
    const claiming = once(steps, 'claiming');
    const draining = once(steps, 'draining');
    await using worker = await startWorker({
      database,
      schema,
      limits,
      agent: scriptedAgent(),
      // During the transaction of the claim.
      onStep: async (step) => {
        if (step !== 'fetched') return;
        steps.emit('claiming');
        await draining;
      },
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    await claiming;
    const drained = worker.drain({ timeoutMs: 60_000 });
    steps.emit('draining');
    await drained;
    expect(await turn.info()).toMatchObject({ state: 'waiting', attempt: 0, worker: null });
    await using _next = await startWorker({ database, schema, limits, agent: scriptedAgent() });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did one' });
  });

  it('a delayed turn runs when it is due, not earlier; an agent that cannot run fails the turn', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const agent = scriptedAgent((turn, job) => {
      if (job.prompt === 'broken') throw new Error('no such checkout');
      return turn.say('ok');
    });
    await using _worker = await startWorker({ database, schema, limits, agent });
    const submitted = Date.now();
    const later = await fleet.submit({ key: 'a', prompt: 'later', startAfter: 700 });
    const broken = await fleet.submit({ key: 'a', prompt: 'broken' });
    expect((await broken.outcome()).outcome).toMatchObject({ kind: 'failed', message: 'no such checkout' });
    await later.outcome();
    expect(((await later.info()).startedAt ?? 0) - submitted).toBeGreaterThanOrEqual(690);
  });
});
