import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The session of the conversation on disk. */
export const SESSION = '11111111-2222-4333-8444-555555555555';

/** A configuration folder with one conversation, “Repair the oar”, which is removed with the test. */
export async function oneOnDisk(): Promise<string> {
  const configDir = await mkdtemp(join(tmpdir(), 'cox-page-disk-'));
  onTestFinished(() => rm(configDir, { recursive: true, force: true }));
  const folder = join(configDir, 'projects', '-boat');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${SESSION}.jsonl`), `${JSON.stringify(line())}\n`);
  return configDir;
}

function line(): object {
  return {
    parentUuid: null,
    isSidechain: false,
    type: 'user',
    message: { role: 'user', content: 'Repair the oar' },
    uuid: '00000000-0000-4000-8000-000000000000',
    timestamp: '2026-11-16T10:00:00Z',
    sessionId: SESSION,
    cwd: '/boat',
  };
}
