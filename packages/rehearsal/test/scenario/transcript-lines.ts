import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes the lines of a transcript, linked in their order, and returns the path of the file. */
export async function transcript(lines: readonly Readonly<Record<string, unknown>>[]): Promise<string> {
  let parentUuid: string | null = null;
  const linked = lines.map((line) => {
    const uuid = randomUUID();
    const whole = { parentUuid, uuid, isSidechain: false, cwd: '/home/ann/boats', version: '2.1.325', ...line };
    parentUuid = uuid;
    return JSON.stringify(whole);
  });
  return inFile('recorded.jsonl', `${linked.join('\n')}\n`);
}

/** Writes a file into a folder that the test removes. */
export async function inFile(name: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rehearsal-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

export const user = (content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  ...more,
});

export const assistant = (id: string, ...content: object[]) => ({
  type: 'assistant',
  message: { id, role: 'assistant', model: 'claude-opus-5-5', content },
});

export const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });

export const result = (id: string, content: unknown, more: object = {}, entry: object = {}) =>
  user([{ type: 'tool_result', tool_use_id: id, content, ...more }], entry);
