import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The session of the conversation on disk. */
export const SESSION = '11111111-2222-4333-8444-555555555555';

/** A configuration folder with one conversation, “Repair the oar”, which is removed with the test. */
export function oneOnDisk(): Promise<string> {
  return onDisk([line(0, null, '2026-11-16T10:00:00Z', { type: 'user', message: { role: 'user', content: TITLE } })]);
}

/** The same conversation with two turns: prompts at 10:00:00 and 11:00:00, and answers 4 seconds later. */
export function twoTurnsOnDisk(): Promise<string> {
  const prompt = (content: string): object => ({ type: 'user', message: { role: 'user', content } });
  return onDisk([
    line(0, null, '2026-11-16T10:00:00Z', prompt(TITLE)),
    line(1, 0, '2026-11-16T10:00:04Z', answer('msg_1', 'It is whole.')),
    line(2, 1, '2026-11-16T11:00:00Z', prompt('Paint it')),
    line(3, 2, '2026-11-16T11:00:04Z', answer('msg_2', 'It is red.')),
  ]);
}

/** The same conversation with an answer of each of these models, and with this usage. */
export function answersOnDisk(models: readonly string[], usage: object): Promise<string> {
  const answers = models.map((model, at) => {
    const api = {
      id: `msg_${at}`,
      role: 'assistant',
      model,
      content: [{ type: 'text', text: `I am ${model}.` }],
      usage,
    };
    return line(at + 1, at, '2026-11-16T10:00:04Z', { type: 'assistant', message: api });
  });
  const prompt = { type: 'user', message: { role: 'user', content: TITLE } };
  return onDisk([line(0, null, '2026-11-16T10:00:00Z', prompt), ...answers]);
}

const TITLE = 'Repair the oar';

async function onDisk(lines: readonly object[]): Promise<string> {
  const configDir = await mkdtemp(join(tmpdir(), 'cox-page-disk-'));
  onTestFinished(() => rm(configDir, { recursive: true, force: true }));
  const folder = join(configDir, 'projects', '-boat');
  await mkdir(folder, { recursive: true });
  const text = lines.map((each) => `${JSON.stringify(each)}\n`).join('');
  await writeFile(join(folder, `${SESSION}.jsonl`), text);
  return configDir;
}

function line(n: number, parent: number | null, timestamp: string, message: object): object {
  const uuid = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
  const place = { parentUuid: parent === null ? null : uuid(parent), uuid: uuid(n), isSidechain: false };
  return { ...place, ...message, timestamp, sessionId: SESSION, cwd: '/boat' };
}

function answer(id: string, text: string): object {
  const usage = { input_tokens: 300, output_tokens: 80 };
  const said = { id, role: 'assistant', model: 'claude-sonnet-4-5-20250929', content: [{ type: 'text', text }], usage };
  return { type: 'assistant', message: said };
}
