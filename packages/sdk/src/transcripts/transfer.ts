import { dirname, join } from 'node:path';
import { configFolder, projectFolderName } from '../cli/folders.ts';
import { isCoxswainError } from '../errors/any-error.ts';
import { SessionFileError } from '../errors/transcript.ts';
import { defaultLimits } from '../limits.ts';
import { Companions } from '../store/companions.ts';
import { Mirror } from '../store/mirror.ts';
import { writeConversation } from '../store/restore.ts';
import type { SessionStore, StoreEntry } from '../store/session-store.ts';
import { objectIn } from '../wire/kinds.ts';
import { checkArguments, checks } from './arguments.ts';
import { keyIn, loadStored } from './in-store.ts';
import { entriesOf, findSession, notFound, type SessionFile, type SessionPlace } from './paths.ts';
import { readSessionLines, readSessionNote } from './session-files.ts';
import { subagentsFolder } from './sessions.ts';

/** The source and the target of a copied session. */
export interface TransferOptions extends SessionPlace {
  readonly store: SessionStore;
}

/** Records of API requests, with the system prompt. The CLI itself does not mirror them. */
const NOT_MIRRORED = /^\{"type":"api-request/;

/**
 * Copies a session from disk to a store and keeps the files. It can be repeated: entries that the store already has are not
 * added again. If a file is too large for the store, everything else is stored before the error.
 * @throws OptionsError, SessionNotFoundError, SessionFileError, StoreFailedError
 */
export async function importSession(sessionId: string, options: TransferOptions): Promise<void> {
  checkArguments(checks.transfer, options, { sessionId });
  await copyToStore(sessionId, options);
}

/** Like `importSession`, without checking the arguments. */
export async function copyToStore(sessionId: string, options: TransferOptions): Promise<void> {
  const { store } = options;
  const key = keyIn(options, sessionId);
  const file = await findSession(sessionId, options);
  const folders = { configDir: file.configDir, project: dirname(file.path), sessionId };
  const mirror = new Mirror(store, defaultLimits, { writer: 'import' });
  for (const { subpath, path, about } of await transcriptsOf(file)) {
    const entries = [...about, ...(await entriesAt(path))];
    if (subpath === undefined && entries.length === 0) throw await notFound(sessionId, options);
    mirror.add({ ...key, subpath }, entries);
  }
  const failure = await mirror.flush();
  if (failure) throw failure;
  const [refused] = store.blobs ? await new Companions(store.blobs, defaultLimits).save(key, folders) : [];
  if (refused) throw new SessionFileError('Storing', refused.path, new Error(refused.reason));
}

/**
 * Copies a session from a store to disk, into the CLI's folder for `cwd`, by default the current directory.
 * @throws OptionsError, SessionNotFoundError, SessionFileError, StoreFailedError
 */
export async function exportSession(sessionId: string, options: TransferOptions): Promise<void> {
  checkArguments(checks.transfer, options, { sessionId });
  const { store, cwd = process.cwd(), configDir } = options;
  const stored = await loadStored(options, sessionId);
  const config = configFolder(configDir ? { CLAUDE_CONFIG_DIR: configDir } : process.env) ?? '';
  const project = join(config, 'projects', projectFolderName(cwd));
  const folders = { configDir: config, project, sessionId };
  try {
    await writeConversation(stored, folders);
    if (store.blobs) await new Companions(store.blobs, defaultLimits).restore(keyIn(options, sessionId), folders);
  } catch (error) {
    if (isCoxswainError(error)) throw error;
    throw new SessionFileError('Writing', join(project, `${sessionId}.jsonl`), error);
  }
}

interface Transcript {
  readonly subpath: string | undefined;
  readonly path: string;
  /** The description of a subagent, in the format in which the CLI mirrors it. */
  readonly about: readonly StoreEntry[];
}

async function transcriptsOf(file: SessionFile): Promise<Transcript[]> {
  const folder = await subagentsFolder(file);
  const names = folder === undefined ? [] : (await entriesOf(folder)).filter((entry) => entry.isFile());
  const agents = names.flatMap(({ name }) => (name.endsWith('.jsonl') ? [name.slice(0, -'.jsonl'.length)] : []));
  const found: Transcript[] = [{ subpath: undefined, path: file.path, about: [] }];
  // Read one after the other: there may be more files than the process can open.
  for (const name of agents.sort()) {
    const path = join(folder ?? '', name);
    const meta = objectIn(await readSessionNote(`${path}.meta.json`));
    const about = meta ? [{ type: 'agent_metadata', ...meta }] : [];
    found.push({ subpath: `subagents/${name}`, path: `${path}.jsonl`, about });
  }
  return found;
}

async function entriesAt(path: string): Promise<StoreEntry[]> {
  const entries: StoreEntry[] = [];
  for await (const line of readSessionLines(path)) {
    const entry = NOT_MIRRORED.test(line) ? undefined : objectIn(line);
    if (entry) entries.push(entry);
  }
  return entries;
}
