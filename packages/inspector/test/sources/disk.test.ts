import { appendFile, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inMemoryCli, script } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ActionResult, Conversation, EntriesPage, SearchResult, Stats, TurnsPage } from '../../src/api.ts';
import { inspect } from '../../src/inspect.ts';
import { Browser } from '../support/browser.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const START = Date.parse('2026-11-16T10:00:00Z');

let count = 0;
const line = (type: 'user' | 'assistant', message: object, more: object = {}): object => {
  const uuid = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  const parentUuid = count === 0 ? null : `00000000-0000-4000-8000-${String(count - 1).padStart(12, '0')}`;
  const timestamp = new Date(START + count * 1_000).toISOString();
  count += 1;
  return { parentUuid, isSidechain: false, type, message, uuid, timestamp, sessionId: ID, cwd: '/boat', ...more };
};
const prompt = (text: string): object => line('user', { role: 'user', content: text });
const said = (id: string, content: object[]): object =>
  line('assistant', {
    id,
    role: 'assistant',
    model: 'claude-x',
    content,
    usage: { input_tokens: 10, output_tokens: 5 },
  });

function conversation(): object[] {
  count = 0;
  return [
    prompt('Repair the oar'),
    said('m1', [{ type: 'text', text: 'I look at it.' }]),
    said('m1', [{ type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '/oar' } }]),
    line('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a cracked oar' }] }),
    said('m2', [{ type: 'text', text: 'It is cracked.' }]),
  ];
}

