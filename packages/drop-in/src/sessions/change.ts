import { MessageNotFoundError, OptionsError, SessionNotFoundError } from 'coxswain/errors';
import type {
  ForkSessionOptions,
  ForkSessionResult,
  SessionMutationOptions,
  SessionStoreEntry,
} from '../declarations/sessions.ts';
import { markArchived } from './marks.ts';
import { place, projectKey } from './place.ts';
import { transcripts } from './transcripts.ts';

/** Copies a conversation, up to a message if one is given. */
export async function forkSession(sessionId: string, options: ForkSessionOptions = {}): Promise<ForkSessionResult> {
  const { dir, sessionStore, upToMessageId: message } = options;
  const where = dir === undefined || sessionStore ? '' : inFolder(dir);
  return withTexts(sessionId, { where, message }, async () => {
    const { getSession, forkSession: fork } = await transcripts();
    const at = await place(options);
    const { title: shown, firstPrompt = shown, generatedTitle, customTitle } = await getSession(sessionId, at);
    const { upToMessageId: upTo, title = `${customTitle ?? generatedTitle ?? firstPrompt} (fork)` } = options;
    const { id } = await fork(sessionId, { ...at, title, newUuids: true, ...(upTo === undefined ? {} : { upTo }) });
    return { sessionId: id };
  });
}

/** Gives a conversation a title. */
export async function renameSession(
  sessionId: string,
  title: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  if (title.trim() === '') throw new Error('title must be non-empty');
  await changed(sessionId, options, async () =>
    (await transcripts()).renameSession(sessionId, title.trim(), await place(options)),
  );
}

/** Deletes a conversation and all its files. */
export async function deleteSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  await changed(sessionId, options, async () => (await transcripts()).deleteSession(sessionId, await place(options)));
}

/** Gives a conversation a tag, or removes it with `null`. */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionMutationOptions = {},
): Promise<void> {
  if (tag !== null && tag.trim() === '') throw new Error('tag must be non-empty (use null to clear)');
  await note(sessionId, options, { type: 'tag', tag: tag === null ? '' : tag.trim(), sessionId });
}

/** Marks a conversation as archived; it is still listed. */
export async function archiveSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  await setArchived(sessionId, true, options);
}

export async function unarchiveSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  await setArchived(sessionId, false, options);
}

async function setArchived(sessionId: string, archived: boolean, options: SessionMutationOptions): Promise<void> {
  if (options.sessionStore) throw new Error('Archiving is not supported with sessionStore');
  await changed(sessionId, options, async () => {
    const { path } = await (await transcripts()).getSession(sessionId, await place(options));
    await markArchived(path, archived);
  });
}

/** Appends an entry to the transcript, like the CLI. */
async function note(sessionId: string, options: SessionMutationOptions, entry: SessionStoreEntry): Promise<void> {
  await changed(sessionId, options, async () => {
    const { path } = await (await transcripts()).getSession(sessionId, await place(options));
    const { dir, sessionStore } = options;
    if (sessionStore) await sessionStore.append({ projectKey: await projectKey(dir), sessionId }, [entry]);
    else await (await transcripts()).appendSessionLines(path, [JSON.stringify(entry)]);
  });
}

/** Converts errors to the texts of the official SDK; the typed error is the cause. */
async function changed<T>(
  sessionId: string,
  { dir, sessionStore }: SessionMutationOptions,
  change: () => Promise<T>,
): Promise<T> {
  const folder = dir === undefined ? ' in any project directory' : inFolder(dir);
  return withTexts(sessionId, { where: sessionStore ? '' : folder }, change);
}

function inFolder(dir: string): string {
  return ` in project directory for ${dir}`;
}

/** Like `changed`; `where` is the end of the sentence about a missing session. */
export async function withTexts<T>(
  sessionId: string,
  { where = '', message = '' }: { readonly where?: string; readonly message?: string | undefined },
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change();
  } catch (cause) {
    if (cause instanceof SessionNotFoundError) throw new Error(`Session ${sessionId} not found${where}`, { cause });
    if (cause instanceof MessageNotFoundError) {
      throw new Error(`Message ${message} not found in session ${sessionId}`, { cause });
    }
    if (cause instanceof OptionsError) throw new Error(`Invalid sessionId: ${sessionId}`, { cause });
    throw cause;
  }
}
