import { join } from 'node:path';
import { projectFolderName, realCwd } from '../cli/config-folder.ts';
import { StoreFailedError } from '../errors/store.ts';
import { type PrivateFolder, privateFolder } from '../process/private-files.ts';
import type { Warning } from '../warnings/warning.ts';
import type { StoreTerms } from './attempt.ts';
import { Companions } from './companions.ts';
import { Mirror } from './mirror.ts';
import { type MirroredFile, mirroredFile } from './mirrored-file.ts';
import { fillConfig } from './private-config.ts';
import { loadConversation, writeConversation } from './restore.ts';
import type { SessionKey, SessionStore, StoreEntry } from './session-store.ts';

/** The `projectKey` of conversations whose caller names none. */
export const DEFAULT_PROJECT = 'default';

/** The `projectKey` that the official SDK uses for a working directory: for `storeProject`, to share its stores. */
export function projectKeyOf(cwd: string): string {
  return projectFolderName(realCwd(cwd));
}

/** What a run on a store needs to know. */
export interface StoreUse {
  readonly store: SessionStore;
  readonly projectKey: string;
  readonly terms: StoreTerms;
  readonly warn: (warning: Warning) => void;
}

/** Where the CLI runs: its environment and its working directory. */
export interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * One CLI process whose conversation is kept in a store: restores it before the start, and stores what the CLI mirrors.
 * Sessions with the option `sessionStore` do this themselves; a raw session needs `--session-mirror`, and gives each
 * `transcript_mirror` frame to `take`.
 */
export class StoredConversation {
  readonly #use: StoreUse;
  readonly #mirror: Mirror;
  readonly #companions: Companions | undefined;
  /** The conversations of this process: after a `clear()` there is another. */
  readonly #files = new Map<string, MirroredFile>();
  #folder: PrivateFolder | undefined;

  constructor(use: StoreUse) {
    this.#use = use;
    this.#mirror = new Mirror(use.store, use.terms);
    this.#companions = use.store.blobs && new Companions(use.store.blobs, use.terms);
  }

  /** The number of entries that are not stored yet. */
  get pending(): number {
    return this.#mirror.pending;
  }

  /** Makes a private configuration directory for a new conversation and returns its path. */
  async begin(place: Place): Promise<string> {
    return (await this.#makeFolder(place)).configDir;
  }

  /**
   * Writes a conversation to a private configuration directory and returns its path; undefined if the store does not have it.
   * @throws StoreFailedError
   */
  async restore(sessionId: string, place: Place): Promise<string | undefined> {
    const { store, terms } = this.#use;
    const key = this.#keyOf(sessionId);
    const stored = await loadConversation(store, key, terms);
    if (stored === undefined) return undefined;
    const folders = { ...(await this.#makeFolder(place)), sessionId };
    await writeConversation(stored, folders);
    await this.#companions?.restore(key, folders);
    return folders.configDir;
  }

  /** Entries that the CLI has written to the transcript at `path`. False if that is no transcript. */
  take(path: string, entries: readonly StoreEntry[]): boolean {
    const file = mirroredFile(path);
    if (file === undefined) return false;
    this.#files.set(file.sessionId, file);
    this.#mirror.add({ ...this.#keyOf(file.sessionId), subpath: file.subpath }, entries);
    return true;
  }

  /** Resolves when everything taken so far is stored, or to the reason why not. Never rejects. */
  async flush(): Promise<StoreFailedError | undefined> {
    const failure = await this.#mirror.flush();
    if (failure || !this.#companions) return failure;
    try {
      for (const file of this.#files.values()) await this.#companions.save(this.#keyOf(file.sessionId), file);
      return undefined;
    } catch (error) {
      if (error instanceof StoreFailedError) return error;
      throw error;
    }
  }

  /** The error for more entries than are kept for a store that does not take them. */
  overflow(limit: number): StoreFailedError {
    const [sessionId = ''] = this.#files.keys();
    const cause = new Error(`${this.pending} entries wait, more than limits.backlogBytes (${limit} bytes) allows`);
    return new StoreFailedError({ operation: 'append', sessionId, attempts: 1, cause });
  }

  /** The process is gone: stores the rest and removes the private directory. */
  async end(): Promise<StoreFailedError | undefined> {
    try {
      return await this.flush();
    } finally {
      this.#folder?.remove();
    }
  }

  async #makeFolder({ env, cwd }: Place): Promise<{ readonly configDir: string; readonly project: string }> {
    this.#folder = privateFolder(this.#use.warn);
    const { path: configDir } = this.#folder;
    const name = projectKeyOf(cwd);
    await fillConfig(configDir, env, name);
    return { configDir, project: join(configDir, 'projects', name) };
  }

  #keyOf(sessionId: string): SessionKey {
    return { projectKey: this.#use.projectKey, sessionId };
  }
}
