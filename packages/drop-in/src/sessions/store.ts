import { basename, dirname } from 'node:path';
import type {
  ImportSessionToStoreOptions,
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../declarations/sessions.ts';
import { withTexts } from './change.ts';
import { foldSessionSummary } from './summary.ts';
import { transcripts } from './transcripts.ts';

/** A store for tests, in the memory of the process. */
export class InMemorySessionStore implements SessionStore {
  private readonly entries = new Map<string, { key: SessionKey; list: SessionStoreEntry[]; mtime: number }>();

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const held = this.entries.get(nameOf(key)) ?? { key: { ...key }, list: [], mtime: 0 };
    held.list = held.list.concat(entries);
    held.mtime = Math.max(Date.now(), held.mtime + 1);
    this.entries.set(nameOf(key), held);
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    return this.entries.get(nameOf(key))?.list.slice() ?? null;
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    const main = [...this.entries.values()].filter(({ key }) => key.projectKey === projectKey && !key.subpath);
    return main.map(({ key, mtime }) => ({ sessionId: key.sessionId, mtime }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const listed = await this.listSessions(projectKey);
    return listed.map(({ sessionId, mtime }) =>
      foldSessionSummary(undefined, { projectKey, sessionId }, this.getEntries({ projectKey, sessionId }), { mtime }),
    );
  }

  /** Deletes the whole conversation if there is no subpath. */
  async delete(key: SessionKey): Promise<void> {
    for (const [name, held] of this.entries) {
      const same = held.key.projectKey === key.projectKey && held.key.sessionId === key.sessionId;
      if (same && (!key.subpath || held.key.subpath === key.subpath)) this.entries.delete(name);
    }
  }

  async listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    return [...this.entries.values()].flatMap(({ key }) =>
      key.projectKey === projectKey && key.sessionId === sessionId && key.subpath ? [key.subpath] : [],
    );
  }

  getEntries(key: SessionKey): SessionStoreEntry[] {
    return this.entries.get(nameOf(key))?.list.slice() ?? [];
  }

  /** The number of conversations. */
  get size(): number {
    return [...this.entries.values()].filter(({ key }) => !key.subpath).length;
  }

  clear(): void {
    this.entries.clear();
  }
}

const IMPORT = { invalidId: 'importSessionToStore: invalid sessionId (must be a UUID)' };

/** Copies a conversation from disk to a store, under the key of its folder. @throws Error */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  { dir, includeSubagents = true, batchSize = 500 }: ImportSessionToStoreOptions = {},
): Promise<void> {
  await withTexts(sessionId, { short: IMPORT }, async () => {
    const { getSession, importSession } = await transcripts();
    const where = dir === undefined ? {} : { cwd: dir };
    const { path } = await getSession(sessionId, where);
    const target: Pick<SessionStore, 'append' | 'load'> = {
      append: async (key, entries) => {
        if (key.subpath !== undefined && !includeSubagents) return;
        const size = Math.max(1, batchSize);
        for (let at = 0; at < entries.length; at += size) await store.append(key, entries.slice(at, at + size));
      },
      load: (key) => store.load(key),
    };
    await importSession(sessionId, { ...where, store: target, project: basename(dirname(path)) });
  });
}

function nameOf({ projectKey, sessionId, subpath = '' }: SessionKey): string {
  return JSON.stringify([projectKey, sessionId, subpath]);
}
