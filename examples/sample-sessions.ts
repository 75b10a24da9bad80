import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a configuration directory with two conversations, in the format of the CLI. */
export async function sampleSessions(): Promise<AsyncDisposable & { configDir: string }> {
  const configDir = await mkdtemp(join(tmpdir(), 'cox-sessions-'));
  const project = join(configDir, 'projects', '-home-me-boathouse');
  await mkdir(project, { recursive: true });
  for (const [id, prompts] of Object.entries(CONVERSATIONS)) {
    await writeFile(join(project, `${id}.jsonl`), transcript(id, prompts));
  }
  return { configDir, [Symbol.asyncDispose]: () => rm(configDir, { recursive: true, force: true }) };
}

const CONVERSATIONS: Readonly<Record<string, readonly string[]>> = {
  '7d1f6f0a-0000-4000-8000-000000000001': ['Why does the build fail?', 'Fix it.'],
  '7d1f6f0a-0000-4000-8000-000000000002': ['Which oars are the longest?'],
};

function transcript(sessionId: string, prompts: readonly string[]): string {
  const lines: object[] = [];
  let parentUuid: string | null = null;
  const add = (type: string, message: object): void => {
    const uuid = `${sessionId.slice(0, -4)}${String(lines.length + 1000)}`;
    const envelope = { isSidechain: false, sessionId, cwd: '/home/me/boathouse', gitBranch: 'main' };
    lines.push({ parentUuid, uuid, type, message, timestamp: '2026-11-15T09:00:00.000Z', ...envelope });
    parentUuid = uuid;
  };
  for (const prompt of prompts) {
    add('user', { role: 'user', content: prompt });
    add('assistant', {
      id: `msg_${lines.length}`,
      role: 'assistant',
      content: [{ type: 'text', text: 'Let me see.' }],
    });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
