/**
 * Keeps conversations outside the CLI's own files, so that any machine can resume them. Adapters written for the official
 * SDK have the same shape and work here. Only `append` and `load` are required.
 */
export interface SessionStore {
  /**
   * Adds entries to the end of a transcript, all or none of them, in the given order. The call may be repeated with the same
   * `batch` when its outcome is unknown: what is already stored must not be added again, neither an entry whose `uuid` the
   * transcript has, nor one without a `uuid` that came at the same index of the same batch.
   */
  append(key: SessionKey, entries: readonly StoreEntry[], batch?: AppendBatch): Promise<void>;
  /** The entries of a transcript in the order in which they were added; null if there are none. */
  load(key: SessionKey): Promise<readonly StoreEntry[] | null>;
  /** The conversations of a project, in any order. */
  listSessions?(projectKey: string): Promise<readonly StoredSession[]>;
  /** The same with a summary of each, for long lists. */
  listSessionSummaries?(projectKey: string): Promise<readonly StoredSummary[]>;
  /** Removes one transcript; without a `subpath` the whole conversation with its subagents and blobs. */
  delete?(key: SessionKey): Promise<void>;
  /** The subpaths of a conversation that have their own transcript. Without it subagents are not restored. */
  listSubkeys?(key: SessionKey): Promise<readonly string[]>;
  /** Files that belong to conversations. Without it they stay on the machine on which they were written. */
  readonly blobs?: BlobStore | undefined;
}

/** Names one transcript. */
export interface SessionKey {
  /** Groups conversations: the option `storeProject`. */
  readonly projectKey: string;
  readonly sessionId: string;
  /** A transcript within the conversation, such as `subagents/agent-a1b2`; none for the conversation itself. */
  readonly subpath?: string | undefined;
}

/** One line of a transcript, as the CLI wrote it. Its fields differ between releases and are kept unchanged. */
export interface StoreEntry {
  readonly type?: string | undefined;
  /** Most entries have one; titles, modes and other notes do not. */
  readonly uuid?: string | undefined;
  readonly [field: string]: unknown;
}

/** Identifies a call of `append` and its repetitions. */
export interface AppendBatch {
  /** Unique among all calls of all writers, and the same when a call is repeated. */
  readonly id: string;
}

/** A conversation in a list. */
export interface StoredSession {
  readonly sessionId: string;
  /** When it was last changed, in ms since the epoch. */
  readonly mtime: number;
}

/** A conversation in a list, with what the adapter knows about it. */
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
 * What happens when the entries of a turn cannot be stored: the turn fails with `StoreFailedError`, or succeeds with a
 * warning.
 */
export type StoreFailure = 'fail' | 'warn';

/** The entries that `seen` does not have; adds them to it. */
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

/** What tells an entry that comes twice: its uuid, or its place in its batch. Undefined when nothing does. */
function entryId(entry: StoreEntry, batch: AppendBatch | undefined, index: number): string | undefined {
  if (typeof entry.uuid === 'string') return entry.uuid;
  return batch === undefined ? undefined : `${batch.id}#${index}`;
}
