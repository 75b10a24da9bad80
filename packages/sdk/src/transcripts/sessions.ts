import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { StoreUnableError } from '../errors/store.ts';
import { SessionNotFoundError } from '../errors/transcript.ts';
import { defaultLimits } from '../limits.ts';
import { attempt, listIn } from '../store/attempt.ts';
import type { StoredSession } from '../store/session-store.ts';
import { isJsonObject, objectIn } from '../wire/kinds.ts';
import { checkArguments, checks, type ListSessionsOptions } from './arguments.ts';
import { given, textIn } from './entry.ts';
import { isInStore, keyIn, onFiles, type StorePlace } from './in-store.ts';
import {
  entriesOf,
  findSession,
  isFolder,
  notFound,
  projectFolders,
  type SessionFile,
  type SessionPlace,
  sessionFilesIn,
} from './paths.ts';
import { pauses } from './pauses.ts';
import { readSessionNote } from './session-files.ts';
import { type SessionInfo, summarize } from './summary.ts';

/** A session and its subagents. */
export interface SessionDetails extends SessionInfo {
  readonly subagents: readonly SubagentInfo[];
}

/** A subagent with its own transcript. */
export interface SubagentInfo {
  /** The `agentId` for `getSessionMessages(id, { agentId })`. */
  readonly id: string;
  readonly type?: string;
  readonly description?: string;
  /** The tool call that started it. */
  readonly toolUseId?: string;
  /** The parent subagent; absent if the main conversation started it. */
  readonly parentId?: string;
}

/**
 * Lists the sessions on disk, newest first. Reads only the start and the end of each file; skips files that cannot be read or
 * contain no conversation. With `store`, lists the sessions of a session store.
 * @throws OptionsError, SessionFileError, StoreFailedError, StoreUnableError
 */
export async function listSessions(options: ListSessionsOptions = {}): Promise<SessionInfo[]> {
  checkArguments(checks.list, options, {});
  const { limit = Number.POSITIVE_INFINITY, offset = 0, sort = 'updated' } = options;
  const listed = isInStore(options) ? await listedInStore(options) : await listedOnDisk(options);
  listed.sort((a, b) => b.changedAt - a.changedAt || compare(a.id, b.id));
  // If sorted by last change, only the sessions up to the end of the page have to be read.
  const enough = sort === 'updated' ? offset + limit : Number.POSITIVE_INFINITY;
  const pause = pauses();
  const infos: SessionInfo[] = [];
  for (const { read } of listed) {
    const info = await read();
    if (info) infos.push(info);
    if (infos.length >= enough) break;
    await pause();
  }
  if (sort === 'created') infos.sort((a, b) => b.createdAt - a.createdAt || compare(a.id, b.id));
  return infos.slice(offset, offset + limit);
}

/** Describes a session on disk or in a store. @throws OptionsError, SessionNotFoundError, SessionFileError, StoreFailedError */
export async function getSession(sessionId: string, options: SessionPlace = {}): Promise<SessionDetails> {
  checkArguments(checks.place, options, { sessionId });
  return onFiles(sessionId, options, (files) => describe(sessionId, files));
}

/** Describes a session from its files; `place` also names the store if they are a copy of a stored session. */
export async function describe(sessionId: string, place: SessionPlace): Promise<SessionDetails> {
  const file = await findSession(sessionId, place);
  const summary = summarize(file);
  if (summary === undefined) throw await notFound(sessionId, place);
  return { ...summary.info, ...(isInStore(place) && { path: '' }), subagents: await subagentsOf(file) };
}

/** A session that was not read yet; `read` returns undefined if it contains no conversation. */
interface Listed {
  readonly id: string;
  readonly changedAt: number;
  read(): SessionInfo | undefined | Promise<SessionInfo | undefined>;
}

async function listedOnDisk(options: SessionPlace): Promise<Listed[]> {
  const pause = pauses();
  const listed: Listed[] = [];
  for (const folder of await projectFolders(options)) {
    for (const file of await sessionFilesIn(folder)) {
      listed.push({ id: file.id, changedAt: changeOf(file), read: () => summarize(file)?.info });
      await pause();
    }
  }
  return listed;
}

async function listedInStore(place: StorePlace): Promise<Listed[]> {
  const { store } = place;
  if (!store.listSessions) throw new StoreUnableError('listSessions');
  const { projectKey } = keyIn(place, '');
  const list = async (): Promise<readonly StoredSession[]> =>
    listIn(await store.listSessions?.(projectKey), isStoredSession, SESSIONS);
  const listed = await attempt('list', list, defaultLimits, projectKey);
  return listed.map(({ sessionId: id, mtime: changedAt }) => ({
    id,
    changedAt,
    read: () =>
      onFiles(id, place, (files) => describe(id, files)).then(
        ({ subagents: _, ...info }) => ({ ...info, updatedAt: changedAt }),
        unlessMissing,
      ),
  }));
}

const SESSIONS = { method: 'listSessions()', wanted: 'a list of objects with sessionId and mtime' };

function isStoredSession(value: unknown): value is StoredSession {
  return isJsonObject(value) && typeof value.sessionId === 'string' && typeof value.mtime === 'number';
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof SessionNotFoundError)) throw error;
}

export async function subagent(folder: string, id: string): Promise<SubagentInfo> {
  const path = join(folder, `agent-${id}.meta.json`);
  const meta = objectIn(await readSessionNote(path));
  const [type, description, toolUseId, parentId] = ['agentType', 'description', 'toolUseId', 'parentAgentId'].map(
    (field) => textIn(meta, field),
  );
  return { id, ...given({ type, description, toolUseId, parentId }) };
}

/** The folder with the transcripts of a session's subagents, if it exists. */
export async function subagentsFolder({ folder, hasFolder }: SessionFile): Promise<string | undefined> {
  const path = join(folder, 'subagents');
  return hasFolder && (await isFolder(path)) ? path : undefined;
}

async function subagentsOf(file: SessionFile): Promise<SubagentInfo[]> {
  const folder = await subagentsFolder(file);
  if (folder === undefined) return [];
  const ids = (await entriesOf(folder)).flatMap((entry) =>
    entry.isFile() ? (/^agent-([\w-]+)\.jsonl$/.exec(entry.name)?.[1] ?? []) : [],
  );
  // Read one after the other: there may be more files than the process can open.
  const found: SubagentInfo[] = [];
  for (const id of ids.sort()) found.push(await subagent(folder, id));
  return found;
}

function changeOf({ path }: SessionFile): number {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
