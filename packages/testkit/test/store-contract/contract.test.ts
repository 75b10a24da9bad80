import { memoryStore, type SessionStore } from 'coxswain/store';
import { describe, expect, it } from 'vitest';
import { ContractViolation, faultyStore, type StoreRule, storeContract } from '../../src/index.ts';

/** The rules for a store with one change. */
function rulesFor(change: (inner: SessionStore) => Partial<SessionStore>, timeoutMs = 5_000): readonly StoreRule[] {
  const open = () => {
    const inner = memoryStore();
    return { store: { ...inner, ...change(inner) } };
  };
  return storeContract({ open, timeoutMs });
}

async function broken(rules: readonly StoreRule[]): Promise<string[]> {
  const names: string[] = [];
  for (const { name, run } of rules) {
    await run().catch((error: unknown) => {
      if (!(error instanceof ContractViolation)) throw error;
      names.push(name);
    });
  }
  return names;
}

describe('the contract of session stores', () => {
  it('[G-6] accepts a correct store', async () => {
    expect(await broken(rulesFor(() => ({})))).toEqual([]);
  });

  it('[G-6] skips the rules of parts that an adapter lacks', () => {
    const open = () => ({ store: memoryStore() });
    const all = storeContract({ open }).length;
    const few = storeContract({ open, without: ['listSessions', 'delete', 'listSubkeys', 'blobs'] });
    expect(few.length).toBeLessThan(all);
    expect(few.map(({ name }) => name).join()).not.toMatch(/listS|delete|blobs/);
  });

  it.each<[string, (inner: SessionStore) => Partial<SessionStore>, string]>([
    [
      'adds a repeated batch again',
      (inner) => ({ append: (key, entries) => inner.append(key, entries) }),
      'append: a repeated batch adds nothing, even without uuids',
    ],
    [
      'drops unknown fields',
      (inner) => ({
        append: (key, entries, batch) =>
          inner.append(
            key,
            entries.map(({ type, uuid, message, n, note, text }) => ({ type, uuid, message, n, note, text })),
            batch,
          ),
      }),
      'append: entries are returned byte for byte, with all fields in their order',
    ],
    [
      'sorts fields, as jsonb does',
      (inner) => ({
        append: (key, entries, batch) =>
          inner.append(
            key,
            entries.map((entry) => Object.fromEntries(Object.entries(entry).sort())),
            batch,
          ),
      }),
      'append: entries are returned byte for byte, with all fields in their order',
    ],
    [
      'ignores the subpath',
      (inner) => ({
        append: ({ projectKey, sessionId }, entries, batch) => inner.append({ projectKey, sessionId }, entries, batch),
      }),
      'append: conversations, projects and subagents are separate',
    ],
    [
      'returns an empty list instead of null',
      (inner) => ({ load: async (key) => (await inner.load(key)) ?? [] }),
      'load: a transcript that was never written is null',
    ],
    [
      'writes entry by entry, so that calls interleave',
      (inner) => ({
        async append(key, entries, batch) {
          for (const entry of entries) {
            await new Promise(setImmediate);
            await inner.append(key, [entry], batch && { id: `${batch.id}-${entry.uuid}` });
          }
        },
      }),
      'append: calls that are not awaited lose nothing, and each stays whole',
    ],
    [
      'deletes only the conversation itself',
      (inner) => ({
        delete: async (key) => {
          await inner.delete?.({ ...key, subpath: key.subpath ?? '' });
        },
      }),
      'delete: removes the whole conversation and nothing else',
    ],
  ])('[G-6] rejects a store that %s', async (_, change, rule) => {
    expect(await broken(rulesFor(change))).toContain(rule);
  });

  it('[G-6] rejects a store that hangs', async () => {
    const open = () => ({ store: Object.assign(faultyStore(memoryStore()), { fault: { fault: 'hang' } as const }) });
    const [first] = storeContract({ open, timeoutMs: 20 });
    await expect(first?.run()).rejects.toThrow('did not settle within 20 ms');
  });
});
