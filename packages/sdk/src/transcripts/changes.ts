import { lstat, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreUnableError } from '../errors/store.ts';
import { MessageNotFoundError, SessionFileError } from '../errors/transcript.ts';
import { defaultLimits } from '../limits.ts';
import { attempt } from '../store/attempt.ts';
import { Mirror } from '../store/mirror.ts';
import type { StoreEntry } from '../store/session-store.ts';
import { type JsonObject, objectIn } from '../wire/kinds.ts';
import { checkArguments, checks, type ForkSessionOptions } from './arguments.ts';
import { isInStore, keyIn, loadStored, notStored, onFiles, type StorePlace } from './in-store.ts';
import { wholeChain } from './main-chain.ts';
import { entriesOf, findSession, notFound, type SessionFile, type SessionPlace } from './paths.ts';
import { readTranscript } from './read-transcript.ts';
import { appendSessionLines, writeSessionFile } from './session-files.ts';
import { describe, type SessionDetails } from './sessions.ts';
import { summarize, TITLE_FILE } from './summary.ts';
import { copyToStore } from './transfer.ts';

/** Folders of the configuration directory in which each session has a folder named by its id. */
const PER_SESSION = ['file-history', 'session-env', 'tasks'];

/**
 * Copies a conversation into a new session of the same project, which `resume` can open. Like the CLI's own forks, the
 * copy contains only the main chain, and its messages keep their uuids, unless `newUuids` is set.
 * @throws OptionsError, SessionNotFoundError, MessageNotFoundError, SessionFileError, StoreFailedError
 */
export async function forkSession(sessionId: string, options: ForkSessionOptions = {}): Promise<SessionDetails> {
  checkArguments(checks.fork, options, { sessionId });
  return onFiles(sessionId, options, async (files) => {
    const newId = await fork(sessionId, files);
    if (isInStore(files)) await copyToStore(newId, files);
    return describe(newId, files);
  });
}

/** Copies the conversation and returns the id of the copy. */
async function fork(sessionId: string, options: ForkSessionOptions): Promise<string> {
  const file = await findSession(sessionId, options);
  const summary = summarize(file);
  const { entries, lastLeaf } = await readTranscript(file.path);
  const main = entries.filter(({ sidechain }) => !sidechain);
  const whole = wholeChain({ entries: main, lastLeaf });
  const { upTo } = options;
  const end = upTo === undefined ? whole.length : whole.findIndex(({ uuid }) => uuid === upTo) + 1;
  if (upTo !== undefined && end === 0) throw new MessageNotFoundError(sessionId, upTo);
  const kept = new Set(whole.slice(0, end).map(({ uuid }) => uuid));
  if (summary === undefined || kept.size === 0) throw await notFound(sessionId, options);

  const newId = crypto.randomUUID();
  const { customTitle } = summary.info;
  // The CLI refuses to resume by a title that two sessions share.
  const title = options.title ?? (customTitle === undefined ? undefined : `${customTitle} (fork)`);
  // Keep the last line of each uuid at the position of the first, so that the copy resolves to the same chain.
  const copied = new Map(main.filter(({ uuid }) => kept.has(uuid)).map((entry) => [entry.uuid, entry]));
  const uuids = new Map(options.newUuids ? [...copied.keys()].map((uuid) => [uuid, crypto.randomUUID()]) : []);
  // Fields beside `uuid` refer to other messages.
  const renamed = (entry: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(entry).map(([name, value]) => [name, (typeof value === 'string' && uuids.get(value)) || value]),
    );
  const lines = Array.from(copied.values(), ({ uuid: messageUuid, line }) =>
    JSON.stringify({ ...renamed(objectIn(line) ?? {}), sessionId: newId, forkedFrom: { sessionId, messageUuid } }),
  );
  const named = title === undefined ? [] : titleEntries(newId, title).map((entry) => JSON.stringify(entry));
  await writeSessionFile(join(dirname(file.path), `${newId}.jsonl`), `${[...lines, ...named].join('\n')}\n`);
  return newId;
}

/** Gives a session a title, in the CLI's format. @throws OptionsError, SessionNotFoundError, SessionFileError, StoreFailedError */
export async function renameSession(sessionId: string, title: string, options: SessionPlace = {}): Promise<void> {
  checkArguments(checks.place, options, { sessionId, title });
  if (isInStore(options)) return renameStored(sessionId, title, options);
  const file = await findSession(sessionId, options);
  const summary = summarize(file);
  if (summary === undefined) throw await notFound(sessionId, options);
  const lines = titleEntries(sessionId, title, summary.hasAgentName).map((entry) => JSON.stringify(entry));
  await appendSessionLines(file.path, lines);
  const titleFile = join(file.folder, TITLE_FILE);
  const found = file.hasFolder ? await lstat(titleFile).catch(() => undefined) : undefined;
  if (found?.isFile()) await writeSessionFile(titleFile, JSON.stringify({ customTitle: onOneLine(title) }));
}

/**
 * Deletes a session and all files that the CLI keeps only for it. Deletes links without following them.
 * @throws OptionsError, SessionNotFoundError, SessionFileError, StoreFailedError, StoreUnableError
 */
export async function deleteSession(sessionId: string, options: SessionPlace = {}): Promise<void> {
  checkArguments(checks.place, options, { sessionId });
  if (isInStore(options)) return deleteStored(sessionId, options);
  const file = await findSession(sessionId, options);
  // Delete the transcript last, so that a deletion that failed half-way can be repeated.
  for (const path of [...(await companionsOf(file)), file.path]) {
    await rm(path, { recursive: true, force: true }).catch((error: unknown) => {
      throw new SessionFileError('Removing', path, error);
    });
  }
}

async function renameStored(sessionId: string, title: string, place: StorePlace): Promise<void> {
  const { main } = await loadStored(place, sessionId);
  const named = main.some(({ type }) => type === 'agent-name');
  const mirror = new Mirror(place.store, defaultLimits);
  mirror.add(keyIn(place, sessionId), titleEntries(sessionId, title, named));
  const failure = await mirror.flush();
  if (failure) throw failure;
}

async function deleteStored(sessionId: string, place: StorePlace): Promise<void> {
  const { store } = place;
  const key = keyIn(place, sessionId);
  if (!store.delete) throw new StoreUnableError('delete');
  const found = await attempt('load', () => store.load(key), defaultLimits, sessionId);
  if (!found || found.length === 0) throw notStored(key);
  await attempt('delete', async () => store.delete?.(key), defaultLimits, sessionId);
}

/** The entries that set the title of a session; 2.1.325 also names its agent. */
function titleEntries(sessionId: string, title: string, agentToo = false): StoreEntry[] {
  const name = onOneLine(title);
  const entitled = { type: 'custom-title', customTitle: name, sessionId };
  return agentToo ? [entitled, { type: 'agent-name', agentName: name, sessionId }] : [entitled];
}

function onOneLine(title: string): string {
  return title.replace(/\s+/g, ' ').trim();
}

async function companionsOf({ id, folder, configDir }: SessionFile): Promise<string[]> {
  const todos = join(configDir, 'todos');
  const ofSession = (await entriesOf(todos)).filter(({ name }) => name === `${id}.json` || name.startsWith(`${id}-`));
  return [
    folder,
    ...PER_SESSION.map((name) => join(configDir, name, id)),
    join(configDir, 'debug', `${id}.txt`),
    ...ofSession.map(({ name }) => join(todos, name)),
  ];
}
