/**
 * Keeps conversations outside the CLI's own files, so that any machine can resume them. Adapters written for the official
 * SDK have the same shape and work here. Only `append` and `load` are required.
 */
export interface SessionStore {
  /**
   * Appends entries to a transcript in the given order, all or none of them. If the outcome of a call is unknown, it is repeated
   * with the same `batch`. Do not store an entry twice: skip an entry whose `uuid` the transcript already has, and an entry
   * without a `uuid` that was stored from the same index of the same batch.
   */
  append(key: SessionKey, entries: readonly StoreEntry[], batch?: AppendBatch): Promise<void>;
  /** Loads the entries of a transcript in the order of their addition; null if there are none. */
  load(key: SessionKey): Promise<readonly StoreEntry[] | null>;
  /** Lists the conversations of a project, in any order. */
  listSessions?(projectKey: string): Promise<readonly StoredSession[]>;
  /** Lists the conversations of a project with a summary of each, for long lists. */
  listSessionSummaries?(projectKey: string): Promise<readonly StoredSummary[]>;
  /** Deletes one transcript or, without a `subpath`, the whole conversation with its subagents and blobs. */
  delete?(key: SessionKey): Promise<void>;
  /** Lists the subpaths of a conversation with their own transcript. Without this method, subagents are not restored. */
  listSubkeys?(key: SessionKey): Promise<readonly string[]>;
  /** Stores files that belong to conversations. Without it, they stay on the machine on which they were written. */
  readonly blobs?: BlobStore | undefined;
}

/** Identifies one transcript. */
export interface SessionKey {
  /** Groups conversations; set by the option `storeProject`. */
  readonly projectKey: string;
  readonly sessionId: string;
  /** A transcript within the conversation, such as `subagents/agent-a1b2`; undefined for the main transcript. */
  readonly subpath?: string | undefined;
}

/** One line of a transcript, as written by the CLI. Its fields differ between releases and are kept unchanged. */
export interface StoreEntry {
  readonly type?: string | undefined;
  /** Most entries have a uuid; titles, modes and other notes do not. */
  readonly uuid?: string | undefined;
  readonly [field: string]: unknown;
}

/** Identifies a call of `append` and its repetitions. */
export interface AppendBatch {
  /** Unique among all calls of all writers; unchanged when a call is repeated. */
  readonly id: string;
}

/** A conversation in a list. */
export interface StoredSession {
  readonly sessionId: string;
  /** The time of the last change, in ms since the epoch. */
  readonly mtime: number;
}

/** A conversation in a list, with the adapter's summary. */
export interface StoredSummary extends StoredSession {
  readonly data: Readonly<Record<string, unknown>>;
}

/** Files that belong to conversations: large tool results, file checkpoints, todo lists. */
export interface BlobStore {
  /** Creates or replaces a file. */
  put(key: SessionKey, name: string, data: Uint8Array): Promise<void>;
  /** The content of a file; null if there is none. */
  get(key: SessionKey, name: string): Promise<Uint8Array | null>;
  /** The names of the conversation's files, such as `tool-results/a1b2.txt`. */
  list(key: SessionKey): Promise<readonly string[]>;
}

/**
 * The reaction to entries of a turn that cannot be stored: the turn fails with `StoreFailedError`, or succeeds with a
 * warning.
 */
export type StoreFailure = 'fail' | 'warn';

/** Returns the entries that are not in `seen`, and adds them to it. */
export function unseen(
  entries: readonly StoreEntry[],
  batch: AppendBatch | undefined,
  seen: Set<string>,
): readonly StoreEntry[] {
  return entries.filter((entry, index) => {
    const id = entryId(entry, batch, index);
    if (id === undefined) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** Identifies a repeated entry: by its uuid, or by its index in its batch. Undefined if neither is available. */
function entryId(entry: StoreEntry, batch: AppendBatch | undefined, index: number): string | undefined {
  if (typeof entry.uuid === 'string') return entry.uuid;
  return batch === undefined ? undefined : `${batch.id}#${index}`;
}
