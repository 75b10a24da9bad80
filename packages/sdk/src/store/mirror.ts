import type { StoreFailedError } from '../errors/store.ts';
import { attempt, type StoreTerms, storeFailure } from './attempt.ts';
import type { SessionKey, SessionStore, StoreEntry } from './session-store.ts';

/** Maximum number of entries per call of `append`. */
const BATCH = 500;

/** Maximum number of transcripts per CLI. Each subagent has its own. */
const MOST_TRANSCRIPTS = 10_000;

/** Asked before each call of `append`: whether the entries of a conversation are stored. May throw StoreFailedError. */
export type Admission = (sessionId: string) => Promise<boolean>;

export interface MirrorOptions {
  readonly writer?: string;
  readonly admits?: Admission;
}

/** Writes entries to a store as they arrive: in order within a transcript, several transcripts in parallel. */
export class Mirror {
  readonly #store: SessionStore;
  readonly #terms: StoreTerms;
  /** Part of the id of each batch; unique to this writer. */
  readonly #writer: string;
  readonly #admits: Admission;
  readonly #lanes = new Map<string, Lane>();

  constructor(
    store: SessionStore,
    terms: StoreTerms,
    { writer = crypto.randomUUID(), admits = () => Promise.resolve(true) }: MirrorOptions = {},
  ) {
    this.#store = store;
    this.#terms = terms;
    this.#writer = writer;
    this.#admits = admits;
  }

  /** Number of entries that are not stored yet. */
  get pending(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.pending, 0);
  }

  /** Adds entries. Returns false if there are too many transcripts. */
  add(key: SessionKey, entries: readonly StoreEntry[]): boolean {
    const name = JSON.stringify([key.projectKey, key.sessionId, key.subpath]);
    const known = this.#lanes.get(name);
    if (known === undefined && this.#lanes.size >= MOST_TRANSCRIPTS) return false;
    const lane = known ?? new Lane(this.#store, key, this.#terms, this.#writer, this.#admits);
    this.#lanes.set(name, lane);
    lane.add(entries);
    return true;
  }

  /** Resolves when everything added so far is stored, or to the failure. Never rejects. */
  async flush(): Promise<StoreFailedError | undefined> {
    const failures = await Promise.all(Array.from(this.#lanes.values(), (lane) => lane.flush()));
    return failures.find((failure) => failure !== undefined);
  }
}

/** Writes one transcript with one call at a time, to keep the order. */
class Lane {
  readonly #store: SessionStore;
  readonly #key: SessionKey;
  readonly #terms: StoreTerms;
  readonly #writer: string;
  readonly #admits: Admission;
  #batches = 0;
  #waiting: StoreEntry[] = [];
  /** A failed batch is retried unchanged, because part of it may have arrived. */
  #batch: { readonly id: string; readonly entries: readonly StoreEntry[] } | undefined;
  #running: Promise<StoreFailedError | undefined> | undefined;

  constructor(store: SessionStore, key: SessionKey, terms: StoreTerms, writer: string, admits: Admission) {
    this.#store = store;
    this.#key = key;
    this.#terms = terms;
    this.#writer = writer;
    this.#admits = admits;
  }

  get pending(): number {
    return this.#waiting.length + (this.#batch?.entries.length ?? 0);
  }

  add(entries: readonly StoreEntry[]): void {
    for (const entry of entries) this.#waiting.push(entry);
    void this.#run();
  }

  async flush(): Promise<StoreFailedError | undefined> {
    const failure = await this.#running;
    return failure ?? this.#run();
  }

  #run(): Promise<StoreFailedError | undefined> {
    if (this.pending === 0) return Promise.resolve(undefined);
    this.#running ??= this.#drain();
    return this.#running;
  }

  async #drain(): Promise<StoreFailedError | undefined> {
    let failure: StoreFailedError | undefined;
    while (this.pending > 0 && !failure) failure = await this.#appendNext();
    // Reset before the promise settles: an entry that arrives in between must start another drain.
    this.#running = undefined;
    return failure;
  }

  async #appendNext(): Promise<StoreFailedError | undefined> {
    const { sessionId, subpath } = this.#key;
    const transcript = subpath === undefined ? sessionId : `${sessionId}/${subpath}`;
    this.#batch ??= {
      id: `${this.#writer}-${transcript}-${++this.#batches}`,
      entries: this.#waiting.splice(0, BATCH),
    };
    const { id, entries } = this.#batch;
    try {
      if (!(await this.#admits(sessionId))) {
        this.#batch = undefined;
        this.#waiting = [];
        return undefined;
      }
      await attempt('append', () => this.#store.append(this.#key, entries, { id }), this.#terms, sessionId);
    } catch (error) {
      return storeFailure('append', sessionId, error);
    }
    this.#batch = undefined;
    return undefined;
  }
}
