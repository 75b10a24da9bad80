import { join } from 'node:path';
import { projectFolderName } from '../cli/folders.ts';
import { SessionStoppedError } from '../errors/session.ts';
import { StoreFailedError } from '../errors/store.ts';
import { defaultLimits } from '../limits.ts';
import type { PrivateFolder } from '../process/private-files.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { type StoreTerms, storeFailure } from './attempt.ts';
import { Companions } from './companions.ts';
import { Mirror } from './mirror.ts';
import { type MirroredFile, mirroredFile } from './mirrored-file.ts';
import { fillConfig } from './private-config.ts';
import { conversationFolder, loadConversation, restoreFailure, writeConversation } from './restore.ts';
import type { SessionKey, SessionStore, StoreEntry } from './session-store.ts';

/** The `projectKey` of conversations whose caller names none. */
export const DEFAULT_PROJECT = 'default';

/** The `projectKey` that the official SDK uses for a working directory: for `storeProject`, to share its stores. */
export function projectKeyOf(cwd: string): string {
  return projectFolderName(cwd);
}

/** So many files that are not stored are reported. */
const MOST_REFUSED = 100;

/** The store of a conversation, and how it is used. */
export interface StoreUse {
  readonly store: SessionStore;
  readonly projectKey: string;
  readonly limits: StoreTerms;
  readonly warn: (warning: Warning) => void;
}

/** Where the CLI runs: its environment and its working directory. */
export interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * One CLI process whose conversation is kept in a store: restores it before the start, and stores what the CLI mirrors.
 * Sessions with the option `sessionStore` do this themselves; a raw session needs `--session-mirror`, and passes each
 * `transcript_mirror` frame to `take`.
 */
export class StoredConversation {
  readonly #use: StoreUse;
  readonly #mirror: Mirror;
  readonly #companions: Companions | undefined;
  /** The conversations of this process: after a `clear()` there is another. */
  readonly #files = new Map<string, MirroredFile>();
  /** The files that are not stored and were reported. */
  readonly #refused = new Set<string>();
  readonly #ended = new AbortController();
  /** Settles when nothing is written to the private directory any more. */
  #preparing: Promise<unknown> = Promise.resolve();
  #folder: PrivateFolder | undefined;
  #lost: StoreFailedError | undefined;
  #waitingBytes = 0;

  constructor(use: StoreUse) {
    this.#use = use;
    this.#mirror = new Mirror(use.store, use.limits);
    this.#companions = use.store.blobs && new Companions(use.store.blobs, use.limits);
  }

  /** The number of entries that are not stored yet. */
  get pending(): number {
    return this.#mirror.pending;
  }

  /**
   * Makes a private configuration directory for a new conversation and returns its path.
   * @throws SpawnError, SessionStoppedError
   */
  begin(place: Place): Promise<string> {
    return this.#prepare('', async () => (await this.#makeFolder(place)).configDir);
  }

  /**
   * Writes a conversation to a private configuration directory and returns its path; undefined if the store does not have it,
   * also after `bring`, which may put it there.
   * @throws StoreFailedError, SpawnError, SessionStoppedError, and what `bring` throws
   */
  restore(sessionId: string, place: Place, bring?: () => Promise<void>): Promise<string | undefined> {
    const { store, limits } = this.#use;
    const { signal } = this.#ended;
    const key = this.#keyOf(sessionId);
    return this.#prepare(sessionId, async () => {
      let stored = await loadConversation(store, key, limits, signal);
      if (stored === undefined && bring) {
        await bring();
        stored = await loadConversation(store, key, limits, signal);
      }
      if (stored === undefined) return undefined;
      const folders = { ...(await this.#makeFolder(place)), sessionId };
      await writeConversation(stored, folders);
      await this.#companions?.restore(key, folders, signal);
      return folders.configDir;
    });
  }

