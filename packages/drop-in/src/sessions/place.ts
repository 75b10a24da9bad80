import type { SessionPlace } from 'coxswain/transcripts';
import type { SessionMutationOptions } from '../declarations/sessions.ts';

/** Where the core looks for a conversation: in the folder of `dir` or all folders, or in the store. */
export async function place({ dir, sessionStore }: SessionMutationOptions): Promise<SessionPlace> {
  if (!sessionStore) return dir === undefined ? {} : { cwd: dir };
  return { store: sessionStore, project: await projectKey(dir) };
}

/** The key under which a store keeps the conversations of a working directory. */
export async function projectKey(dir: string | undefined): Promise<string> {
  const { projectKeyOf } = await import('coxswain/store');
  return projectKeyOf(dir ?? process.cwd());
}
