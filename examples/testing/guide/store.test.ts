import test from 'node:test';
import { storeContract } from '@coxswain/testkit';
import type { SessionKey, SessionStore, StoreEntry } from 'coxswain/store';

/** A store of your own: a Map here, your database in a real program. */
function myStore(): SessionStore {
  const transcripts = new Map<string, { id: string; text: string }[]>();
  const name = ({ projectKey, sessionId, subpath }: SessionKey): string =>
    JSON.stringify([projectKey, sessionId, subpath]);
  return {
    async append(key, entries, batch) {
      const rows = transcripts.get(name(key)) ?? [];
      transcripts.set(name(key), rows);
      for (const [index, entry] of entries.entries()) {
        const id = entry.uuid ?? `${batch?.id ?? crypto.randomUUID()}#${index}`;
        if (!rows.some((row) => row.id === id)) rows.push({ id, text: JSON.stringify(entry) });
      }
    },
    async load(key) {
      return transcripts.get(name(key))?.map(({ text }): StoreEntry => JSON.parse(text)) ?? null;
    },
  };
}

// #region contract
const bench = {
  open: () => ({ store: myStore() }),
  without: ['listSessions', 'delete', 'listSubkeys', 'blobs'] as const,
};
for (const { name, run } of storeContract(bench)) test(name, run);
// #endregion
