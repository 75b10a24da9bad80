import { inMemoryCli, script } from '@coxswain/testkit';
import { createClient } from 'coxswain';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Conversation, ConversationsPage, TurnsPage } from '../../src/api.ts';
import { type Activity, stateOf } from '../../src/conversations/state.ts';
import { inspect } from '../../src/inspect.ts';
import { Browser } from '../support/browser.ts';

const AGENT = script()
  .onPrompt(/execution/, (turn) => turn.fail('It broke.'))
  .onPrompt(/api/, (turn) => turn.apiError(400))
  .onPrompt(/turns/, (turn) => turn.maxTurns(2))
  .onPrompt(/slow/, (turn) => turn.silence())
  .otherwise((turn) => turn.say('Done.'));

async function staged() {
  const client = createClient({ transport: inMemoryCli(AGENT).transport });
  const inspector = await inspect(client);
  const browser = await new Browser(inspector).login();
  onTestFinished(async () => {
    browser.close();
    await inspector.close();
  });
  const conversation = async (): Promise<Conversation> => {
    const [first] = await browser.conversations();
    if (!first) throw new Error('There is no conversation.');
    return first;
  };
  const turns = async (): Promise<TurnsPage['turns']> =>
    (await browser.get<TurnsPage>(`api/conversations/${(await conversation()).id}/turns`)).turns;
  return { client, browser, conversation, turns };
}

describe('the outcome of runs of this process', () => {
  for (const [prompt, outcome, reason] of [
    ['execution', 'failed', 'execution-error'],
    ['api', 'failed', 'api-error'],
    ['turns', 'limit', 'max-turns'],
  ] as const) {
    it(`[I-9] of a session whose turn ended with ${reason} is ${outcome}, not idle; its next turn completes`, async () => {
      const { client, browser, conversation, turns } = await staged();
      await using session = client.openSession();
      await session.send(prompt).result();
      expect(await conversation()).toMatchObject({ state: 'idle', outcome, stateNote: reason });
      expect(await turns()).toMatchObject([{ outcome, reason }]);
      const found = await browser.get<ConversationsPage>('api/conversations?outcome=failed,limit');
      expect([found.total, found.failures]).toEqual([1, 1]);
      await session.send('again').result();
      expect(await conversation()).toMatchObject({ outcome: 'completed', stateNote: null });
      expect((await browser.get<ConversationsPage>('api/conversations?outcome=failed,limit')).total).toBe(0);
    });

    it(`[I-9] of a query that ended with ${reason} is ${outcome}, and its state is failed, not done`, async () => {
      const { client, conversation } = await staged();
      await client.query(prompt).result();
      await expect.poll(conversation).toMatchObject({ state: 'failed', outcome });
    });
  }

  it('[I-9] of a turn that a person or the program stopped is interrupted, and waiting while it is queued', async () => {
    const { client, conversation, turns } = await staged();
    await using session = client.openSession();
    const slow = session.send('slow');
    const waiting = session.send('then this');
    waiting.result().catch(() => {});
    await expect.poll(turns).toMatchObject([{ outcome: null }, { outcome: 'waiting', endedAt: null }]);
    expect(await conversation()).toMatchObject({ state: 'running', outcome: null });
    await waiting.interrupt();
    await slow.interrupt();
    await slow.result();
    await expect.poll(turns).toMatchObject([{ outcome: 'interrupted' }, { outcome: 'interrupted' }]);
    expect(await conversation()).toMatchObject({ state: 'idle', outcome: 'interrupted' });
    const stop = new AbortController();
    const query = client.query('slow', { signal: stop.signal });
    const end = query.result().catch(() => {});
    await expect.poll(async () => (await conversation()).state).toBe('running');
    stop.abort();
    await end;
    await expect.poll(conversation).toMatchObject({ state: 'done', outcome: 'interrupted' });
  });
});

it('[I-9] a waiting conversation has not ended, and a closed one has the outcome of its last turn', () => {
  const open: Activity = {
    ...{
      life: 'open' as const,
      approvals: 0,
      running: 0,
      queued: 0,
      parked: false,
      pausedUntil: null,
      restarting: null,
      tasks: 0,
    },
    ...{ outcome: 'api-error', error: null },
  };
  expect(stateOf({ ...open, approvals: 1 }).outcome).toBe('waiting');
  expect(stateOf({ ...open, parked: true, approvals: 1 })).toMatchObject({ state: 'needs-me', note: 'parked' });
  expect(stateOf({ ...open, parked: true, approvals: 2 }).note).toBe('2 requests, parked');
  const answered = { state: 'waiting', note: 'answered, waits for a worker', outcome: 'waiting' };
  expect(stateOf({ ...open, parked: true })).toEqual(answered);
  expect(stateOf({ ...open, queued: 1 })).toMatchObject({ state: 'waiting', outcome: 'waiting' });
  expect(stateOf({ ...open, running: 1 })).toMatchObject({ state: 'running', outcome: null });
  expect(stateOf(open)).toEqual({ state: 'idle', note: 'api-error', outcome: 'failed' });
  expect(stateOf({ ...open, life: 'closed' })).toMatchObject({ state: 'failed', outcome: 'failed' });
  expect(stateOf({ ...open, life: 'closed', outcome: 'deferred' })).toMatchObject({ state: 'done', outcome: 'parked' });
  expect(stateOf({ ...open, life: 'failed', outcome: 'completed', error: 'It died.' })).toEqual({
    ...{ state: 'failed', note: 'It died.', outcome: 'failed' },
  });
});
