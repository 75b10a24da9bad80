import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { SessionNotFoundError } from '../errors/transcript.ts';
import { defaultLimits } from '../limits.ts';
import { type PrivateFolder, privateFolder, unwritable } from '../process/private-files.ts';
import { loadConversation, restoreFailure, writeConversation } from '../store/restore.ts';
import type { SessionKey, SessionStore, StoreEntry } from '../store/session-store.ts';
import { DEFAULT_PROJECT } from '../store/stored-conversation.ts';
import type { SessionPlace } from './paths.ts';

export interface StorePlace extends SessionPlace {
  readonly store: SessionStore;
}

export function isInStore<P extends SessionPlace>(place: P): place is P & StorePlace {
  return place.store !== undefined;
}

export function keyIn({ project = DEFAULT_PROJECT }: SessionPlace, sessionId: string): SessionKey {
  return { projectKey: project, sessionId };
}

/**
 * Does something with a stored session that is written for files: on a private copy, which is removed afterwards.
 * @throws SessionNotFoundError, StoreFailedError, and what `work` throws
 */
export async function onCopy<R>(
  sessionId: string,
  place: StorePlace,
  work: (copy: { readonly configDir: string }) => Promise<R>,
): Promise<R> {
  const key = keyIn(place, sessionId);
  const stored = await loadConversation(place.store, key, defaultLimits);
  if (stored === undefined) throw notStored(key);
  const folder = copyFolder();
  try {
    const { path: configDir } = folder;
    const project = join(configDir, 'projects', '-');
    await writeConversation(stored, { configDir, project, sessionId }).catch((error: unknown) => {
      throw restoreFailure(error, sessionId);
    });
    const changed = lastChange(stored.main);
    if (changed) await utimes(join(project, `${sessionId}.jsonl`), changed, changed);
    return await work({ configDir });
  } catch (error) {
    throw error instanceof SessionNotFoundError ? notStored(key) : error;
  } finally {
    folder.remove();
  }
}

function copyFolder(): PrivateFolder {
  try {
    return privateFolder(() => {});
  } catch (error) {
    throw unwritable('with the conversation', error);
  }
}

/** The error for a session that a store does not have, or that holds no conversation there. */
export function notStored({ projectKey, sessionId }: SessionKey): SessionNotFoundError {
  return new SessionNotFoundError(sessionId, [`the project ${projectKey} of the session store`]);
}

function lastChange(entries: readonly StoreEntry[]): Date | undefined {
  const last = entries.findLast(({ timestamp }) => typeof timestamp === 'string')?.timestamp;
  const at = new Date(String(last));
  return Number.isNaN(at.getTime()) ? undefined : at;
}
