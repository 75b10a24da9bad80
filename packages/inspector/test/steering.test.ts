import { inMemoryCli, script } from '@coxswain/testkit';
import { createClient, openSession } from 'coxswain';
import { describe, expect, it, onTestFinished } from 'vitest';
import type {
  ActionResult,
  ApiFailure,
  Approval,
  AuditEntry,
  Conversation,
  EntriesPage,
  QueueInfo,
  TurnsPage,
} from '../src/api.ts';
import { askInspector } from '../src/ask-inspector.ts';
import { inspect } from '../src/inspect.ts';
import { Browser } from './support/browser.ts';
import { onlyConversation, stage } from './support/stage.ts';

const AGENT = script()
  .onPrompt(/long/, (turn) => turn.say('I begin.').silence())
  .onPrompt(/(.*)/, (turn) => turn.say('Aye.').result({ costUsd: 0.01 }));

async function act(browser: Browser, id: string, body: object): Promise<ActionResult> {
  const answer = await browser.post(`api/conversations/${id}/actions`, body);
  const json = (await answer.json()) as ActionResult | ApiFailure;
  if ('error' in json) throw new Error(`${json.error.code}: ${json.error.message}`);
  return json;
}

const prompts = async (browser: Browser, id: string): Promise<unknown[]> => {
  const { entries } = await browser.get<EntriesPage>(`api/conversations/${id}/entries`);
  return entries.flatMap((entry) => (entry.kind === 'prompt' ? [[entry.from, entry.by, entry.text.text]] : []));
};

