import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Conversation, ConversationDetail, Stats, TurnsPage } from '../../src/api.ts';
import { inspect } from '../../src/inspect.ts';
import { Browser } from '../support/browser.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const START = Date.now() - 3_600_000;

let count = 0;
function line(type: 'user' | 'assistant', message: object, more: object = {}): object {
  count += 1;
  const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const at = new Date(START + count * 1_000).toISOString();
  const head = { parentUuid: count === 1 ? null : uuid(count - 1), uuid: uuid(count), timestamp: at, sessionId: ID };
  return { ...head, isSidechain: false, type, message, cwd: '/boat', ...more };
}
const prompt = (text: string): object => line('user', { role: 'user', content: text });
const answer = (id: string, content: object[], more: object = {}): object =>
  line(
    'assistant',
    {
      ...{ id, role: 'assistant', model: 'claude-opus-5-5', content },
      usage: {
        input_tokens: 1_000,
        output_tokens: 100,
        cache_read_input_tokens: 10_000,
        cache_creation_input_tokens: 0,
      },
    },
    more,
  );
/** 1,000 in at $4, 100 out at $20 and 10,000 from the cache at $0.40 per million. */
const ANSWER = 0.01;

it('[I-13] conversations on disk have estimated costs, which agree in the list, the turns and the figures, subagents included', async () => {
  const configDir = await mkdtemp(join(tmpdir(), 'inspector-disk-costs-'));
  const folder = join(configDir, 'projects', '-boat');
  const subagents = join(folder, ID, 'subagents');
  await mkdir(subagents, { recursive: true });
  const main = [
    prompt('Repair the oar'),
    answer('m1', [{ type: 'tool_use', id: 't1', name: 'Task', input: { description: 'Look', prompt: 'Look' } }]),
    line('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'cracked' }] }),
    answer('m2', [{ type: 'text', text: 'It is cracked.' }]),
    prompt('And the boat?'),
    answer('m3', [{ type: 'text', text: 'It floats.' }]),
  ];
  const sub = { isSidechain: true, agentId: 'abc', parentUuid: null, timestamp: new Date(START + 2_500).toISOString() };
  const side = [answer('m4', [{ type: 'text', text: 'A crack.' }], sub)];
  const text = (some: readonly object[]): string => some.map((one) => `${JSON.stringify(one)}\n`).join('');
  const file = join(folder, `${ID}.jsonl`);
  await writeFile(file, text(main));
  await writeFile(join(subagents, 'agent-abc.jsonl'), text(side));
  await writeFile(join(subagents, 'agent-abc.meta.json'), JSON.stringify({ toolUseId: 't1' }));
  await utimes(file, new Date(START + 60_000), new Date(START + 60_000));
  const inspector = await inspect([], { disk: { configDir } });
  const browser = await new Browser(inspector).login();
  onTestFinished(async () => {
    browser.close();
    await inspector.close();
    await rm(configDir, { recursive: true, force: true });
  });
  // Before it is opened, the list has its model and cost.
  browser.events();
  await expect
    .poll(async () => (await browser.conversations())[0])
    .toMatchObject({ model: 'claude-opus-5-5', cost: { usd: expect.closeTo(4 * ANSWER, 9), complete: true } });
  expect((await browser.conversations())[0]?.entries).toBe(null);
  const { conversation, costByModel } = await browser.get<ConversationDetail>(`api/conversations/d-${ID}`);
  const { turns } = await browser.get<TurnsPage>(`api/conversations/d-${ID}/turns`);
  const stats = await browser.get<Stats>('api/stats?days=2');
  expect(conversation.cost.usd).toBeCloseTo(4 * ANSWER, 9);
  expect(conversation.cost.estimated).toBe(conversation.cost.usd);
  expect(costByModel['claude-opus-5-5']?.usd).toBeCloseTo(4 * ANSWER, 9);
  expect(turns.map(({ cost }) => cost?.usd.toFixed(6))).toEqual(['0.030000', '0.010000']);
  expect(stats).toMatchObject({ unpriced: 0, total: { usd: expect.closeTo(4 * ANSWER, 9) } });
  expect(stats.byTool.Task?.usd).toBeCloseTo(ANSWER, 9);
  expect(stats.byTool['no tool']?.usd).toBeCloseTo(3 * ANSWER, 9);
  expect(stats.byProject['/boat']?.usd).toBeCloseTo(4 * ANSWER, 9);
  expect(stats.top[0]).toMatchObject({ conversation: `d-${ID}`, cost: { estimated: expect.closeTo(4 * ANSWER, 9) } });
  const [listed] = await browser.conversations();
  expect((listed as Conversation).cost).toEqual(conversation.cost);
});

it('[I-13] a turn that was silent and goes on is counted once, and its cost in the list is that of the figures', async () => {
  const configDir = await mkdtemp(join(tmpdir(), 'inspector-disk-costs-'));
  const folder = join(configDir, 'projects', '-boat');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${ID}.jsonl`);
  const write = async (lines: readonly object[], secondsAgo: number): Promise<void> => {
    await writeFile(file, lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const at = new Date(Date.now() - secondsAgo * 1_000);
    await utimes(file, at, at);
  };
  const begun = [
    prompt('Row'),
    answer('n1', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'row' } }]),
  ];
  await write(begun, 40);
  const inspector = await inspect([], { disk: { configDir } });
  const browser = await new Browser(inspector).login();
  onTestFinished(async () => {
    browser.close();
    await inspector.close();
    await rm(configDir, { recursive: true, force: true });
  });
  browser.events();
  const spent = async (): Promise<string> => (await browser.get<Stats>('api/stats?days=2')).total.usd.toFixed(6);
  await expect.poll(spent).toBe('0.010000');
  await write([...begun, answer('n2', [{ type: 'text', text: 'Rowed.' }])], 20);
  await expect.poll(spent, { timeout: 20_000 }).toBe('0.020000');
  expect((await browser.conversations())[0]?.cost.usd).toBeCloseTo(2 * ANSWER, 9);
});
