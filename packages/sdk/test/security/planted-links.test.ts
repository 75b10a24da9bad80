import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileStore } from '../../src/store/file-store.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import {
  exportSession,
  forkSession,
  getSession,
  getSessionMessages,
  importSession,
  listSessions,
  readSessionLines,
  readSessionNote,
  readSessionTail,
  renameSession,
} from '../../src/transcripts/index.ts';
import { assistant, Disk, sessionId, user } from '../transcripts/disk.ts';

const ID = sessionId(1);
const SECRET = '-----BEGIN OPENSSH PRIVATE KEY-----';

/** A conversation with a subagent and a tool result, and beside it an unrelated private folder. */
function planted() {
  const disk = new Disk();
  onTestFinished(() => disk[Symbol.dispose]());
  const path = disk.write(ID, [user(1, null, 'w1'), assistant(2, 1, 'w2')]);
  const folder = join(disk.projectFolder(), ID);
  for (const name of ['subagents', 'tool-results']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'subagents', 'agent-a1.jsonl'), `${JSON.stringify(user(9, null, 'look'))}\n`);
  writeFileSync(join(folder, 'tool-results', 'r.txt'), 'large');
  const ssh = join(disk.root, 'ssh');
  mkdirSync(ssh);
  writeFileSync(join(ssh, 'id_rsa'), SECRET);
  return { disk, configDir: disk.configDir, path, folder, ssh };
}

function fifo(path: string): void {
  rmSync(path, { force: true });
  execFileSync('/usr/bin/env', ['mkfifo', path]);
}

