import type { SessionPlace } from 'coxswain/transcripts';
import type { SessionMutationOptions } from '../declarations/sessions.ts';

/** The location of a conversation for the core: the folder of `dir`, all folders, or the store. */
export async function place({ dir, sessionStore }: SessionMutationOptions): Promise<SessionPlace> {
  if (!sessionStore) return dir === undefined ? {} : { cwd: dir };
  return { store: sessionStore, project: await projectKey(dir) };
}

/** The store key of a working directory. */
export async function projectKey(dir: string | undefined): Promise<string> {
  const { projectKeyOf } = await import('coxswain/store');
  return projectKeyOf(dir ?? process.cwd());
}
