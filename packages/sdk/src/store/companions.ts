import type { Dirent, Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listFolder } from '../files/real-folders.ts';
import { FileTooLarge, readRegular, replaceRegular } from '../files/regular-file.ts';
import { defaultLimits } from '../limits.ts';
import { kindOf } from '../options/checks.ts';
import { attempt, isText, listIn, type StoreTerms, unwanted } from './attempt.ts';
import { type ConversationFolders, isSafeName } from './mirrored-file.ts';
import type { BlobStore, SessionKey } from './session-store.ts';

/** The files that accompany the transcripts of a conversation: large tool results, file checkpoints, todo lists. */
export class Companions {
  readonly #blobs: BlobStore;
  readonly #terms: StoreTerms;
  /** Name and state of the stored files. */
  readonly #stored = new Map<string, string>();

  constructor(blobs: BlobStore, terms: StoreTerms) {
    this.#blobs = blobs;
    this.#terms = terms;
  }

  /** Stores new and changed files. Returns the files that are too large to store. @throws StoreFailedError */
  async save(key: SessionKey, folders: ConversationFolders): Promise<readonly RefusedFile[]> {
    const { maxBlobBytes = defaultLimits.maxBlobBytes } = this.#terms;
    const files = await filesOf(folders);
    const refused = files
      .slice(MOST_FILES)
      .map(({ path }) => ({ path, reason: `there are more than ${MOST_FILES} files` }));
    for (const { name, path, root, state } of files.slice(0, MOST_FILES)) {
      const known = `${folders.sessionId}/${name}`;
      if (this.#stored.get(known) === state) continue;
      // A file that cannot be read was removed by the CLI meanwhile, or is not a regular file.
      const data = await readRegular(path, root, maxBlobBytes).catch((error: unknown) => error);
      if (data instanceof FileTooLarge) refused.push({ path, reason: `${data.message} (limits.maxBlobBytes)` });
      if (!(data instanceof Uint8Array)) continue;
      await attempt('blob', () => this.#blobs.put(key, name, data), this.#terms, key.sessionId);
      this.#stored.set(known, state);
    }
    return refused;
  }

  /** Writes the stored files to the CLI's locations. @throws StoreFailedError, the signal's reason, file system errors */
  async restore(key: SessionKey, folders: ConversationFolders, signal?: AbortSignal): Promise<void> {
    const { sessionId } = key;
    const load = <T>(call: () => Promise<T>): Promise<T> => attempt('load', call, this.#terms, sessionId, signal);
    const names = await load(async () => listIn(await this.#blobs.list(key), isText, NAMES));
    for (const name of names) {
      const place = pathOf(name, folders);
      if (place === undefined) continue;
      const data = await load(async () => bytesIn(await this.#blobs.get(key, name)));
      if (data === undefined) continue;
      await replaceRegular(place.path, place.root, data);
      this.#stored.set(`${sessionId}/${name}`, stateOf(await lstat(place.path)));
    }
  }
}

/** A file that is not stored. */
export interface RefusedFile {
  readonly path: string;
  readonly reason: string;
}

/** Maximum number of stored files per conversation. An agent can write any number of them. */
const MOST_FILES = 10_000;

const NAMES = { method: 'blobs.list()', wanted: 'a list of names' };

function bytesIn(found: unknown): Uint8Array | undefined {
  if (found instanceof Uint8Array) return found;
  if (found === null || found === undefined) return undefined;
  throw unwanted('blobs.get()', kindOf(found), 'a Uint8Array, or null if there is none');
}

interface Place {
  readonly folder: string;
  /** Links below it are not followed. */
  readonly root: string;
  /** True if other conversations have files in the same folder. */
  readonly shared?: boolean;
}

/** The folders, by the first part of a file's name in the store. */
function placesOf({ configDir, project, sessionId }: ConversationFolders): Readonly<Record<string, Place>> {
  return {
    'tool-results': { folder: join(project, sessionId, 'tool-results'), root: dirname(project) },
    'file-history': { folder: join(configDir, 'file-history', sessionId), root: configDir },
    tasks: { folder: join(configDir, 'tasks', sessionId), root: configDir },
    todos: { folder: join(configDir, 'todos'), root: configDir, shared: true },
  };
}

/** The location of a stored file; undefined for an unknown name, or one that leads out of its folder. */
function pathOf(name: string, folders: ConversationFolders): { path: string; root: string } | undefined {
  if (!isSafeName(name)) return undefined;
  const [first = '', ...rest] = name.split('/');
  const places = placesOf(folders);
  const place = Object.hasOwn(places, first) ? places[first] : undefined;
  if (place === undefined || rest.length === 0) return undefined;
  return { path: join(place.folder, ...rest), root: place.root };
}

interface Companion {
  readonly name: string;
  readonly path: string;
  readonly root: string;
  readonly state: string;
}

async function filesOf(folders: ConversationFolders): Promise<Companion[]> {
  const found: Companion[] = [];
  for (const [first, { folder, root, shared }] of Object.entries(placesOf(folders))) {
    for (const entry of await listFolder(folder, root).catch((): Dirent[] => [])) {
      const name = `${first}/${entry.name}`;
      if (!entry.isFile() || (shared && !entry.name.startsWith(folders.sessionId)) || !isSafeName(name)) continue;
      const path = join(folder, entry.name);
      const stats = await lstat(path).catch(() => undefined);
      if (stats) found.push({ name, path, root, state: stateOf(stats) });
    }
  }
  return found;
}

function stateOf({ size, mtimeMs }: Stats): string {
  return `${size} ${mtimeMs}`;
}
