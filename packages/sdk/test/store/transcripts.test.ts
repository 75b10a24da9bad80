import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/store/memory-store.ts';
import {
  deleteSession,
  exportSession,
  forkSession,
  getSession,
  getSessionMessages,
  importSession,
  listSessions,
  renameSession,
} from '../../src/transcripts/index.ts';
import { assistant, Disk, sessionId, user, uuid } from '../transcripts/disk.ts';

const ID = sessionId(1);
const TALK = [user(1, null, 'w1'), assistant(2, 1, 'w2'), user(3, 2, 'w3'), assistant(4, 3, 'w4')];

/** A conversation with a subagent and a tool result, on disk and in a store. */
async function stored() {
  const disk = new Disk();
  const { configDir } = disk;
  const path = disk.write(ID, TALK);
  const folder = join(disk.projectFolder(), ID);
  mkdirSync(join(folder, 'subagents'), { recursive: true });
  mkdirSync(join(folder, 'tool-results'), { recursive: true });
  writeFileSync(join(folder, 'subagents', 'agent-a1.jsonl'), `${JSON.stringify(user(9, null, 'look'))}\n`);
  writeFileSync(join(folder, 'subagents', 'agent-a1.meta.json'), '{"agentType":"scout","description":"look"}');
  writeFileSync(join(folder, 'tool-results', 'r.txt'), 'large');
  const store = memoryStore();
  await importSession(ID, { store, configDir });
  return { disk, configDir, path, store, place: { store } };
}

describe('sessions in a store', () => {
  it('[G-6] have the same list, details, messages and subagents as on disk', async () => {
    using disk = (await stored()).disk;
    const { store } = await stored();
    const { configDir } = disk;
    const place = { store };
    const onDisk = await getSession(ID, { configDir });
    const { path, sizeBytes, updatedAt, createdAt, ...described } = onDisk;
    expect(await getSession(ID, place)).toMatchObject({ ...described, createdAt });
    expect((await getSession(ID, place)).path).toBe('');
    const listed = await listSessions(place);
    expect(listed.map(({ id, title }) => `${id} ${title}`)).toEqual([`${ID} w1`]);
    expect(listed[0]?.path).toBe('');
    expect(await getSessionMessages(ID, place)).toEqual(await getSessionMessages(ID, { configDir }));
    expect(await getSessionMessages(ID, { ...place, limit: 1, offset: 1 })).toHaveLength(1);
    expect(await getSessionMessages(ID, { ...place, agentId: 'a1' })).toHaveLength(1);
    expect(path).toContain(configDir);
    expect(sizeBytes + updatedAt).toBeGreaterThan(0);
  });

  it('[G-6] can be renamed, forked and deleted', async () => {
    using disk = (await stored()).disk;
    const { store, place } = await stored();
    await renameSession(ID, 'A name', place);
    expect((await getSession(ID, place)).customTitle).toBe('A name');
    const fork = await forkSession(ID, { ...place, upTo: uuid(2) });
    expect(fork).toMatchObject({ customTitle: 'A name (fork)', forkedFrom: ID });
    expect(await getSessionMessages(fork.id, place)).toHaveLength(2);
    expect(await listSessions({ ...place, limit: 1 })).toHaveLength(1);
    await deleteSession(ID, place);
    expect(await listSessions(place)).toMatchObject([{ id: fork.id }]);
    expect(await store.blobs.list({ projectKey: 'default', sessionId: ID })).toEqual([]);
    for (const missing of [getSession(ID, place), getSessionMessages(ID, place), deleteSession(ID, place)]) {
      await expect(missing).rejects.toMatchObject({ code: 'session-not-found' });
    }
    expect(disk.root).toBeTruthy();
  });

  it('[G-6] are not duplicated by repeated imports, and are exported byte for byte', async () => {
    const { disk, configDir, path, store } = await stored();
    using _ = disk;
    await importSession(ID, { store, configDir });
    using other = new Disk();
    await exportSession(ID, { store, configDir: other.configDir, cwd: other.cwd });
    expect(readFileSync(other.path(ID), 'utf8')).toBe(readFileSync(path, 'utf8'));
    const folder = join(other.projectFolder(), ID);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
      'subagents',
      'subagents/agent-a1.jsonl',
      'subagents/agent-a1.meta.json',
      'tool-results',
      'tool-results/r.txt',
    ]);
    expect(readFileSync(join(folder, 'tool-results', 'r.txt'), 'utf8')).toBe('large');
    const again = exportSession(ID, { store, configDir: other.configDir, cwd: other.cwd });
    await expect(again).rejects.toMatchObject({ code: 'session-file' });
  });

  it.each(['', '\n\n', '\0\0'])('[G-6] are not found if their file has no entries: %j', async (text) => {
    using disk = new Disk();
    disk.write(ID, TALK);
    writeFileSync(disk.path(ID), text);
    const imported = importSession(ID, { store: memoryStore(), configDir: disk.configDir });
    await expect(imported).rejects.toMatchObject({ code: 'session-not-found' });
  });

  it('[G-3] are not imported partially: an entry that JSON cannot represent fails every attempt', async () => {
    const store = memoryStore();
    const key = { projectKey: 'p', sessionId: ID };
    const entries = [
      { type: 'user', uuid: uuid(1) },
      { type: 'user', uuid: uuid(2), big: 1n },
    ];
    for (const _ of ['first', 'again']) await expect(store.append(key, entries, { id: 'b' })).rejects.toThrow('BigInt');
    expect(await store.load(key)).toEqual([]);
  });

  it('[G-6] are separated by project', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    disk.write(ID, TALK);
    const store = memoryStore();
    await importSession(ID, { store, project: 'tenant-a', configDir });
    expect(await listSessions({ store, project: 'tenant-a' })).toHaveLength(1);
    expect(await listSessions({ store })).toEqual([]);
    await expect(getSession(ID, { store, project: 'tenant-b' })).rejects.toThrow(
      'the project tenant-b of the session store',
    );
  });

  it('[G-6] require the store methods in use and refuse locations on disk', async () => {
    const { append, load } = memoryStore();
    const store = { append, load };
    await expect(listSessions({ store })).rejects.toMatchObject({ code: 'store-unable', method: 'listSessions' });
    await expect(deleteSession(ID, { store })).rejects.toMatchObject({ code: 'store-unable', method: 'delete' });
    await expect(listSessions({ store, cwd: '/x' })).rejects.toThrow('cwd: cannot be combined with store');
    await expect(listSessions({ project: 'x' })).rejects.toThrow('project: needs store');
  });

  it('[G-6] leave no private copies', async () => {
    const { disk, place } = await stored();
    using _ = disk;
    const ours = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith(`coxswain-${process.pid}-`));
    const before = ours();
    await listSessions(place);
    await getSessionMessages(ID, place);
    expect(ours()).toEqual(before);
  });
});
