import { join } from 'node:path';
import { projectFolderName } from '../cli/folders.ts';
import { SessionStoppedError } from '../errors/session.ts';
import { StoreFailedError } from '../errors/store.ts';
import { defaultLimits } from '../limits.ts';
import type { PrivateFolder } from '../process/private-files.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { attempt, type StoreTerms, storeFailure } from './attempt.ts';
import { Companions } from './companions.ts';
import { Mirror } from './mirror.ts';
import { type MirroredFile, mirroredFile } from './mirrored-file.ts';
import { OwnTranscripts } from './own-transcripts.ts';
import { fillConfig } from './private-config.ts';
import { conversationFolder, loadConversation, restoreFailure, writeConversation } from './restore.ts';
import type { SessionKey, SessionStore, StoreEntry } from './session-store.ts';

/** The default `projectKey`. */
export const DEFAULT_PROJECT = 'default';

/** The `projectKey` that the official SDK uses for a working directory. Pass it as `storeProject` to share its stores. */
export function projectKeyOf(cwd: string): string {
  return projectFolderName(cwd);
}

/** Maximum number of reported files that are not stored. */
const MOST_REFUSED = 100;

/** The store of a conversation and its settings. */
export interface StoreUse {
  readonly store: SessionStore;
  readonly projectKey: string;
  readonly limits: StoreTerms;
  readonly warn: (warning: Warning) => void;
  /** The conversation that the CLI is started with, if it is known. A conversation that is restored counts too. */
  readonly sessionId?: string | undefined;
  /** The configuration directory of the CLI, if it is known. A private one counts instead. */
  readonly configDir?: string | undefined;
}

/** The environment and the working directory of the CLI. */
export interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Leaves out links in the configuration directory of `env`. */
  readonly noLinks?: boolean;
}

/** What happens to a conversation between the store and the CLI. */
export interface RestoreSteps {
  /** May add a conversation that the store does not have. */
  readonly bring?: () => Promise<void>;
  /** Returns the main transcript for the CLI; `append` adds entries to the stored one. */
  readonly complete?: (
    main: readonly StoreEntry[],
    append: (entries: readonly StoreEntry[]) => Promise<void>,
  ) => Promise<readonly StoreEntry[]>;
}

/**
 * Keeps the conversation of one CLI process in a store: restores it before the start, and stores the entries that the CLI
 * mirrors. Sessions with the option `sessionStore` do this themselves. A raw session needs `--session-mirror` and must pass each
 * `transcript_mirror` frame to `take`.
 */
export class StoredConversation {
  readonly #use: StoreUse;
  readonly #mirror: Mirror;
  readonly #companions: Companions | undefined;
  readonly #own: OwnTranscripts;
  /** The conversations of this process. `clear()` starts another one. */
  readonly #files = new Map<string, MirroredFile>();
  /** Conversations that are not admitted yet. */
  readonly #others = new Map<string, MirroredFile>();
  /** Files that are not stored and were already reported. */
  readonly #refused = new Set<string>();
  readonly #ended = new AbortController();
  /** Settles when the private directory is no longer written to. */
  #preparing: Promise<unknown> = Promise.resolve();
  #folder: PrivateFolder | undefined;
  #lost: StoreFailedError | undefined;
  #waitingBytes = 0;
  /** Called with the entries of the main transcript, before they are stored. */
  onEntries: ((entries: readonly StoreEntry[]) => void) | undefined;

  constructor(use: StoreUse) {
    this.#use = use;
    this.#own = new OwnTranscripts(use);
    if (use.sessionId !== undefined) this.#own.add(use.sessionId);
    if (use.configDir !== undefined) this.#own.in(use.configDir);
    this.#mirror = new Mirror(use.store, use.limits, { admits: (sessionId) => this.#admits(sessionId) });
    this.#companions = use.store.blobs && new Companions(use.store.blobs, use.limits);
  }

  /** Number of entries that are not stored yet. */
  get pending(): number {
    return this.#mirror.pending;
  }

  /**
   * Creates a private configuration directory for a new conversation and returns its path.
   * @throws SpawnError, SessionStoppedError
   */
  begin(place: Place): Promise<string> {
    return this.#prepare('', async () => (await this.#makeFolder(place)).configDir);
  }

  /**
   * Writes a conversation to a private configuration directory and returns its path. Returns undefined if the store does not
   * have the conversation, even after `bring`.
   * @throws StoreFailedError, SpawnError, SessionStoppedError, and the errors of the steps
   */
  restore(sessionId: string, place: Place, { bring, complete }: RestoreSteps = {}): Promise<string | undefined> {
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
      const main = (await complete?.(stored.main, (entries) => this.append(sessionId, entries))) ?? stored.main;
      const folders = { ...(await this.#makeFolder(place)), sessionId };
      this.#own.add(sessionId);
      await writeConversation({ ...stored, main }, folders);
      await this.#companions?.restore(key, folders, signal);
      return folders.configDir;
    });
  }