/** Replaces `path` by a link to `target`. */
function link(target: string, path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

async function stored(id: string, store: ReturnType<typeof memoryStore>): Promise<string> {
  const key = { projectKey: 'default', sessionId: id };
  const blobs = await Promise.all((await store.blobs.list(key)).map((name) => store.blobs.get(key, name)));
  const transcripts = await Promise.all([
    store.load(key),
    ...(await store.listSubkeys(key)).map((subpath) => store.load({ ...key, subpath })),
  ]);
  return JSON.stringify([transcripts, blobs.map((data) => Buffer.from(data ?? []).toString())]);
}

describe.skipIf(process.platform === 'win32')('a FIFO among the files of a session', () => {
  it('[D-3] named custom-title.json does not freeze listSessions()', async () => {
    const { configDir, folder } = planted();
    fifo(join(folder, 'custom-title.json'));
    expect(await listSessions({ configDir })).toMatchObject([{ id: ID, title: 'w1' }]);
    await renameSession(ID, 'a name', { configDir });
    expect(await getSession(ID, { configDir })).toMatchObject({ title: 'a name' });
  });

  it('[D-3] in place of the description of a subagent is skipped', async () => {
    const { configDir, folder } = planted();
    fifo(join(folder, 'subagents', 'agent-a1.meta.json'));
    expect(await getSession(ID, { configDir })).toMatchObject({ subagents: [{ id: 'a1' }] });
    expect(await readSessionNote(join(folder, 'subagents', 'agent-a1.meta.json'))).toBe('');
    expect(await getSessionMessages(ID, { configDir, agentId: 'a1' })).toHaveLength(1);
  });

  it('[D-3] in place of the transcript causes an error instead of a wait', async () => {
    const { configDir, path } = planted();
    fifo(path);
    expect(await listSessions({ configDir })).toEqual([]);
    await expect(getSession(ID, { configDir })).rejects.toMatchObject({ code: 'session-not-found' });
    await expect(readSessionLines(path).next()).rejects.toMatchObject({
      code: 'session-file',
      message: expect.stringContaining('not a regular file'),
    });
    expect(await readSessionTail(path)).toBe('');
  });

  it('[G-7] among the tool results is not stored', async () => {
    const { configDir, folder } = planted();
    fifo(join(folder, 'tool-results', 'pipe.txt'));
    const store = memoryStore();
    await importSession(ID, { store, configDir });
    expect(await store.blobs.list({ projectKey: 'default', sessionId: ID })).toEqual(['tool-results/r.txt']);
  });
});

describe('a link below projects/', () => {
  it.each([
    ['in place of the tool results', 'tool-results'],
    ['in place of the folder of the session', ''],
    ['in place of the subagents', 'subagents'],
  ])('[D-3, G-7] is not followed by importSession(): %s', async (_, name) => {
    const { configDir, folder, ssh } = planted();
    writeFileSync(join(ssh, 'agent-x.jsonl'), `${JSON.stringify({ uuid: 'x', secret: SECRET })}\n`);
    mkdirSync(join(ssh, 'tool-results'));
    writeFileSync(join(ssh, 'tool-results', 'id_rsa'), SECRET);
    link(ssh, join(folder, name));
    const store = memoryStore();
    await importSession(ID, { store, configDir });
    expect(await stored(ID, store)).not.toContain(SECRET);
  });

  it.each(['file-history', 'tasks', 'todos'])(
    '[G-7] or a linked folder %s of the configuration is not followed by importSession()',
    async (name) => {
      const { configDir, ssh } = planted();
      writeFileSync(join(ssh, `${ID}.json`), SECRET);
      link(ssh, name === 'todos' ? join(configDir, name) : join(configDir, name, ID));
      const store = memoryStore();
      await importSession(ID, { store, configDir });
      expect(await stored(ID, store)).not.toContain(SECRET);
    },
  );

  it('[D-3, G-7] in place of a file is not read', async () => {
    const { configDir, folder, ssh } = planted();
    link(join(ssh, 'id_rsa'), join(folder, 'tool-results', 'r.txt'));
    link(join(ssh, 'id_rsa'), join(folder, 'subagents', 'agent-a1.meta.json'));
    const store = memoryStore();
    await importSession(ID, { store, configDir });
    expect(await stored(ID, store)).not.toContain(SECRET);
  });

  it('[D-3] in place of a project is neither listed nor read nor written', async () => {
    const { disk, configDir } = planted();
    const real = join(disk.root, 'elsewhere');
    renameSync(disk.projectFolder(), real);
    symlinkSync(real, disk.projectFolder());
    expect(await listSessions({ configDir })).toEqual([]);
    expect(await listSessions({ configDir, cwd: disk.cwd })).toEqual([]);
    await expect(forkSession(ID, { configDir })).rejects.toMatchObject({ code: 'session-not-found' });
    await expect(readSessionLines(disk.path(ID)).next()).rejects.toMatchObject({ code: 'session-file' });
  });

  it('[D-3] is not followed by exportSession(), and its target is not changed', async () => {
    const { configDir } = planted();
    const store = memoryStore();
    await importSession(ID, { store, configDir });
    const { disk, folder, ssh, path } = planted();
    rmSync(path);
    rmSync(join(folder, 'subagents'), { recursive: true });
    writeFileSync(join(ssh, 'r.txt'), 'precious');
    link(ssh, join(folder, 'tool-results'));
    const exported = exportSession(ID, { store, configDir: disk.configDir, cwd: disk.cwd });
    await expect(exported).rejects.toMatchObject({ code: 'session-file' });
    expect(readFileSync(join(ssh, 'r.txt'), 'utf8')).toBe('precious');
    expect(readdirSync(ssh).sort()).toEqual(['id_rsa', 'r.txt']);
  });

  it('[D-3] in place of a file is replaced by exportSession(), not followed', async () => {
    const { configDir } = planted();
    const store = memoryStore();
    await importSession(ID, { store, configDir });
    const { disk, folder, ssh, path } = planted();
    rmSync(path);
    rmSync(join(folder, 'subagents'), { recursive: true });
    link(join(ssh, 'id_rsa'), join(folder, 'tool-results', 'r.txt'));
    await exportSession(ID, { store, configDir: disk.configDir, cwd: disk.cwd });
    expect(readFileSync(join(ssh, 'id_rsa'), 'utf8')).toBe(SECRET);
    expect(readFileSync(join(folder, 'tool-results', 'r.txt'), 'utf8')).toBe('large');
  });

  it('[D-3] in place of the project is refused by exportSession()', async () => {
    const { configDir, disk, ssh } = planted();
    const store = memoryStore();
    await importSession(ID, { store, configDir });
    link(ssh, disk.projectFolder());
    const exported = exportSession(ID, { store, configDir, cwd: disk.cwd });
    await expect(exported).rejects.toMatchObject({ code: 'session-file' });
    expect(readdirSync(ssh)).toEqual(['id_rsa']);
  });

  it('[D-3] is allowed for projects/ itself and for the configuration directory', async () => {
    const { disk, configDir } = planted();
    renameSync(join(configDir, 'projects'), join(disk.root, 'big-disk'));
    symlinkSync(join(disk.root, 'big-disk'), join(configDir, 'projects'));
    symlinkSync(configDir, join(disk.root, 'dotfiles'));
    const place = { configDir: join(disk.root, 'dotfiles') };
    expect(await listSessions(place)).toMatchObject([{ id: ID }]);
    await renameSession(ID, 'a name', place);
    const store = memoryStore();
    await importSession(ID, { store, ...place });
    expect(await stored(ID, store)).toContain('large');
    expect((await forkSession(ID, place)).title).toBe('a name (fork)');
  });
});

describe('a link below the folder of a file store', () => {
  const key = { projectKey: 'p', sessionId: ID };

  it('[G-7] is not followed for reading or writing', async () => {
    const { disk, ssh } = planted();
    const root = join(disk.root, 'store');
    const store = fileStore(root);
    await store.append(key, [{ uuid: 'a' }]);
    await store.blobs.put(key, 'tool-results/x', Buffer.from('x'));
    link(ssh, join(root, 'p'));
    expect(await store.load(key)).toBeNull();
    expect(await store.listSessions('p')).toEqual([]);
    expect(await store.blobs.list(key)).toEqual([]);
    await expect(store.append(key, [{ uuid: 'b' }])).rejects.toThrow('is not a folder, or is a link');
    await expect(store.blobs.put(key, 'a', Buffer.from('x'))).rejects.toThrow('is not a folder, or is a link');
    expect(readdirSync(ssh)).toEqual(['id_rsa']);
  });
});

describe('a file that is too large', () => {
  it('[G-7] beside a transcript is not read, and is reported after the rest is stored', async () => {
    const { configDir, folder } = planted();
    const huge = join(folder, 'tool-results', 'huge.txt');
    writeFileSync(huge, '');
    truncateSync(huge, 700 * 1024 * 1024); // A sparse file.
    const store = memoryStore();
    await expect(importSession(ID, { store, configDir })).rejects.toMatchObject({
      code: 'session-file',
      path: huge,
      message: expect.stringContaining('limits.maxBlobBytes'),
    });
    expect(await store.blobs.list({ projectKey: 'default', sessionId: ID })).toEqual(['tool-results/r.txt']);
  });

  it('[D-3] that describes a subagent is not read', async () => {
    const { configDir, folder } = planted();
    const huge = join(folder, 'subagents', 'agent-a1.meta.json');
    writeFileSync(huge, '{"agentType":"scout"}');
    expect(await getSession(ID, { configDir })).toMatchObject({ subagents: [{ id: 'a1', type: 'scout' }] });
    writeFileSync(huge, `{"agentType":"scout"}${' '.repeat(64 * 1024)}`);
    expect((await getSession(ID, { configDir })).subagents).toEqual([{ id: 'a1' }]);
  });
});
