import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OptionsError, SessionNotFoundError } from '../../src/errors/index.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import {
  archiveSession,
  getSession,
  importSession,
  listSessions,
  tagSession,
  unarchiveSession,
} from '../../src/transcripts/index.ts';
import { assistant, Disk, sessionId, user } from './disk.ts';

const ID = sessionId(1);
const TALK = [user(1, null, 'w1'), assistant(2, 1, 'w2')];

describe('tagging a session', () => {
  it('[D-1] appends a line, and the newest tag is listed', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    const path = disk.write(ID, TALK);
    const before = readFileSync(path, 'utf8');
    expect(await getSession(ID, { configDir })).not.toHaveProperty('tag');
    await tagSession(ID, ' ci ', { configDir });
    expect(readFileSync(path, 'utf8')).toBe(`${before}{"type":"tag","tag":"ci","sessionId":"${ID}"}\n`);
    await tagSession(ID, 'release', { configDir });
    expect((await listSessions({ configDir })).map(({ tag }) => tag)).toEqual(['release']);
  });

  it('[D-1] is undone by null', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    disk.write(ID, TALK);
    await tagSession(ID, 'ci', { configDir });
    await tagSession(ID, null, { configDir });
    expect(await getSession(ID, { configDir })).not.toHaveProperty('tag');
  });

  it('[D-1, G-5] also works in a store', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    disk.write(ID, TALK);
    const store = memoryStore();
    await importSession(ID, { configDir, store });
    await tagSession(ID, 'ci', { store });
    expect((await getSession(ID, { store })).tag).toBe('ci');
    await expect(tagSession(sessionId(2), 'ci', { store })).rejects.toBeInstanceOf(SessionNotFoundError);
  });

  it('[D-1] rejects what is not a tag, and a missing session', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    disk.write(ID, TALK);
    for (const tag of ['', '  ', 'x'.repeat(1_001)]) {
      await expect(tagSession(ID, tag, { configDir })).rejects.toBeInstanceOf(OptionsError);
    }
    await expect(tagSession(sessionId(2), 'ci', { configDir })).rejects.toBeInstanceOf(SessionNotFoundError);
  });
});

describe('archiving a session', () => {
  it('[D-1] writes a file beside the transcript, and the session is still listed', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    const path = disk.write(ID, TALK);
    const before = readFileSync(path, 'utf8');
    await archiveSession(ID, { configDir });
    expect((await listSessions({ configDir })).map(({ archived }) => archived)).toEqual([true]);
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(readdirSync(join(disk.projectFolder(), ID))).toEqual(['archived.json']);
    await unarchiveSession(ID, { configDir });
    expect(await getSession(ID, { configDir })).not.toHaveProperty('archived');
  });

  it('[D-1] is refused for a missing session, and in a store', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    await expect(archiveSession(ID, { configDir })).rejects.toBeInstanceOf(SessionNotFoundError);
    const inStore = { store: memoryStore() } as object;
    await expect(archiveSession(ID, inStore)).rejects.toBeInstanceOf(OptionsError);
  });
});
