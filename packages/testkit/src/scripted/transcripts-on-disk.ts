import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { SessionMemory } from './interpreter/effects.ts';

/**
 * Adds the conversations that a configuration directory holds, such as those that were restored from a session store, to the
 * ones that an agent remembers.
 */
export function withTranscripts(
  sessions: SessionMemory,
  env: Readonly<Record<string, string | undefined>>,
): SessionMemory {
  const projects = join(env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? homedir(), '.claude'), 'projects');
  return {
    ...sessions,
    has: (id) => sessions.has(id) || (/^[\da-f-]{36}$/i.test(id) && isWritten(projects, id)),
  };
}

function isWritten(projects: string, id: string): boolean {
  try {
    return readdirSync(projects).some((folder) => existsSync(join(projects, folder, `${id}.jsonl`)));
  } catch {
    return false;
  }
}
