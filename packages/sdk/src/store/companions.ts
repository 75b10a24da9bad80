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

/** The files beside the transcripts of a conversation: large tool results, file checkpoints, todo lists. */
export class Companions {
  readonly #blobs: BlobStore;
  readonly #terms: StoreTerms;
  /** Name and state of the files that the store has. */
  readonly #stored = new Map<string, string>();

  constructor(blobs: BlobStore, terms: StoreTerms) {
    this.#blobs = blobs;
    this.#terms = terms;
  }

  /** Stores the files that are new or have changed; returns those that are too large to be stored. @throws StoreFailedError */
  async save(key: SessionKey, folders: ConversationFolders): Promise<readonly RefusedFile[]> {
    const { maxBlobBytes = defaultLimits.maxBlobBytes } = this.#terms;
    const files = await filesOf(folders);
    const refused = files
      .slice(MOST_FILES)
      .map(({ path }) => ({ path, reason: `there are more than ${MOST_FILES} files` }));
    for (const { name, path, root, state } of files.slice(0, MOST_FILES)) {
      const known = `${folders.sessionId}/${name}`;
      if (this.#stored.get(known) === state) continue;
      // What cannot be read was removed by the CLI meanwhile, or is no regular file.
      const data = await readRegular(path, root, maxBlobBytes).catch((error: unknown) => error);
      if (data instanceof FileTooLarge) refused.push({ path, reason: `${data.message} (limits.maxBlobBytes)` });
      if (!(data instanceof Uint8Array)) continue;
      await attempt('blob', () => this.#blobs.put(key, name, data), this.#terms, key.sessionId);
      this.#stored.set(known, state);
    }
    return refused;
  }

  /** Writes the stored files to where the CLI looks for them. @throws StoreFailedError, and what the signal and files throw */
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

/** How many files of a conversation are stored. An agent can write any number of them. */
const MOST_FILES = 10_000;

const NAMES = { method: 'blobs.list()', wanted: 'a list of names' };

function bytesIn(found: unknown): Uint8Array | undefined {
  if (found instanceof Uint8Array) return found;
  if (found === null || found === undefined) return undefined;
  throw unwanted('blobs.get()', kindOf(found), 'a Uint8Array, or null if there is none');
}

interface Place {
  readonly folder: string;
  /** No link below it is followed. */
  readonly root: string;
  /** Other conversations have files there too. */
  readonly shared?: boolean;
}

/** The folders by the first part of a file's name in the store. */
function placesOf({ configDir, project, sessionId }: ConversationFolders): Readonly<Record<string, Place>> {
  return {
    'tool-results': { folder: join(project, sessionId, 'tool-results'), root: dirname(project) },
    'file-history': { folder: join(configDir, 'file-history', sessionId), root: configDir },
    tasks: { folder: join(configDir, 'tasks', sessionId), root: configDir },
    todos: { folder: join(configDir, 'todos'), root: configDir, shared: true },
  };
}

/** Where a stored file belongs; undefined for a name that this version does not know, or that leads elsewhere. */
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