  /**
   * Entries that the CLI has written to the transcript at `path`; `bytes` is the length of the frame. A store that falls too far
   * behind does not get them, and `flush` says so. False if that is no transcript.
   */
  take(path: string, entries: readonly StoreEntry[], bytes = 0): boolean {
    const file = mirroredFile(path);
    if (file === undefined) return false;
    if (this.pending === 0) this.#waitingBytes = 0;
    this.#waitingBytes += bytes;
    const { backlogBytes } = defaultLimits;
    if (this.#waitingBytes > backlogBytes) {
      this.#lost ??= this.overflow(backlogBytes);
      return true;
    }
    const { sessionId, subpath } = file;
    if (this.#mirror.add({ ...this.#keyOf(sessionId), subpath }, entries)) this.#files.set(sessionId, file);
    else this.#lose(sessionId, 'the CLI has more transcripts than are stored');
    return true;
  }

  /**
   * A mirror frame was longer than a line may be, and was dropped: from now on `flush` says that the store lacks its entries.
   * `path` is that of the transcript, if it is known.
   */
  lose(frame: { readonly path: string | undefined; readonly bytes: number; readonly limit: number }): void {
    const { path = '', bytes, limit } = frame;
    const [known = ''] = this.#files.keys();
    const sessionId = mirroredFile(path)?.sessionId ?? known;
    const reason = `the CLI sent them in a line of ${bytes} bytes, over limits.maxLineBytes (${limit}), which was dropped`;
    this.#lose(sessionId, reason);
  }

  /** Resolves when everything taken so far is stored, or to the reason why not. Never rejects. */
  async flush(): Promise<StoreFailedError | undefined> {
    return (await this.#mirror.flush()) ?? (await this.#saveCompanions()) ?? this.#lost;
  }

  /** The error for more entries than are kept for a store that does not take them. */
  overflow(limit: number): StoreFailedError {
    const [sessionId = ''] = this.#files.keys();
    const cause = new Error(`${this.pending} entries wait, more than limits.backlogBytes (${limit} bytes) allows`);
    return new StoreFailedError({ operation: 'append', sessionId, attempts: 1, cause });
  }

  /**
   * The process is gone, or will not be started: stores the rest and removes the private directory. What `begin` or
   * `restore` has under way is cut off: nothing is written afterwards.
   */
  async end(): Promise<StoreFailedError | undefined> {
    this.#ended.abort(new SessionStoppedError('The conversation was not restored'));
    const failure = await this.flush();
    await this.#preparing;
    this.#folder?.remove();
    return failure;
  }

  async #prepare<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    const preparing = work().catch((error: unknown) => {
      throw restoreFailure(error, sessionId);
    });
    this.#preparing = Promise.allSettled([this.#preparing, preparing]);
    return preparing;
  }

  async #saveCompanions(): Promise<StoreFailedError | undefined> {
    for (const file of this.#companions ? this.#files.values() : []) {
      try {
        const refused = (await this.#companions?.save(this.#keyOf(file.sessionId), file)) ?? [];
        for (const { path, reason } of refused) this.#warnOf(path, reason, file.sessionId);
      } catch (error) {
        return storeFailure('blob', file.sessionId, error);
      }
    }
    return undefined;
  }

  #lose(sessionId: string, reason: string): void {
    this.#lost ??= new StoreFailedError({ operation: 'append', sessionId, attempts: 0, cause: new Error(reason) });
  }

  /** Reports once that a file of the conversation is not stored. */
  #warnOf(path: string, reason: string, sessionId: string): void {
    if (this.#refused.size >= MOST_REFUSED || this.#refused.has(path)) return;
    this.#refused.add(path);
    const message = `${path} is not stored with the conversation: ${reason}. Where it is resumed from the store, the file is missing.`;
    this.#use.warn(warning('store-failed', message, { sessionId, entries: 0 }));
  }

  async #makeFolder({ env, cwd }: Place): Promise<{ readonly configDir: string; readonly project: string }> {
    this.#ended.signal.throwIfAborted();
    this.#folder = conversationFolder(this.#use.warn);
    const { path: configDir } = this.#folder;
    const name = projectKeyOf(cwd);
    await fillConfig(configDir, env, name);
    return { configDir, project: join(configDir, 'projects', name) };
  }

  #keyOf(sessionId: string): SessionKey {
    return { projectKey: this.#use.projectKey, sessionId };
  }
}