async function onDisk(lines: readonly object[], options = {}) {
  const configDir = await mkdtemp(join(tmpdir(), 'inspector-disk-'));
  const folder = join(configDir, 'projects', '-boat');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${ID}.jsonl`);
  const text = (some: readonly object[]): string => some.map((one) => `${JSON.stringify(one)}\n`).join('');
  await writeFile(file, text(lines));
  const inspector = await inspect([], { disk: { configDir, ...options } });
  const browser = await new Browser(inspector).login();
  onTestFinished(async () => {
    browser.close();
    await inspector.close();
    await rm(configDir, { recursive: true, force: true });
  });
  return { browser, inspector, folder, append: (...some: object[]) => appendFile(file, text(some)) };
}

describe('the figures of conversations on disk', () => {
  const copy = (lines: readonly object[]): string => lines.map((one) => `${JSON.stringify(one)}\n`).join('');

  it('[I-1] have tokens and times by day, but no dollars; a copy of a conversation is not counted again', async () => {
    const lines = conversation();
    const { browser, folder, append } = await onDisk(lines);
    await writeFile(join(folder, `${ID.replace('5555', '6666')}.jsonl`), copy(lines));
    const figures = () => browser.get<Stats>('api/stats?days=366');
    const unpriced = async (): Promise<number> => {
      await browser.conversations();
      return (await figures()).unpriced;
    };
    // The last turn may still go on.
    expect(await unpriced()).toBe(0);
    const quiet = new Date(START + 10_000);
    for (const name of await readdir(folder)) await utimes(join(folder, name), quiet, quiet);
    await expect.poll(unpriced, { timeout: 20_000 }).toBe(1);
    const { total, days, byModel, top } = await figures();
    expect(total).toEqual({
      usd: 0,
      tokens: { input: 20, output: 10, cacheRead: 0, cacheCreation: 0 },
      complete: false,
    });
    expect(Object.keys(byModel)).toEqual(['claude-x']);
    expect(days.find(({ turns }) => turns > 0)).toMatchObject({ turns: 1, latencyMs: { p50: expect.any(Number) } });
    expect(days.find(({ turns }) => turns > 0)?.latencyMs?.p50).toBeCloseTo(4_000, -3);
    expect(top).toEqual([]);
    // Only what is new is added.
    await append(prompt('And the other one?'), said('m3', [{ type: 'text', text: 'It is whole.' }]), prompt('Good.'));
    await expect.poll(unpriced, { timeout: 20_000 }).toBe(2);
  });
});

describe('conversations on disk', () => {
  it('[I-1] are listed, read when they are opened, and have turns, tokens and results', async () => {
    const { browser } = await onDisk(conversation());
    const [only] = await browser.conversations();
    expect(only).toMatchObject({ id: `d-${ID}`, kind: 'disk', title: 'Repair the oar', entries: null, cwd: '/boat' });
    const { entries } = await browser.get<EntriesPage>(`api/conversations/d-${ID}/entries`);
    expect(entries.map(({ kind }) => kind)).toEqual(['prompt', 'text', 'tool', 'text']);
    expect(entries[2]).toMatchObject({ state: 'ok', result: { text: 'a cracked oar' }, durationMs: 1_000 });
    const { turns } = await browser.get<TurnsPage>(`api/conversations/d-${ID}/turns`);
    expect(turns).toMatchObject([{ title: 'Repair the oar', spans: [{ name: 'Read', outcome: 'ok' }] }]);
    const [loaded] = await browser.conversations();
    // Messages of one answer share its tokens; dollars are not in a transcript.
    expect(loaded?.cost).toMatchObject({ usd: 0, complete: false, tokens: { input: 20, output: 10 } });
  });

  it('[I-1] what another process adds appears while it is watched', async () => {
    const { browser, append } = await onDisk(conversation());
    await browser.get(`api/conversations/d-${ID}`);
    const events = browser.events(`?watch=d-${ID}`);
    await events.until(({ type }) => type === 'snapshot');
    await append(prompt('And the other one?'), said('m3', [{ type: 'text', text: 'That one is fine.' }]));
    await events.until((event) => event.type === 'entry' && event.entry.kind === 'text' && event.entry.n === 5);
    const { entries } = await browser.get<EntriesPage>(`api/conversations/d-${ID}/entries`);
    expect(entries.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('[I-1] can be searched and exported', async () => {
    const { browser } = await onDisk(conversation());
    const { hits } = await browser.get<SearchResult>('api/search?q=CRACKED');
    expect(hits.map(({ entry, match }) => [entry, match])).toEqual([
      [2, 'cracked'],
      [3, 'cracked'],
    ]);
    expect((await browser.get<SearchResult>('api/search?q=nowhere')).hits).toEqual([]);
    const markdown = await (await browser.fetch(`api/conversations/d-${ID}/export?format=markdown`)).text();
    expect(markdown).toContain('## Prompt\n\nRepair the oar');
    const json = JSON.parse(await (await browser.fetch(`api/conversations/d-${ID}/export?format=json`)).text());
    expect(json.entries).toHaveLength(4);
  });

  it('[I-2] are resumed from the page, with their history; forked and renamed', async () => {
    const agent = script()
      .sessions(ID)
      .otherwise((turn) => turn.say('Where were we?'));
    const { transport } = inMemoryCli(agent);
    const open = (how: object) => openSession({ ...how, cwd: undefined, transport });
    const { browser } = await onDisk(conversation(), { open });
    const act = async (id: string, body: object): Promise<ActionResult> => {
      const answer = await browser.post(`api/conversations/${id}/actions`, body);
      if (!answer.ok) throw new Error(await answer.text());
      return (await answer.json()) as ActionResult;
    };
    await act(`d-${ID}`, { action: 'rename', title: 'The oar' });
    expect((await browser.conversations())[0]?.title).toBe('The oar');
    const fork = await act(`d-${ID}`, { action: 'fork' });
    expect(fork.conversation).toMatch(/^d-/);
    const { conversation: live } = await act(`d-${ID}`, { action: 'resume', text: 'Go on' });
    const events = browser.events(`?watch=${live}`);
    await events.until(
      (event) =>
        (event.type === 'conversation' && event.conversation.id === live && event.conversation.turns === 1) ||
        (event.type === 'snapshot' && event.page.conversations.some((one) => one.id === live && one.turns === 1)),
    );
    const { entries } = await browser.get<EntriesPage>(`api/conversations/${live}/entries`);
    const texts = entries.flatMap((entry) =>
      entry.kind === 'prompt' || entry.kind === 'text' ? [entry.text.text] : [],
    );
    expect(texts).toEqual(['Repair the oar', 'I look at it.', 'It is cracked.', 'Go on', 'Where were we?']);
    const ids = (await browser.get<{ conversations: Conversation[] }>('api/conversations')).conversations.map(
      ({ id }) => id,
    );
    expect(ids).not.toContain(`d-${ID}`);
  });
});