describe('steering from the page', () => {
  it('[I-2] sends a prompt, adds to a running turn and interrupts it', async () => {
    const { browser, open } = await stage(AGENT);
    const session = open();
    await session.ready;
    const { id } = await onlyConversation(browser);
    const events = browser.events(`?watch=${id}`);
    await events.until(({ type }) => type === 'snapshot');
    const state = (wanted: string, turns: number) =>
      events.until(
        (event) =>
          event.type === 'conversation' && event.conversation.state === wanted && event.conversation.turns === turns,
      );
    await act(browser, id, { action: 'send', text: 'hello' });
    await state('idle', 1);
    await act(browser, id, { action: 'send', text: 'a long one' });
    await state('running', 1);
    expect((await onlyConversation(browser)).actions).toEqual(['send', 'steer', 'interrupt', 'fork', 'close']);
    await act(browser, id, { action: 'steer', text: 'to the left' });
    await act(browser, id, { action: 'interrupt' });
    await state('idle', 2);
    expect(await prompts(browser, id)).toEqual([
      ['user', 'local', 'hello'],
      ['user', 'local', 'a long one'],
      ['steer', 'local', 'to the left'],
    ]);
    // One line shows that it was interrupted, and by whom.
    const { entries } = await browser.get<EntriesPage>(`api/conversations/${id}/entries`);
    const from = entries.findIndex((entry) => entry.kind === 'prompt' && entry.from === 'steer');
    expect(entries.slice(from + 1).map(({ kind }) => kind)).toEqual(['result']);
    await expect
      .poll(async () => (await browser.get<EntriesPage>(`api/conversations/${id}/entries`)).entries.at(-1))
      .toMatchObject({ outcome: 'interrupted', by: 'local' });
    const audit = await browser.get<{ entries: AuditEntry[] }>('api/audit');
    expect(audit.entries.map(({ action }) => action)).toContain('interrupt');
    await expect(act(browser, id, { action: 'interrupt' })).rejects.toThrow('not-possible');
    await expect(act(browser, id, { action: 'fly' })).rejects.toThrow('bad-request');
    await expect(act(browser, 'p-nobody', { action: 'interrupt' })).rejects.toThrow('not-found');
  });

  it('[I-2] cancels a waiting turn, forks and closes', async () => {
    const { browser, open } = await stage(AGENT);
    const session = open();
    await session.send('hello').result();
    const { id } = await onlyConversation(browser);
    await act(browser, id, { action: 'send', text: 'a long one' });
    await act(browser, id, { action: 'send', text: 'never' });
    await act(browser, id, { action: 'cancel' });
    // It never interrupts a running turn, unless that turn is specified.
    await expect(act(browser, id, { action: 'cancel' })).rejects.toThrow('not-possible');
    const { turns } = await browser.get<TurnsPage>(`api/conversations/${id}/turns`);
    await act(browser, id, { action: 'cancel', turn: turns.find(({ title }) => title === 'a long one')?.id });
    await session.idle();
    const fork = await act(browser, id, { action: 'fork', text: 'another way' });
    expect(fork.conversation).not.toBe(id);
    const events = browser.events();
    await events.until(
      (event) =>
        event.type === 'snapshot' &&
        event.page.conversations.some((one) => one.id === fork.conversation && one.parent === id),
    );
    await act(browser, id, { action: 'close' });
    await session.closed;
    const closed = (await browser.conversations()).find((one) => one.id === id);
    expect(closed).toMatchObject({ state: 'done', actions: ['fork'] });
  });

  it('[I-2] of a pool: its queue, its keys, a job from the page and a cancelled one', async () => {
    const pool = createClient({ transport: inMemoryCli(AGENT).transport }).createPool({ size: 1 });
    const inspector = await inspect(pool);
    const browser = await new Browser(inspector).login();
    onTestFinished(async () => {
      await inspector.close();
      await pool.close();
    });
    const events = browser.events();
    await events.until(({ type }) => type === 'snapshot');
    const running = pool.submit({ key: 'ann', prompt: 'a long one' });
    const isRunning = (one: Conversation): boolean => one.key === 'ann' && one.state === 'running';
    const shown = await events.until((event) => event.type === 'conversation' && isRunning(event.conversation));
    const id = shown.type === 'conversation' ? shown.conversation.id : '';
    const waiting = pool.submit({ key: 'bob', prompt: 'hello' });
    const { queues } = await browser.get<{ queues: QueueInfo[] }>('api/queues');
    expect(queues).toMatchObject([{ slots: 1, running: 1, queued: 1, waiting: [{ key: 'bob' }] }]);
    await act(browser, id, { action: 'send', text: 'after that' });
    const { turns } = await browser.get<TurnsPage>(`api/conversations/${id}/turns`);
    await act(browser, id, { action: 'cancel', turn: turns[0]?.id });
    expect(await running.outcome).toMatchObject({ status: 'cancelled' });
    expect(await waiting.outcome).toMatchObject({ status: 'finished' });
  });

  it('[I-2] an inspector that is opened late shows what is already waiting', async () => {
    const agent = script().otherwise((turn) =>
      turn.useTool('Bash', { command: 'row' }, { permission: 'ask' }).say('Done.'),
    );
    const session = openSession({ transport: inMemoryCli(agent).transport, canUseTool: askInspector() });
    const turn = session.send('go');
    while (session.pendingPermissions().length === 0) await new Promise(setImmediate);
    await using inspector = await inspect(session);
    const browser = await new Browser(inspector).login();
    const events = browser.events();
    const isAsking = (one: Conversation): boolean => one.state === 'needs-me';
    await events.until(
      (event) =>
        (event.type === 'snapshot' && event.page.conversations.some(isAsking)) ||
        (event.type === 'conversation' && isAsking(event.conversation)),
    );
    const { approvals } = await browser.get<{ approvals: Approval[] }>('api/approvals');
    await browser.post(`api/approvals/${approvals[0]?.id}`, { decision: 'allow', scope: 'once' });
    expect(await turn.text()).toBe('Done.');
    await session.close();
    browser.close();
  });

  it('[I-2] a session that was not opened through a client can be inspected directly', async () => {
    const session = openSession({ transport: inMemoryCli(AGENT).transport });
    await using inspector = await inspect(session);
    const browser = await new Browser(inspector).login();
    const { id } = await onlyConversation(browser);
    await act(browser, id, { action: 'send', text: 'hello' });
    await session.idle();
    expect(await prompts(browser, id)).toEqual([['user', 'local', 'hello']]);
    await session.close();
  });
});
