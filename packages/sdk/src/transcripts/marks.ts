import { join } from 'node:path';
import { defaultLimits } from '../limits.ts';
import { Mirror } from '../store/mirror.ts';
import { checkArguments, checks, type FilePlace } from './arguments.ts';
import { isInStore, keyIn, loadStored } from './in-store.ts';
import { findSession, notFound, type SessionFile, type SessionPlace } from './paths.ts';
import { appendSessionLines, writeSessionFile } from './session-files.ts';
import { ARCHIVE_FILE, summarize } from './summary.ts';

/** Gives a session a tag, in the CLI's format; `null` removes it. @throws OptionsError, SessionNotFoundError, SessionFileError, StoreFailedError */
export async function tagSession(sessionId: string, tag: string | null, options: SessionPlace = {}): Promise<void> {
  checkArguments(checks.place, options, { sessionId, tag });
  const entry = { type: 'tag', tag: tag?.trim() ?? '', sessionId };
  if (!isInStore(options)) {
    return appendSessionLines((await conversationOf(sessionId, options)).path, [JSON.stringify(entry)]);
  }
  await loadStored(options, sessionId);
  const mirror = new Mirror(options.store, defaultLimits);
  mirror.add(keyIn(options, sessionId), [entry]);
  const failure = await mirror.flush();
  if (failure) throw failure;
}

/** Marks a session on disk as archived: it is still listed, with `archived`. @throws OptionsError, SessionNotFoundError, SessionFileError */
export function archiveSession(sessionId: string, options: FilePlace = {}): Promise<void> {
  return setArchived(sessionId, true, options);
}

/** Removes the mark of `archiveSession()`. @throws OptionsError, SessionNotFoundError, SessionFileError */
export function unarchiveSession(sessionId: string, options: FilePlace = {}): Promise<void> {
  return setArchived(sessionId, false, options);
}

async function setArchived(sessionId: string, archived: boolean, options: FilePlace): Promise<void> {
  checkArguments(checks.files, options, { sessionId });
  const { folder } = await conversationOf(sessionId, options);
  const note = JSON.stringify({ archived, at: new Date().toISOString(), by: 'sdk' });
  await writeSessionFile(join(folder, ARCHIVE_FILE), note);
}

/** The files of a session that has a conversation. */
async function conversationOf(sessionId: string, place: SessionPlace): Promise<SessionFile> {
  const file = await findSession(sessionId, place);
  if (summarize(file) === undefined) throw await notFound(sessionId, place);
  return file;
}
