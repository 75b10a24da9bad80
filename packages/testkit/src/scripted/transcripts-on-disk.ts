import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { UUID } from '@coxswain/shared/uuid';
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
    has: (id) => sessions.has(id) || fileOf(projects, id) !== undefined,
    transcript: (id) => {
      const file = fileOf(projects, id);
      const lines = file === undefined ? [] : readFileSync(file, 'utf8').split('\n');
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
    },
  };
}

function fileOf(projects: string, id: string): string | undefined {
  if (!UUID.test(id) || !existsSync(projects)) return undefined;
  return readdirSync(projects)
    .map((folder) => join(projects, folder, `${id}.jsonl`))
    .find((file) => existsSync(file));
}
