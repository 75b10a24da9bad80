import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStore, memoryStore, type SessionKey, type SessionStore } from 'coxswain/store';
import { afterAll, describe, expect, it } from 'vitest';
import { storeContract } from '../../src/index.ts';

const root = mkdtempSync(join(tmpdir(), 'cox-store-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const folders = new Map<SessionStore, string>();
const openFolder = (folder: string): { store: SessionStore } => {
  const store = fileStore(folder);
  folders.set(store, folder);
  return { store };
};
const transcriptOf = (store: SessionStore, { projectKey, sessionId }: SessionKey): string =>
  join(folders.get(store) ?? '', projectKey, `${sessionId}.jsonl`);

describe('the in-memory store', () => {
  const bench = { open: () => ({ store: memoryStore() }), reopen: (store: SessionStore) => ({ store }) };
  for (const { name, rule, run } of storeContract(bench)) it(`[${rule}] ${name}`, run);
});

describe('the store in a folder', () => {
  const bench = {
    open: () => openFolder(mkdtempSync(join(root, 's-'))),
    reopen: (store: SessionStore) => openFolder(folders.get(store) ?? ''),
    tear: (store: SessionStore, key: SessionKey) =>
      appendFileSync(
        transcriptOf(store, key),
        '{"batch":"torn","entries":[{"type":"user","uuid":"torn-1"},{"type":"us',
      ),
  };
  for (const { name, rule, run } of storeContract(bench)) it(`[${rule}] ${name}`, run);

  it('[G-6] makes all files readable only by this user', async () => {
    const { store } = openFolder(join(root, 'modes'));
    const key = { projectKey: 'p', sessionId: crypto.randomUUID() };
    await store.append({ ...key, subpath: 'subagents/agent-a' }, [{ type: 'user', uuid: 'a' }], { id: '1' });
    await store.append(key, [{ type: 'user', uuid: 'a' }], { id: '1' });
    await store.blobs?.put(key, 'tool-results/a.txt', Uint8Array.of(1));
    const found = readdirSync(join(root, 'modes'), { recursive: true, withFileTypes: true });
    expect(found.length).toBeGreaterThan(5);
    for (const entry of found) {
      const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
      expect(`${entry.name} ${mode.toString(8)}`).toBe(`${entry.name} ${entry.isDirectory() ? '700' : '600'}`);
    }
  });

  it('[G-6] keeps a complete batch if another writer dies while writing', async () => {
    const { store } = openFolder(join(root, 'torn'));
    const key = { projectKey: 'p', sessionId: crypto.randomUUID() };
    await store.append(key, [{ type: 'user', uuid: 'a' }], { id: '1' });
    const path = transcriptOf(store, key);
    const { size } = statSync(path);
    await store.append(key, [{ type: 'user', uuid: 'b' }], { id: '2' });
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, `${text.slice(0, size)}{"batch":"torn","ent${text.slice(size)}`);
    expect(await store.load(key)).toEqual([
      { type: 'user', uuid: 'a' },
      { type: 'user', uuid: 'b' },
    ]);
  });

  it('[G-6] lists only its own files', async () => {
    const { store } = openFolder(join(root, 'strays'));
    const key = { projectKey: 'p', sessionId: crypto.randomUUID() };
    await store.append(key, [{ type: 'user', uuid: 'a' }], { id: '1' });
    writeFileSync(join(root, 'strays/p/100%.jsonl'), '');
    expect(await store.listSessions?.('p')).toEqual([{ sessionId: key.sessionId, mtime: expect.any(Number) }]);
  });

  it('[G-6] never leaves its folder, whatever the keys are', async () => {
    const { store } = openFolder(join(root, 'inside', 'here'));
    const names = ['..', '../..', '/etc', 'a/../../b', '.', '', '~', 'C:\\x'];
    for (const name of names) {
      const key = { projectKey: name, sessionId: name, subpath: name };
      await store.append(key, [{ type: 'user', uuid: 'a' }], { id: '1' });
      await store.blobs?.put(key, name, Uint8Array.of(1));
      expect(await store.load(key)).toEqual([{ type: 'user', uuid: 'a' }]);
    }
    expect(readdirSync(join(root, 'inside'))).toEqual(['here']);
  });
});
