import {
  type BlobStore,
  type SessionKey,
  type SessionStore,
  type StoredSession,
  type StoreEntry,
  unseen,
} from './session-store.ts';

/** A store in memory, for tests and for moving conversations between directories. */
export interface MemoryStore extends Required<Omit<SessionStore, 'listSessionSummaries'>> {
  readonly blobs: BlobStore;
}

interface Transcript {
  /** Stored as text, so that callers cannot change the entries. */
  readonly lines: string[];
  readonly seen: Set<string>;
}

interface Conversation {
  readonly transcripts: Map<string, Transcript>;
  readonly blobs: Map<string, Uint8Array>;
  mtime: number;
}

/** The subpath of the main transcript. */
const MAIN = '';

/** Creates an empty store in memory. */
export function memoryStore(): MemoryStore {
  const projects = new Map<string, Map<string, Conversation>>();
  const find = ({ projectKey, sessionId }: SessionKey): Conversation | undefined =>
    projects.get(projectKey)?.get(sessionId);
  const open = (key: SessionKey): Conversation => {
    const project = projects.get(key.projectKey) ?? new Map<string, Conversation>();
    projects.set(key.projectKey, project);
    const found = project.get(key.sessionId) ?? { transcripts: new Map(), blobs: new Map(), mtime: 0 };
    project.set(key.sessionId, found);
    found.mtime = Date.now();
    return found;
  };
  return {
    async append(key, entries, batch) {
      const { transcripts } = open(key);
      const subpath = key.subpath ?? MAIN;
      const transcript = transcripts.get(subpath) ?? { lines: [], seen: new Set() };
      transcripts.set(subpath, transcript);
      // All or none: serialise every entry before the first one is marked as seen.
      const lines = new Map(entries.map((entry) => [entry, JSON.stringify(entry)]));
      for (const entry of unseen(entries, batch, transcript.seen)) transcript.lines.push(lines.get(entry) ?? '');
    },
    async load(key) {
      const transcript = find(key)?.transcripts.get(key.subpath ?? MAIN);
      return transcript?.lines.map((line): StoreEntry => JSON.parse(line)) ?? null;
    },
    async listSessions(projectKey) {
      const found = [...(projects.get(projectKey) ?? [])];
      return found.flatMap(([sessionId, { transcripts, mtime }]): StoredSession[] =>
        transcripts.has(MAIN) ? [{ sessionId, mtime }] : [],
      );
    },
    async delete(key) {
      if (key.subpath === undefined) projects.get(key.projectKey)?.delete(key.sessionId);
      else find(key)?.transcripts.delete(key.subpath);
    },
    async listSubkeys(key) {
      return [...(find(key)?.transcripts.keys() ?? [])].filter((subpath) => subpath !== MAIN);
    },
    blobs: {
      async put(key, name, data) {
        open(key).blobs.set(name, data.slice());
      },
      async get(key, name) {
        return find(key)?.blobs.get(name)?.slice() ?? null;
      },
      async list(key) {
        return [...(find(key)?.blobs.keys() ?? [])];
      },
    },
  };
}
