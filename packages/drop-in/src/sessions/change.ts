import { MessageNotFoundError, OptionsError, SessionNotFoundError } from 'coxswain/errors';
import type { ForkSessionOptions, ForkSessionResult, SessionMutationOptions } from '../declarations/sessions.ts';
import { telemetrySafeError } from '../errors.ts';
import { place } from './place.ts';
import { transcripts } from './transcripts.ts';

const FORK: ShortTexts = {
  invalidId: 'forkSession: invalid sessionId (not a UUID)',
  noMessage: 'forkSession: upToMessageId not found in session',
};
const DELETE: ShortTexts = { invalidId: 'deleteSession: invalid sessionId (must be a UUID)' };
const ARCHIVE: ShortTexts = {
  invalidId: 'setSessionArchived: invalid sessionId (must be a UUID)',
  missing: 'setSessionArchived: session not found',
};

/** Copies a conversation, up to a message if one is given. */
export async function forkSession(sessionId: string, options: ForkSessionOptions = {}): Promise<ForkSessionResult> {
  const { dir, sessionStore, upToMessageId: message } = options;
  const where = dir === undefined || sessionStore ? '' : inFolder(dir);
  return withTexts(sessionId, { where, message, short: FORK }, async () => {
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
  const remove = async (): Promise<void> => (await transcripts()).deleteSession(sessionId, await place(options));
  await changed(sessionId, options, remove, DELETE);
}

/** Gives a conversation a tag, or removes it with `null`. */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionMutationOptions = {},
): Promise<void> {
  if (tag !== null && tag.trim() === '') throw new Error('tag must be non-empty (use null to clear)');
  await changed(sessionId, options, async () =>
    (await transcripts()).tagSession(sessionId, tag === null ? null : tag.trim(), await place(options)),
  );
}

/** Marks a conversation as archived; it is still listed. */
export async function archiveSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  await setArchived(sessionId, true, options);
}

export async function unarchiveSession(sessionId: string, options: SessionMutationOptions = {}): Promise<void> {
  await setArchived(sessionId, false, options);
}

async function setArchived(sessionId: string, archived: boolean, options: SessionMutationOptions): Promise<void> {
  if (options.sessionStore) {
    const why = 'a SessionStore holds transcript entries, and the archived mark is not one';
    const short = 'setSessionArchived: sessionStore is not supported';
    throw telemetrySafeError(`Archiving is not supported with sessionStore: ${why}`, short);
  }
  const mark = async (): Promise<void> => {
    const { archiveSession: archive, unarchiveSession: unarchive } = await transcripts();
    await (archived ? archive : unarchive)(sessionId, await place(options));
  };
  await changed(sessionId, options, mark, ARCHIVE);
}

/** Converts errors to the texts of the official SDK; the typed error is the cause. */
async function changed<T>(
  sessionId: string,
  { dir, sessionStore }: SessionMutationOptions,
  change: () => Promise<T>,
  short?: ShortTexts,
): Promise<T> {
  const folder = dir === undefined ? ' in any project directory' : inFolder(dir);
  return withTexts(sessionId, { where: sessionStore ? '' : folder, short }, change);
}

function inFolder(dir: string): string {
  return ` in project directory for ${dir}`;
}

/** How the errors of a function are worded. */
interface Texts {
  /** The end of the sentence about a missing session. */
  readonly where?: string;
  /** The message that was asked for. */
  readonly message?: string | undefined;
  readonly short?: ShortTexts | undefined;
}

/** The texts without ids and paths that some functions add to these errors. */
interface ShortTexts {
  readonly invalidId?: string;
  readonly missing?: string;
  readonly noMessage?: string;
}

/** Converts errors like `changed`. */
export async function withTexts<T>(
  sessionId: string,
  { where = '', message = '', short = {} }: Texts,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change();
  } catch (cause) {
    if (cause instanceof SessionNotFoundError) {
      throw worded(`Session ${sessionId} not found${where}`, short.missing, cause);
    }
    if (cause instanceof MessageNotFoundError) {
      throw worded(`Message ${message} not found in session ${sessionId}`, short.noMessage, cause);
    }
    if (cause instanceof OptionsError) throw worded(`Invalid sessionId: ${sessionId}`, short.invalidId, cause);
    throw cause;
  }
}

function worded(text: string, short: string | undefined, cause: Error): Error {
  return short === undefined ? new Error(text, { cause }) : telemetrySafeError(text, short, cause);
}
