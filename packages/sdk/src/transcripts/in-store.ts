import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { SessionNotFoundError } from '../errors/transcript.ts';
import { defaultLimits } from '../limits.ts';
import {
  conversationFolder,
  loadConversation,
  restoreFailure,
  type StoredTranscripts,
  writeConversation,
} from '../store/restore.ts';
import type { SessionKey, SessionStore, StoreEntry } from '../store/session-store.ts';
import { DEFAULT_PROJECT } from '../store/stored-conversation.ts';
import type { SessionPlace } from './paths.ts';

/** The location of a session in a session store. */
export type StorePlace = SessionPlace & { readonly store: SessionStore };

export function isInStore<P extends SessionPlace>(place: P): place is P & StorePlace {
  return place.store !== undefined;
}

export function keyIn({ project = DEFAULT_PROJECT }: SessionPlace, sessionId: string): SessionKey {
  return { projectKey: project, sessionId };
}

/** Loads a conversation from a store. @throws SessionNotFoundError, StoreFailedError */
export async function loadStored(place: StorePlace, sessionId: string): Promise<StoredTranscripts> {
  const key = keyIn(place, sessionId);
  const stored = await loadConversation(place.store, key, defaultLimits);
  if (stored === undefined) throw notStored(key);
  return stored;
}

/**
 * Runs file-based `work` on a session on disk, or on a private copy of a stored session, which is removed afterwards.
 * @throws SessionNotFoundError, StoreFailedError, and the errors of `work`
 */
export async function onFiles<P extends SessionPlace, R>(
  sessionId: string,
  place: P,
  work: (files: P) => Promise<R>,
): Promise<R> {
  if (!isInStore(place)) return work(place);
  const stored = await loadStored(place, sessionId);
  const folder = conversationFolder(() => {});
  try {
    const { path: configDir } = folder;
    const project = join(configDir, 'projects', '-');
    await writeConversation(stored, { configDir, project, sessionId }).catch((error: unknown) => {
      throw restoreFailure(error, sessionId);
    });
    const changed = lastChange(stored.main);
    if (changed) await utimes(join(project, `${sessionId}.jsonl`), changed, changed);
    return await work({ ...place, configDir });
  } catch (error) {
    throw error instanceof SessionNotFoundError ? notStored(keyIn(place, sessionId)) : error;
  } finally {
    folder.remove();
  }
}

/** The error for a session that the store does not have, or that has no conversation in it. */
export function notStored({ projectKey, sessionId }: SessionKey): SessionNotFoundError {
  return new SessionNotFoundError(sessionId, [`the project ${projectKey} of the session store`]);
}

function lastChange(entries: readonly StoreEntry[]): Date | undefined {
  const last = entries.findLast(({ timestamp }) => typeof timestamp === 'string')?.timestamp;
  const at = new Date(String(last));
  return Number.isNaN(at.getTime()) ? undefined : at;
}
