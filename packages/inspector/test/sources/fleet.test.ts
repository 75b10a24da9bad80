import type { PermissionRequest } from 'coxswain';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Conversation, EntriesPage, QueueInfo, ServerEvent, TurnsPage } from '../../src/api.ts';
import { inspect } from '../../src/inspect.ts';
import { Browser } from '../support/browser.ts';
import { nextApproval } from '../support/stage.ts';
import { FakeFleet } from './fake-fleet.ts';

const REQUEST = {
  ...{ id: 'r1', kind: 'tool', toolName: 'Bash', input: { command: 'row' }, suggestions: [], raw: {} },
} as unknown as PermissionRequest;

async function inspected(fleet: FakeFleet) {
  const inspector = await inspect(fleet);
  const browser = await new Browser(inspector).login();
  onTestFinished(async () => {
    browser.close();
    await inspector.close();
  });
  const [only] = await browser.conversations();
  return { browser, only: only as Conversation };
}

const texts = (page: EntriesPage): string[] =>
  page.entries.flatMap((entry) => (entry.kind === 'prompt' || entry.kind === 'text' ? [entry.text.text] : []));

describe('a fleet', () => {
  it('[I-1] shows its conversations, reads ended turns, and follows the running one', async () => {
    const fleet = new FakeFleet();
    fleet.end(fleet.add('ann', 'one', 'first').id);
    const running = fleet.add('ann', 'two', 'second');
    const { browser, only } = await inspected(fleet);
    expect(only).toMatchObject({ kind: 'fleet', key: 'ann', state: 'running', cost: { usd: 0.5 }, entries: null });
    expect(texts(await browser.get<EntriesPage>(`api/conversations/${only.id}/entries`))).toEqual(['one', 'first']);
    const events = browser.events(`?watch=${only.id}`);
    await events.until(({ type }) => type === 'snapshot');
    fleet.say(running.id, 'third');
    fleet.end(running.id);
    await events.until((event) => event.type === 'conversation' && event.conversation.turns === 2);
    const page = await browser.get<EntriesPage>(`api/conversations/${only.id}/entries`);
    expect(texts(page)).toEqual(['one', 'first', 'two', 'second', 'third']);
    expect(page.entries.find(({ kind }) => kind === 'prompt')).toMatchObject({ by: 'ann' });
  });

  it('[I-9] shows how the last turn ended, even for unopened conversations and turns without items', async () => {
    const fleet = new FakeFleet();
    fleet.end(fleet.add('ann', 'one').id, { kind: 'completed' });
    fleet.end(fleet.add('ann', 'two').id, { kind: 'api-error', message: 'overloaded' });
    const old = fleet.add('bob', 'three');
    fleet.end(old.id, { kind: 'max-turns' });
    fleet.prune(old.id);
    fleet.queue('cyd', 'four');
    const { browser } = await inspected(fleet);
    const all = await browser.conversations();
    const of = (key: string) => all.find((one) => one.key === key);
    expect(of('ann')).toMatchObject({ state: 'idle', outcome: 'failed', stateNote: 'api-error' });
    expect(of('bob')).toMatchObject({ state: 'idle', outcome: 'limit', stateNote: 'max-turns' });
    await browser.get(`api/conversations/${of('bob')?.id}/entries`);
    const { turns } = await browser.get<TurnsPage>(`api/conversations/${of('bob')?.id}/turns`);
    expect(turns).toMatchObject([{ outcome: 'limit', reason: 'max-turns', endedAt: expect.any(Number) }]);
  });

  it('[I-2] approvals are answered with the name of the user; those answered elsewhere are removed with the name of that user', async () => {
    const fleet = new FakeFleet();
    const turn = fleet.add('ann', 'one');
    const { browser, only } = await inspected(fleet);
    const events = browser.events();
    await events.until(({ type }) => type === 'snapshot');
    fleet.ask(turn.id, 'ann', REQUEST);
    const approval = await nextApproval(events);
    const terms = { hash: 'hash of r1', groups: ['release'] };
    expect(approval).toMatchObject({ conversation: only.id, what: { text: 'row' }, terms });
    expect((await browser.post(`api/approvals/${approval.id}`, { decision: 'allow', scope: 'once' })).status).toBe(200);
    expect(fleet.calls).toEqual(['local: allow a-r1']);
    expect(fleet.hashes).toEqual(['hash of r1']);
    fleet.ask(turn.id, 'ann', { ...REQUEST, id: 'r2' });
    const second = await nextApproval(events, [approval.id]);
    await fleet.answer('a-r2', { decision: 'deny', reason: 'No.' }, { by: 'bob', hash: 'hash of r2' });
    const late = await browser.post(`api/approvals/${second.id}`, { decision: 'allow', scope: 'once' });
    expect(late.status).toBe(409);
    const gone = await events.until((event) => event.type === 'approval-answered' && event.answered.id === second.id);
    expect(gone).toMatchObject({ answered: { by: 'bob', decision: 'deny' } });
    fleet.end(turn.id);
    // The transcript shows who answered, once and at its position, also to later readers and other inspectors.
    for (const reader of [browser, (await inspected(fleet)).browser]) {
      const { entries } = await reader.get<EntriesPage>(`api/conversations/${only.id}/entries`);
      const kinds = entries.map((entry) =>
        entry.kind === 'audit' ? `${entry.audit.by}: ${entry.audit.note}` : entry.kind,
      );
      expect(kinds.slice(0, 3)).toEqual(['prompt', 'local: Bash: row', 'bob: Bash: row: No.']);
    }
  });

  it('[I-2, F-35] a parked turn needs a person: the page shows since when, answers it, and waits for a worker', async () => {
    const fleet = new FakeFleet();
    const turn = fleet.add('ann', 'one');
    fleet.ask(turn.id, 'ann', REQUEST);
    const { browser, only } = await inspected(fleet);
    const events = browser.events(`?watch=${only.id}`);
    await events.until(({ type }) => type === 'snapshot');
    fleet.park(turn.id, { agoMs: 3 * 3_600_000 });
    const parked = await events.until((event) => event.type === 'approval');
    expect(parked).toMatchObject({ approval: { terms: { groups: ['release'], parkedAt: expect.any(Number) } } });
    const isNoted = (event: ServerEvent): boolean =>
      event.type === 'conversation' && event.conversation.stateNote === 'parked';
    expect(await events.until(isNoted)).toMatchObject({
      conversation: { state: 'needs-me', actions: expect.arrayContaining(['interrupt']) },
    });
    const { id } = parked.type === 'approval' ? parked.approval : { id: '' };
    expect((await browser.post(`api/approvals/${id}`, { decision: 'allow', scope: 'once' })).status).toBe(200);
    expect(fleet.hashes).toEqual(['hash of r1']);
    const waits = { state: 'waiting', stateNote: 'answered, waits for a worker' };
    expect((await browser.conversations())[0]).toMatchObject(waits);
    await browser.post(`api/conversations/${only.id}/actions`, { action: 'interrupt' });
    expect(fleet.calls).toEqual(['local: allow a-r1', `local: cancel ${turn.id}`]);
    const { entries } = await browser.get<EntriesPage>(`api/conversations/${only.id}/entries`);
    const notes = entries.flatMap((entry) => (entry.kind === 'system' ? [entry.text] : []));
    expect(notes).toEqual(['Parked: no process waits for the answer']);
  });

  it('[F-33] opening a conversation records for its approvals who saw them, if the page has a name', async () => {
    const fleet = new FakeFleet();
    const turn = fleet.add('ann', 'one');
    fleet.ask(turn.id, 'ann', REQUEST);
    const { browser, only } = await inspected(fleet);
    await browser.get(`api/conversations/${only.id}`);
    expect(fleet.calls).toEqual([]);
    await using known = await inspect(fleet, { auth: async () => ({ user: 'bob' }) });
    const page = new Browser(known);
    await page.fetch(`api/conversations/${only.id}`);
    await expect.poll(() => fleet.calls).toEqual(['bob: seen a-r1']);
    page.close();
  });

  it('[I-2] a waiting turn is cancelled and a dead one sent again from the queue, once, with the name of the user', async () => {
    const fleet = new FakeFleet();
    const waiting = fleet.queue('ann', 'Repair the oar');
    const dead = fleet.add('bob', 'Paint the boat');
    fleet.end(dead.id, { kind: 'dead', message: '5 workers died.' });
    const { browser } = await inspected(fleet);
    const queue = async (): Promise<QueueInfo | undefined> =>
      (await browser.get<{ queues: QueueInfo[] }>('api/queues')).queues[0];
    const act = (action: string, turn: string) => browser.post('api/queues/fleet/actions', { action, turn });
    expect((await act('cancel', waiting.id)).status).toBe(200);
    expect((await queue())?.waiting).toEqual([]);
    expect((await act('resend', dead.id)).status).toBe(200);
    expect(await queue()).toMatchObject({ waiting: [{ key: 'bob', title: 'Paint the boat' }], dead: [] });
    const again = await Promise.all([act('resend', dead.id), act('cancel', dead.id)]);
    expect(again.map(({ status }) => status)).toEqual([409, 409]);
    expect((await act('resend', 'nowhere')).ok).toBe(false);
    expect((await act('burn', dead.id)).status).toBe(400);
    expect((await browser.post('api/queues/x/actions', { action: 'cancel', turn: 'y' })).status).toBe(404);
    expect(fleet.calls).toEqual([
      `local: cancel ${waiting.id}`,
      `local: resend ${dead.id}`,
      `local: cancel ${dead.id}`,
    ]);
  });

  it('[I-1] notes show the names of workers, not their ids', async () => {
    const fleet = new FakeFleet();
    const turn = fleet.add('ann', 'one');
    fleet.start(turn.id, 'w1');
    fleet.start(turn.id, 'long-gone');
    fleet.end(turn.id);
    const { browser, only } = await inspected(fleet);
    const { entries } = await browser.get<EntriesPage>(`api/conversations/${only.id}/entries`);
    const notes = entries.flatMap((entry) => (entry.kind === 'system' ? [entry.text] : []));
    expect(notes).toEqual(['Runs on one', 'Runs on long-gone']);
  });

  it('[I-2] a prompt is submitted, a turn cancelled; queue, workers and pauses are shown', async () => {
    const fleet = new FakeFleet();
    const turn = fleet.add('ann', 'one');
    const { browser, only } = await inspected(fleet);
    const events = browser.events();
    await events.until(({ type }) => type === 'snapshot');
    await browser.post(`api/conversations/${only.id}/actions`, { action: 'send', text: 'more' });
    await events.until((event) => event.type === 'conversation' && event.conversation.actions.includes('cancel'));
    for (const action of ['cancel', 'interrupt']) {
      expect((await browser.post(`api/conversations/${only.id}/actions`, { action })).status).toBe(200);
    }
    expect(fleet.calls).toEqual(['local: submit ann more', 'local: cancel turn-2', `local: cancel ${turn.id}`]);
    const { queues } = await browser.get<{ queues: QueueInfo[] }>('api/queues');
    expect(queues).toMatchObject([
      {
        ...{ slots: 4, queued: 4, running: 1, parked: 2, pauses: [{ scope: 'default', until: 99 }] },
        heldBack: [
          { scope: 'team', waiting: 2, reason: '1 of 1 running' },
          { scope: 'lab', waiting: 1, reason: '$5.00 of $4.50 spent today' },
        ],
        unserved: [{ waiting: 3, reason: 'no worker has the agent deploy' }],
        workers: [
          { state: 'working', agents: ['review 2, CLI 2.1.311'] },
          { state: 'lost', agents: [] },
        ],
      },
    ]);
  });
});