  /** Adds entries that the CLI did not write to the main transcript. @throws StoreFailedError */
  async append(sessionId: string, entries: readonly StoreEntry[]): Promise<void> {
    const { store, limits } = this.#use;
    const batch = { id: crypto.randomUUID() };
    await attempt('append', () => store.append(this.#keyOf(sessionId), entries, batch), limits, sessionId);
  }

  /** The main transcript as it is stored now. @throws StoreFailedError */
  async load(sessionId: string): Promise<readonly StoreEntry[]> {
    const { store, limits } = this.#use;
    return (await loadConversation(store, this.#keyOf(sessionId), limits, this.#ended.signal))?.main ?? [];
  }

  /**
   * Takes the entries that the CLI has written to the transcript at `path`; `bytes` is the length of the frame. If the store falls
   * too far behind, the entries are dropped and `flush` reports it. Returns false if `path` is not a transcript of this CLI.
   */
  take(path: string, entries: readonly StoreEntry[], bytes = 0): boolean {
    const named = mirroredFile(path);
    const file = named && this.#own.located(named);
    if (file === undefined) return false;
    if (this.pending === 0) this.#waitingBytes = 0;
    this.#waitingBytes += bytes;
    const { backlogBytes } = defaultLimits;
    if (this.#waitingBytes > backlogBytes) {
      this.#lost ??= this.overflow(backlogBytes);
      return true;
    }
    const { sessionId, subpath } = file;
    if (subpath === undefined) this.onEntries?.(entries);
    // The files of any other conversation are stored once it is admitted.
    if (this.#own.has(sessionId)) this.#files.set(sessionId, file);
    else this.#others.set(sessionId, file);
    if (!this.#mirror.add({ ...this.#keyOf(sessionId), subpath }, entries)) {
      this.#lose(sessionId, 'the CLI has more transcripts than are stored');
    }
    return true;
  }

  /**
   * Records that a mirror frame was dropped because its line was too long: from now on `flush` reports the missing entries.
   * `path` is the transcript, if it is known.
   */
  lose(frame: { readonly path: string | undefined; readonly bytes: number; readonly limit: number }): void {
    const { path = '', bytes, limit } = frame;
    const [known = ''] = this.#files.keys();
    const sessionId = mirroredFile(path)?.sessionId ?? known;
    const reason = `the CLI sent them in a line of ${bytes} bytes, over limits.maxLineBytes (${limit}), which was dropped`;
    this.#lose(sessionId, reason);
  }

  /** Resolves when everything taken so far is stored, or to the failure. Never rejects. */
  async flush(): Promise<StoreFailedError | undefined> {
    return (await this.#mirror.flush()) ?? (await this.#saveCompanions()) ?? this.#lost;
  }

  /** The error for a backlog that exceeds the limit. */
  overflow(limit: number): StoreFailedError {
    const [sessionId = ''] = this.#files.keys();
    const cause = new Error(`${this.pending} entries wait, more than limits.backlogBytes (${limit} bytes) allows`);
    return new StoreFailedError({ operation: 'append', sessionId, attempts: 1, cause });
  }

  /**
   * Call it when the process has exited or will not be started: stores the remaining entries and removes the private directory.
   * Cancels a running `begin` or `restore`; nothing is written afterwards.
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

  /** Whether entries of a conversation are stored; of someone else's, nothing is. @throws StoreFailedError */
  async #admits(sessionId: string): Promise<boolean> {
    const admitted = await this.#own.admits(sessionId);
    const file = this.#others.get(sessionId);
    this.#others.delete(sessionId);
    if (file !== undefined && admitted) this.#files.set(sessionId, file);
    if (admitted || this.#refused.size >= MOST_REFUSED || this.#refused.has(sessionId)) return admitted;
    this.#refused.add(sessionId);
    const message = `The CLI mirrored entries of the conversation ${sessionId}, which the store already has and this session was not started with; they are not stored.`;
    this.#use.warn(warning('store-failed', message, { sessionId, entries: 0 }));
    return false;
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
    const message = `${path} is not stored with the conversation: ${reason}. The file will be missing where the conversation is resumed from the store.`;
    this.#use.warn(warning('store-failed', message, { sessionId, entries: 0 }));
  }

  async #makeFolder({ env, cwd, noLinks }: Place): Promise<{ readonly configDir: string; readonly project: string }> {
    this.#ended.signal.throwIfAborted();
    this.#folder = conversationFolder(this.#use.warn);
    const { path: configDir } = this.#folder;
    this.#own.in(configDir);
    const name = projectKeyOf(cwd);
    await fillConfig(configDir, env, name, noLinks);
    return { configDir, project: join(configDir, 'projects', name) };
  }

  #keyOf(sessionId: string): SessionKey {
    return { projectKey: this.#use.projectKey, sessionId };
  }
}
