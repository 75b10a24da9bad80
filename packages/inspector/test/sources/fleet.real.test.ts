import { type Fleet, type FleetTurn, openFleet, startWorker } from '@coxswain/fleet';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dying, quick as limits, scriptedAgent } from '../../../fleet/test/support/agents.ts';
import { testDatabase } from '../../../fleet/test/support/database.ts';
import { startWorkerProcess } from '../../../fleet/test/support/processes.ts';
import type { Conversation, EntriesPage, QueueInfo, Stats, TurnsPage } from '../../src/api.ts';
import { inspect } from '../../src/inspect.ts';
import { Browser } from '../support/browser.ts';
import { nextApproval } from '../support/stage.ts';

/** A fleet with its own tables, an inspector that opened it like another process, and a browser. */
async function inspected(): Promise<{ fleet: Fleet; browser: Browser; place: { database: string; schema: string } }> {
  const place = await testDatabase();
  const fleet = await openFleet({ ...place, limits });
  const watched = await openFleet({ ...place, limits });
  const inspector = await inspect(watched);
  const browser = await new Browser(inspector).login();
  onTestFinished(async () => {
    browser.close();
    await inspector.close();
    await Promise.all([watched.close(), fleet.close()]);
  });
  return { fleet, browser, place };
}

async function conversationOf(browser: Browser, key: string): Promise<Conversation> {
  const found = (await browser.conversations()).find((one) => one.key === key);
  if (!found) throw new Error(`${key} is not listed.`);
  return found;
}

async function textsOf(browser: Browser, id: string): Promise<string[]> {
  const { entries } = await browser.get<EntriesPage>(`api/conversations/${id}/entries`);
  return entries.flatMap((entry) => (entry.kind === 'prompt' || entry.kind === 'text' ? [entry.text.text] : []));
}

async function queueOf(browser: Browser): Promise<QueueInfo> {
  const { queues } = await browser.get<{ queues: QueueInfo[] }>('api/queues');
  const queue = queues.find(({ source }) => source === 'fleet');
  if (!queue) throw new Error('The fleet has no queue.');
  return queue;
}

/** Resolves when the turn waits for a person. */
async function asked(turn: FleetTurn): Promise<void> {
  for await (const item of turn.follow()) if (item.kind === 'permission-requested') return;
}

/** Sends a text, asks for a permission, and then sends another text. */
const asking = scriptedAgent((turn, job) =>
  turn
    .say(`heard ${job.prompt}`)
    .useTool('Bash', { command: 'row' }, { result: 'rowed', permission: 'ask' })
    .say(`did ${job.prompt}`)
    .result({ costUsd: 0.25 }),
);

