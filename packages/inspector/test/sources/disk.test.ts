import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inMemoryCli, script } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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

/** What the CLI writes instead of an answer. */
const synthetic = (text: string): object => ({
  ...{ id: `s${count}`, role: 'assistant', model: '<synthetic>', stop_reason: 'stop_sequence' },
  content: [{ type: 'text', text }],
});
const CALL = { type: 'tool_use', id: 't9', name: 'Bash', input: { command: 'sleep' } };
const stopped = (): object =>
  line('user', { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] });

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

async function onDisk(lines: readonly object[], options = {}, writtenAt?: Date) {
  const configDir = await mkdtemp(join(tmpdir(), 'inspector-disk-'));
  const folder = join(configDir, 'projects', '-boat');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${ID}.jsonl`);
  const text = (some: readonly object[]): string => some.map((one) => `${JSON.stringify(one)}\n`).join('');
  await writeFile(file, text(lines));
  if (writtenAt !== undefined) await utimes(file, writtenAt, writtenAt);
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

  it('[I-1] have tokens and times by day, but no cost if their model has no list price; a copy of a conversation is not counted again', async () => {
    const lines = conversation();
    const { browser, folder, append } = await onDisk(lines);
    await writeFile(join(folder, `${ID.replace('5555', '6666')}.jsonl`), copy(lines));
    const figures = () => browser.get<Stats>('api/stats?days=366');
    const unpriced = async (): Promise<number> => {
      await browser.conversations();
      return (await figures()).unpriced;
    };
    // The last turn may not have ended.
    expect(await unpriced()).toBe(0);
    const quiet = new Date(START + 10_000);
    for (const name of await readdir(folder)) await utimes(join(folder, name), quiet, quiet);
    await expect.poll(unpriced, { timeout: 20_000 }).toBe(1);
    const { total, days, byModel, top } = await figures();
    expect(total).toEqual({
      usd: 0,
      estimated: 0,
      tokens: { input: 20, output: 10, cacheRead: 0, cacheCreation: 0 },
      complete: false,
    });
    expect(Object.keys(byModel)).toEqual(['claude-x']);
    expect(days.find(({ turns }) => turns > 0)).toMatchObject({ turns: 1, latencyMs: { p50: expect.any(Number) } });
    expect(days.find(({ turns }) => turns > 0)?.latencyMs?.p50).toBeCloseTo(4_000, -3);
    expect(top).toEqual([]);
    // Only new turns are added.
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
    const spans = [{ kind: 'model' }, { kind: 'tool', name: 'Read', outcome: 'ok' }, { kind: 'model' }];
    expect(turns).toMatchObject([{ title: 'Repair the oar', spans }]);
    const [loaded] = await browser.conversations();
    // Messages of one answer share its tokens; this model has no list price.
    expect(loaded?.cost).toMatchObject({ usd: 0, complete: false, tokens: { input: 20, output: 10 } });
  });

  it('[I-3] opening one of 20 MB does not block the program', { timeout: 60_000 }, async () => {
    count = 0;
    const words = 'The oar is cracked, and the boat goes in circles. '.repeat(36);
    const lines = Array.from({ length: 2_500 }, (_, n) => [
      prompt(`${n} ${words}`),
      said(`a${n}`, [{ type: 'text', text: words }]),
      said(`b${n}`, [{ type: 'tool_use', id: `t${n}`, name: 'Read', input: { file_path: words } }]),
      line('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: words }] }),
    ]).flat();
    const { browser } = await onDisk(lines);
    // Measures the CPU time of the process between two ticks, so that other programs on a busy machine do not count.
    let longest = 0;
    let before = process.cpuUsage();
    const ticking = setInterval(() => {
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
      before = process.cpuUsage();
    }, 1);
    const { entries, total } = await browser.get<EntriesPage>(`api/conversations/d-${ID}/entries`);
    clearInterval(ticking);
    expect([total, entries.length > 0]).toEqual([7_500, true]);
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(300);
  });

  it('[I-1] show an interrupt as one line, not as a prompt', async () => {
    const before = conversation();
    const { browser } = await onDisk([...before, stopped(), prompt('Go on')]);
    const { entries } = await browser.get<EntriesPage>(`api/conversations/d-${ID}/entries`);
    expect(entries.slice(-2)).toMatchObject([
      { kind: 'system', text: 'Interrupted' },
      { kind: 'prompt', from: 'user' },
    ]);
    const { turns } = await browser.get<TurnsPage>(`api/conversations/d-${ID}/turns`);
    // A turn that was written just now may continue.
    expect(turns).toMatchObject([{ outcome: 'interrupted' }, { title: 'Go on', outcome: null }]);
  });

  const API_ERROR = { isApiErrorMessage: true, error: 'server_error' };
  for (const [what, add, expected] of [
    ['that completed', () => [], { state: 'done', outcome: 'completed', stateNote: null }],
    [
      'that the API refused',
      () => [prompt('Go on'), line('assistant', synthetic('API Error: 400 bad'), API_ERROR)],
      { state: 'failed', outcome: 'failed', stateNote: 'api-error' },
    ],
    [
      'that reached the limit of turns',
      () => [prompt('Go on'), { ...line('user', {}), type: 'attachment', attachment: { type: 'max_turns_reached' } }],
      { state: 'failed', outcome: 'limit', stateNote: 'max-turns' },
    ],
    ['that a person stopped', () => [prompt('Go on'), stopped()], { state: 'done', outcome: 'interrupted' }],
    [
      'whose process was killed 37 hours ago',
      () => [prompt('Go on'), said('m9', [{ type: 'tool_use', id: 't9', name: 'Bash', input: { command: 'sleep' } }])],
      { state: 'done', outcome: 'interrupted', stateNote: 'unfinished' },
    ],
  ] as const) {
    it(`[I-9] one ${what} shows it in the list and in its last turn, which has ended`, async () => {
      const { browser } = await onDisk([...conversation(), ...add()], {}, new Date(Date.now() - 37 * 3_600_000));
      expect((await browser.conversations())[0]).toMatchObject(expected);
      await browser.get(`api/conversations/d-${ID}/entries`);
      const { turns } = await browser.get<TurnsPage>(`api/conversations/d-${ID}/turns`);
      expect(turns.at(-1)).toMatchObject({ outcome: expected.outcome, endedAt: expect.any(Number) });
      expect((turns.at(-1)?.endedAt ?? 0) - (turns.at(-1)?.startedAt ?? 0)).toBeLessThan(60_000);
      expect((await browser.conversations())[0]).toMatchObject(expected);
    });
  }

  it('[I-9] a turn that reached the limit of turns still shows it when others have followed', async () => {
    const limit = (): object => ({
      ...line('user', {}),
      ...{ type: 'attachment', attachment: { type: 'max_turns_reached' } },
    });
    const lines = [...conversation(), prompt('Go on'), said('m8', [CALL]), limit(), prompt('And now?')];
    const { browser, append } = await onDisk(lines, {}, new Date(Date.now() - 3_600_000));
    await browser.get(`api/conversations/d-${ID}/entries`);
    const outcomes = async () => {
      const { turns } = await browser.get<TurnsPage>(`api/conversations/d-${ID}/turns`);
      return turns.map(({ outcome }) => outcome);
    };
    expect(await outcomes()).toEqual(['completed', 'limit', 'interrupted']);
    // The same for a turn that others follow while it is read.
    const events = browser.events(`?watch=d-${ID}`);
    await events.until(({ type }) => type === 'snapshot');
    await append(said('m9', [CALL]), limit());
    await expect.poll(outcomes).toEqual(['completed', 'limit', 'limit']);
    await append(prompt('Once more'), said('m10', [{ type: 'text', text: 'Fine.' }]));
    await expect.poll(async () => (await outcomes()).length).toBe(4);
    expect((await outcomes()).slice(0, 3)).toEqual(['completed', 'limit', 'limit']);
  });

  it('[I-9] one that fails while it is watched is shown as failed at once, not as running', async () => {
    const { browser, append } = await onDisk(conversation());
    await browser.get(`api/conversations/d-${ID}/entries`);
    const listed = async (): Promise<Conversation | undefined> => (await browser.conversations())[0];
    await append(prompt('Go on'));
    await expect.poll(listed).toMatchObject({ state: 'running', outcome: null });
    await append(line('assistant', synthetic('API Error: 400 bad'), API_ERROR));
    // Before the 15 s in which a conversation that has grown counts as active.
    await expect.poll(listed, { timeout: 10_000 }).toMatchObject({ state: 'idle', outcome: 'failed' });
    // Its process may still exist, so resuming is not offered.
    expect((await listed())?.actions).not.toContain('resume');
  });

  it('[I-9] one with timestamps in the future is not shown as running until then', async () => {
    const { browser } = await onDisk([...conversation(), prompt('Go on')], {}, new Date(Date.now() + 3_600_000));
    const [before] = await browser.conversations();
    expect(before).toMatchObject({ state: 'running' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect((await browser.conversations())[0]).toMatchObject({ state: 'done', outcome: 'interrupted' });
  });

  it('[I-9] an API error ends its turn in the transcript and counts as a failure', async () => {
    const failing = [...conversation(), prompt('Go on'), line('assistant', synthetic('API Error: 400 bad'), API_ERROR)];
    const { browser, folder } = await onDisk([...failing, prompt('And now?')]);
    const { entries } = await browser.get<EntriesPage>(`api/conversations/d-${ID}/entries`);
    expect(entries.slice(-3)).toMatchObject([
      { kind: 'text', text: { text: 'API Error: 400 bad' } },
      { kind: 'result', outcome: 'api-error', ok: false },
      { kind: 'prompt' },
    ]);
    const old = new Date(START + 10_000);
    await utimes(join(folder, `${ID}.jsonl`), old, old);
    const failed = async (): Promise<number> => {
      await browser.conversations();
      const { days } = await browser.get<Stats>('api/stats?days=366');
      return days.reduce((sum, day) => sum + day.failed, 0);
    };
    await expect.poll(failed, { timeout: 10_000 }).toBe(1);
  });

  it('[I-1] messages added by another process appear while the conversation is watched', async () => {
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

  it('[I-19] are forked before a prompt, in a copy that continues with another one; not before the first prompt', async () => {
    const { transport } = inMemoryCli(script().otherwise((turn) => turn.say('It floats.')));
    const resumed: string[] = [];
    const open = ({ resume }: { resume: string }) => {
      resumed.push(resume);
      return openSession({ transport });
    };
    const lines = [...conversation(), prompt('Burn it'), said('m3', [{ type: 'text', text: 'It burns.' }])];
    const { browser, folder } = await onDisk(lines, { open });
    const at = `api/conversations/d-${ID}`;
    const { entries } = await browser.get<EntriesPage>(`${at}/entries`);
    const n = entries.find((entry) => entry.kind === 'prompt' && entry.text.text === 'Burn it')?.n;
    const fork = (before: unknown, text = 'Paint it'): Promise<Response> =>
      browser.post(`${at}/actions`, { action: 'fork', before, text });
    expect((await fork(0)).status).toBe(409);
    expect((await fork(1)).status).toBe(409);
    expect((await fork('x')).status).toBe(400);
    expect((await fork(n, '')).status).toBe(400);
    expect((await fork(n)).status).toBe(200);
    expect(resumed).toEqual([expect.not.stringMatching(ID)]);
    const [copy] = resumed;
    const copied = await readFile(join(folder, `${copy}.jsonl`), 'utf8');
    expect(copied).toContain('It is cracked.');
    expect(copied).not.toContain('Burn it');
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
