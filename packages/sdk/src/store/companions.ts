import type { Dirent, Stats } from 'node:fs';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

  /** Stores the files that are new or have changed. @throws StoreFailedError */
  async save(key: SessionKey, folders: ConversationFolders): Promise<void> {
    for (const { name, path, state } of await filesOf(folders)) {
      const known = `${folders.sessionId}/${name}`;
      if (this.#stored.get(known) === state) continue;
      const data = await readFile(path).catch(() => undefined);
      // The CLI has removed it meanwhile.
      if (data === undefined) continue;
      await attempt('blob', () => this.#blobs.put(key, name, data), this.#terms, key.sessionId);
      this.#stored.set(known, state);
    }
  }

  /** Writes the stored files to where the CLI looks for them. @throws StoreFailedError, and what the signal and files throw */
  async restore(key: SessionKey, folders: ConversationFolders, signal?: AbortSignal): Promise<void> {
    const { sessionId } = key;
    const load = <T>(call: () => Promise<T>): Promise<T> => attempt('load', call, this.#terms, sessionId, signal);
    const names = await load(async () => listIn(await this.#blobs.list(key), isText, NAMES));
    for (const name of names) {
      const path = pathOf(name, folders);
      if (path === undefined) continue;
      const data = await load(async () => bytesIn(await this.#blobs.get(key, name)));
      if (data === undefined) continue;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, data, { mode: 0o600 });
      this.#stored.set(`${sessionId}/${name}`, stateOf(await lstat(path)));
    }
  }
}

const NAMES = { method: 'blobs.list()', wanted: 'a list of names' };

function bytesIn(found: unknown): Uint8Array | undefined {
  if (found instanceof Uint8Array) return found;
  if (found === null || found === undefined) return undefined;
  throw unwanted('blobs.get()', kindOf(found), 'a Uint8Array, or null if there is none');
}

interface Place {
  readonly folder: string;
  /** Other conversations have files there too. */
  readonly shared?: boolean;
}

/** The folders by the first part of a file's name in the store. */
function placesOf({ configDir, project, sessionId }: ConversationFolders): Readonly<Record<string, Place>> {
  return {
    'tool-results': { folder: join(project, sessionId, 'tool-results') },
    'file-history': { folder: join(configDir, 'file-history', sessionId) },
    tasks: { folder: join(configDir, 'tasks', sessionId) },
    todos: { folder: join(configDir, 'todos'), shared: true },
  };
}

/** Where a stored file belongs; undefined for a name that this version does not know, or that leads elsewhere. */
function pathOf(name: string, folders: ConversationFolders): string | undefined {
  if (!isSafeName(name)) return undefined;
  const [first = '', ...rest] = name.split('/');
  const places = placesOf(folders);
  const place = Object.hasOwn(places, first) ? places[first] : undefined;
  return place === undefined || rest.length === 0 ? undefined : join(place.folder, ...rest);
}

interface Companion {
  readonly name: string;
  readonly path: string;
  readonly state: string;
}

async function filesOf(folders: ConversationFolders): Promise<Companion[]> {
  const found: Companion[] = [];
  for (const [first, { folder, shared }] of Object.entries(placesOf(folders))) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])) {
      const name = `${first}/${entry.name}`;
      if (!entry.isFile() || (shared && !entry.name.startsWith(folders.sessionId)) || !isSafeName(name)) continue;
      const path = join(folder, entry.name);
      const stats = await lstat(path).catch(() => undefined);
      if (stats) found.push({ name, path, state: stateOf(stats) });
    }
  }
  return found;
}

function stateOf({ size, mtimeMs }: Stats): string {
  return `${size} ${mtimeMs}`;
}