describe('a fleet on PostgreSQL', () => {
  it('[I-1, I-2] lists and follows a conversation; an answer from the page reaches the worker, and the turn continues', async () => {
    const { fleet, browser, place } = await inspected();
    await using worker = await startWorker({ ...place, limits, name: 'stroke', agent: asking });
    const turn = await fleet.submit({ key: 'ann', tenant: 'team', prompt: 'one', by: 'ann' });
    const overview = browser.events();
    await asked(turn);
    const approval = await nextApproval(overview);
    expect(approval).toMatchObject({ what: { text: 'row' } });
    const listed = await conversationOf(browser, 'ann');
    expect(listed).toMatchObject({ kind: 'fleet', state: 'needs-me' });
    const events = browser.events(`?watch=${listed.id}`);
    await events.until(({ type }) => type === 'snapshot');
    await expect.poll(() => textsOf(browser, listed.id), { timeout: 10_000 }).toEqual(['one', 'heard one']);
    expect(await queueOf(browser)).toMatchObject({ running: 1, workers: [{ state: 'working', busy: 1 }] });

    const answer = { decision: 'allow', scope: 'once' };
    expect((await browser.post(`api/approvals/${approval.id}`, answer)).status).toBe(200);
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did one' });
    expect(await fleet.approvals({ state: 'answered' })).toMatchObject([{ turn: turn.id, by: 'local' }]);
    expect((await browser.post(`api/approvals/${approval.id}`, answer)).status).toBe(409);

    await events.until((event) => event.type === 'conversation' && event.conversation.turns === 1);
    expect(await textsOf(browser, listed.id)).toEqual(['one', 'heard one', 'did one']);
    const { turns } = await browser.get<TurnsPage>(`api/conversations/${listed.id}/turns`);
    expect(turns).toMatchObject([{ id: turn.id, outcome: 'completed', cost: { usd: 0.25 } }]);
    const ended = { state: 'idle', outcome: 'completed' };
    await expect.poll(() => conversationOf(browser, 'ann'), { timeout: 10_000 }).toMatchObject(ended);
    expect((await browser.get<Stats>('api/stats')).total.usd).toBe(0.25);
    expect(worker.health().ready).toBe(true);
  });

  it('[I-2] an approval answered elsewhere is removed from the page, with the name of who answered', async () => {
    const { fleet, browser, place } = await inspected();
    await using _worker = await startWorker({ ...place, limits, agent: asking });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    const events = browser.events();
    await asked(turn);
    const { id } = await nextApproval(events);
    const [approval] = await fleet.approvals();
    await fleet.answer(
      approval?.id ?? '',
      { decision: 'deny', reason: 'No.' },
      { by: 'bob', hash: approval?.hash ?? '' },
    );
    const gone = await events.until((event) => event.type === 'approval-answered');
    expect(gone).toMatchObject({ answered: { id, by: 'bob', decision: 'deny' } });
    await turn.outcome();
  });

  it('[I-2, F-35] a turn that a stopped worker has parked is answered from the page, and another worker continues', async () => {
    const { fleet, browser, place } = await inspected();
    const first = await startWorker({ ...place, limits, agent: asking });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    const events = browser.events();
    await asked(turn);
    const { id } = await nextApproval(events);
    await first.drain();
    await expect
      .poll(() => conversationOf(browser, 'ann'), { timeout: 10_000 })
      .toMatchObject({ state: 'needs-me', stateNote: 'parked' });
    expect(await queueOf(browser)).toMatchObject({ state: 'no worker', parked: 1, running: 0, queued: 0 });
    expect((await browser.post(`api/approvals/${id}`, { decision: 'allow', scope: 'once' })).status).toBe(200);
    await using _second = await startWorker({ ...place, limits, agent: asking });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did one' });
  });

  it('[I-2] a turn is submitted and a waiting one cancelled from the page without a worker', async () => {
    const { fleet, browser } = await inspected();
    const first = await fleet.submit({ key: 'ann', tenant: 'team', prompt: 'one' });
    const { id } = await conversationOf(browser, 'ann');
    const actions = `api/conversations/${id}/actions`;
    expect((await browser.post(actions, { action: 'send', text: 'two' })).status).toBe(200);
    const [second] = await fleet.turns({ key: 'ann' });
    expect(second).toMatchObject({ prompt: 'two', tenant: 'team', submittedBy: 'local', state: 'waiting' });
    const queue = await queueOf(browser);
    expect(queue).toMatchObject({ state: 'no worker', queued: 2, running: 0, workers: [], dead: [] });
    expect(queue.waiting.map((turn) => [turn.title, turn.conversation])).toEqual([
      ['two', id],
      ['one', id],
    ]);
    expect((await browser.post(actions, { action: 'cancel', turn: second?.id })).status).toBe(200);
    expect(await fleet.turns({ key: 'ann', state: 'done' })).toMatchObject([
      { id: second?.id, outcome: { kind: 'cancelled', by: 'local' } },
    ]);
    expect((await queueOf(browser)).waiting).toMatchObject([{ id: first.id }]);
  });

  it('[I-1] shows a turn that no worker could start, and why', async () => {
    const { fleet, browser, place } = await inspected();
    const short = { ...dying, maxAttempts: 1 };
    const doomed = await fleet.submit({ key: 'ann', prompt: 'one' });
    const dieAt = { step: 'claimed', nth: 1 };
    await using victim = startWorkerProcess({ ...place, name: 'dying', limits: short, slots: 1, dieAt });
    await victim.exited;
    await using _worker = await startWorker({ ...place, limits: short, name: 'sweeper', agent: scriptedAgent() });
    expect((await doomed.outcome()).outcome).toMatchObject({ kind: 'dead' });
    const { id } = await conversationOf(browser, 'ann');
    const { ended, waiting, dead } = await queueOf(browser);
    expect({ ended, waiting }).toEqual({ ended: { dead: 1 }, waiting: [] });
    expect(dead).toMatchObject([{ id: doomed.id, key: 'ann', conversation: id, title: 'one' }]);
    expect(dead[0]?.note).toContain('worker');
    expect(await textsOf(browser, id)).toEqual(['one']);
  });
});
