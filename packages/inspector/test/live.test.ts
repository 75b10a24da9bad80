import { script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import type { ConversationDetail, EntriesPage, Entry, Stats, TurnsPage } from '../src/api.ts';
import { onlyConversation, stage, watchedSession } from './support/stage.ts';

const AGENT = script()
  .onPrompt(/fix/, (turn) =>
    turn
      .think('Where could it be?')
      .say('I will look at the rate first.', { everyMs: 1 })
      .useTool('Bash', { command: 'npm test' }, { result: '1 failed', isError: true, permission: 'allow' })
      .useTool('Edit', { file_path: '/boat.ts', old_string: 'a\nb', new_string: 'a\nc' }, { permission: 'allow' })
      .useAgent({ description: 'look around', prompt: 'What is here?' }, (sub) =>
        sub.useTool('Read', { file_path: '/oar.ts' }, { result: 'oar', permission: 'allow' }).say('An oar.'),
      )
      .say('Done.')
      .result({ costUsd: 0.02 }),
  )
  .otherwise((turn) => turn.say('Aye.').result({ costUsd: 0.01 }));

const kinds = (entries: readonly Entry[]): string[] => entries.map(({ kind }) => kind);

describe('a live conversation', () => {
  it('[I-1] is in the list, and its events produce the same state as a reload', async () => {
    const set = await stage(AGENT);
    const { browser } = set;
    const { session, id, events } = await watchedSession(set);
    await session.send('fix it').result();
    await events.until(
      (event) => event.type === 'conversation' && event.conversation.state === 'idle' && event.conversation.turns === 1,
    );

    const { entries, total } = await browser.get<EntriesPage>(`api/conversations/${id}/entries`);
    expect(entries.map(({ n }) => n)).toEqual(Array.from({ length: total }, (_, n) => n));
    const main = entries.filter(({ kind }) => kind !== 'system');
    expect(kinds(main)).toEqual([
      ...['prompt', 'thinking', 'text', 'tool', 'tool', 'tool'],
      ...['prompt', 'tool'],
      ...['text', 'result'],
    ]);
    expect(main[3]).toMatchObject({
      name: 'Bash',
      argument: 'npm test',
      state: 'failed',
      result: { text: '1 failed' },
    });
    expect(main[4]).toMatchObject({ state: 'ok', diff: { path: '/boat.ts', added: 1, removed: 1 } });
    expect(main[5]).toMatchObject({ subagent: { description: 'look around' }, depth: 0, state: 'ok' });
    expect(main[7]).toMatchObject({ name: 'Read', depth: 1, parent: main[5]?.kind === 'tool' ? main[5].id : '' });
    expect(main.at(-1)).toMatchObject({ outcome: 'completed', ok: true, cost: { usd: expect.closeTo(0.02, 2) } });

    // The events produce the same state as a reload.
    const followed = new Map<number, Entry>();
    for (const { event } of events.seen) if (event.type === 'entry') followed.set(event.entry.n, event.entry);
    expect([...followed.values()].sort((a, b) => a.n - b.n)).toEqual(entries);
  });

  it('[I-1] shows its turns with their tools, its cost and figures by day', async () => {
    const { browser, open } = await stage(AGENT);
    const session = open();
    await session.send('fix it').result();
    await session.send('thanks').result();
    await session.idle();
    const { id } = await onlyConversation(browser);
    const { turns } = await browser.get<TurnsPage>(`api/conversations/${id}/turns`);
    expect(turns.map(({ title, outcome }) => [title, outcome])).toEqual([
      ['fix it', 'completed'],
      ['thanks', 'completed'],
    ]);
    const spans = (turns[0]?.spans ?? []).filter(({ kind }) => kind === 'tool' || kind === 'subagent');
    expect(spans.map(({ kind, name, outcome }) => [kind, name, outcome])).toEqual([
      ['tool', 'Bash', 'failed'],
      ['tool', 'Edit', 'ok'],
      ['subagent', 'look around', 'ok'],
      ['tool', 'Read', 'ok'],
    ]);
    expect(spans[3]?.parent).toBe(spans[2]?.id);
    const { conversation, setup, tasks } = await browser.get<ConversationDetail>(`api/conversations/${id}`);
    expect(conversation.cost.usd).toBeCloseTo(0.03);
    expect(setup).toHaveProperty('Tools');
    // A subagent that its turn waits for is not a background task, and the start of the CLI is shown once.
    expect(tasks).toEqual([]);
    const { entries } = await browser.get<EntriesPage>(`api/conversations/${id}/entries`);
    const lines = entries.flatMap((entry) => (entry.kind === 'system' ? [entry.subtype] : []));
    expect(lines).toEqual(['init']);
    const stats = await browser.get<Stats>('api/stats?days=2');
    expect(stats.days).toHaveLength(2);
    expect(stats.days[1]).toMatchObject({ turns: 2, failed: 0 });
    expect(stats.days[1]?.usd).toBeCloseTo(0.03);
    expect(stats.top).toMatchObject([{ conversation: id }]);
  });

  it('[I-1] sends an event to the browser within a second', async () => {
    const { session, events } = await watchedSession(await stage(AGENT));
    const took: number[] = [];
    // A busy machine may delay one of the measurements.
    for (const prompt of ['one', 'two', 'three']) {
      const sentAt = Date.now();
      const turn = session.send(prompt);
      const isIt = (entry: Entry): boolean => entry.kind === 'prompt' && entry.text.text === prompt;
      await events.until((event) => event.type === 'entry' && isIt(event.entry));
      took.push(Date.now() - sentAt);
      await turn.result();
    }
    expect(Math.min(...took)).toBeLessThan(1_000);
  });
});
