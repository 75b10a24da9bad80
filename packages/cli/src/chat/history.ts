import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** The lines typed in earlier chats, newest first, as readline expects them. */
export async function loadHistory(env: NodeJS.ProcessEnv): Promise<string[]> {
  try {
    const lines: unknown = JSON.parse(await readFile(historyFile(env), 'utf8'));
    return Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
  } catch {
    return [];
  }
}

/** Saves the newest lines, readable only by this user. If the disk is not writable, only the history is lost. */
export async function saveHistory(env: NodeJS.ProcessEnv, lines: readonly string[]): Promise<void> {
  try {
    const file = historyFile(env);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, JSON.stringify(lines.slice(0, KEPT)), { mode: 0o600 });
  } catch {}
}

const KEPT = 500;

function historyFile(env: NodeJS.ProcessEnv): string {
  const named = env.XDG_STATE_HOME;
  const folder = named && isAbsolute(named) ? named : join(env.HOME || homedir(), '.local', 'state');
  return join(folder, 'coxswain', 'chat-history.json');
}
