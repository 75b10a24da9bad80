import { realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attempt, type StoreTerms } from './attempt.ts';
import type { MirroredFile } from './mirrored-file.ts';
import type { SessionKey, SessionStore } from './session-store.ts';

/** Where the conversations of a CLI are. */
export interface Ownership {
  readonly store: SessionStore;
  readonly projectKey: string;
  readonly limits: StoreTerms;
}

/**
 * The conversations that a CLI may write to the store. A CLI that is not trusted, or an agent that can write to its stdout, could
 * name the transcript of someone else: accepted are only transcripts in one configuration directory, of the conversations that the
 * CLI was started with, and of new ones (`/clear`), which the store does not have yet.
 */
export class OwnTranscripts {
  readonly #use: Ownership;
  readonly #sessions = new Set<string>();
  /** Whether the store already had the other conversations that the CLI has named. */
  readonly #others = new Map<string, Promise<boolean>>();
  #configDir: string | undefined;

  constructor(use: Ownership) {
    this.#use = use;
  }

  /** Adds a conversation that the CLI was started with. */
  add(sessionId: string): void {
    this.#sessions.add(sessionId);
  }

  /** Sets the configuration directory. Without it, that of the first transcript of such a conversation counts. */
  in(configDir: string): void {
    this.#configDir = configDir;
  }

  /**
   * The transcript, with its folders below the configuration directory; undefined if it is in another one. Where the CLI has chosen
   * the conversation (`continue`), the first transcript is the one it was started with.
   */
  located(file: MirroredFile): MirroredFile | undefined {
    const { configDir, sessionId } = file;
    if (this.#sessions.size === 0) this.add(sessionId);
    if (this.#sessions.has(sessionId)) this.#configDir ??= configDir;
    if (this.#configDir === undefined || configDir === this.#configDir) return file;
    if (realPath(configDir) !== realPath(this.#configDir)) return undefined;
    // An agent may change a link later.
    const project = join(this.#configDir, 'projects', basename(file.project));
    return { ...file, configDir: this.#configDir, project };
  }

  /** True if the CLI was started with the conversation; otherwise ask `admits`. */
  has(sessionId: string): boolean {
    return this.#sessions.has(sessionId);
  }

  /** Resolves to false if the conversation is someone else's. @throws StoreFailedError */
  async admits(sessionId: string): Promise<boolean> {
    if (this.#sessions.has(sessionId)) return true;
    const asked = this.#others.get(sessionId) ?? this.#isNew(sessionId);
    this.#others.set(sessionId, asked);
    try {
      return await asked;
    } catch (error) {
      // The store is asked again with the next attempt.
      this.#others.delete(sessionId);
      throw error;
    }
  }

  async #isNew(sessionId: string): Promise<boolean> {
    const { store, projectKey, limits } = this.#use;
    const key: SessionKey = { projectKey, sessionId };
    const found = await attempt('load', async () => ((await store.load(key)) ?? []).length, limits, sessionId);
    return found === 0;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
