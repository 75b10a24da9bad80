import { script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import type { EntriesPage, Entry, ServerEvent } from '../../src/api.ts';
import { inspect } from '../../src/inspect.ts';
import { Browser, type EventReader } from '../support/browser.ts';
import { onlyConversation, stage, watchedSession } from '../support/stage.ts';

const AGENT = script().onPrompt(/(.*)/, (turn) => turn.say('Aye, aye.', { everyMs: 1 }).result({ costUsd: 0.01 }));

/** The state of a page after these events. */
function folded(...readers: EventReader[]): Entry[] {
  const entries = new Map<number, Entry>();
  for (const { event } of readers.flatMap(({ seen }) => seen)) {
    if (event.type === 'entry') entries.set(event.entry.n, event.entry);
  }
  return [...entries.values()].sort((a, b) => a.n - b.n);
}

const turnsAre = (count: number) => (event: ServerEvent) =>
  event.type === 'conversation' && event.conversation.turns === count && event.conversation.state === 'idle';

describe('the event stream', () => {
  it('[I-1] continues after a lost connection without loss or repetition', async () => {
    const set = await stage(AGENT);
    const { browser } = set;
    const { session, id, events: first } = await watchedSession(set);
    await session.send('one').result();
    await first.until(turnsAre(1));
    first.close();
    await first.over;
    await session.send('two').result();
    const second = browser.events(`?watch=${id}`, first.lastId);
    await second.until(turnsAre(2));
    expect(second.seen.map(({ event }) => event.type)).not.toContain('snapshot');
    const ids = [...first.seen, ...second.seen].map(({ id }) => Number(id.split('.')[1]));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    const { entries } = await browser.get<EntriesPage>(`api/conversations/${id}/entries`);
    expect(folded(first, second)).toEqual(entries);
  });

  it('[I-1] continues after a cursor with exactly the later events', async () => {
    const { browser, open } = await stage(AGENT);
    const session = open();
    await session.send('one').result();
    await session.idle();
    const { id } = await onlyConversation(browser);
    const page = await browser.get<EntriesPage>(`api/conversations/${id}/entries`);
    const events = browser.events(`?watch=${id}&after=${page.cursor}`);
    await session.send('two').result();
    await events.until(turnsAre(2));
    const later = folded(events).filter(({ n }) => n >= page.total);
    const { entries } = await browser.get<EntriesPage>(`api/conversations/${id}/entries`);
    expect([...page.entries, ...later].map(({ n }) => n)).toEqual(entries.map(({ n }) => n));
  });

  it('[I-1] sends a snapshot for a cursor that is unknown, too old, or from an earlier server', async () => {
    const { browser, open, inspector } = await stage(AGENT);
    const session = open();
    await session.send('one').result();
    const info = await browser.get<{ cursor: string }>('api/info');
    for (const cursor of ['nonsense', 'x.1', `${info.cursor}9999`, info.cursor.replace(/^./, '_')]) {
      const events = browser.events('', cursor);
      expect((await events.until(() => true)).type).toBe('snapshot');
      events.close();
    }
    // The same client in another inspector is another server with other numbers, its own token and its own key.
    await using other = await inspect(session, { port: 0 });
    const second = await new Browser(other).login();
    const events = second.events('', info.cursor);
    const event = await events.until(({ type }) => type === 'snapshot');
    expect(event.type === 'snapshot' && event.page.total).toBe(1);
    expect(second.key).not.toBe(browser.key);
    events.close();
    expect(inspector.port).not.toBe(other.port);
  });

  it('[I-1] sends a last event when the server closes', async () => {
    const { browser, inspector } = await stage(AGENT);
    const events = browser.events();
    await events.until(({ type }) => type === 'snapshot');
    await inspector.close();
    await events.over;
    expect(events.seen.at(-1)?.event.type).toBe('bye');
  });
});
