import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MessageNotFoundError, SessionFileError, SessionNotFoundError } from '../../src/errors/index.ts';
import { textOf } from '../../src/index.ts';
import {
  deleteSession,
  forkSession,
  getSession,
  getSessionMessages,
  listSessions,
  renameSession,
} from '../../src/transcripts/index.ts';
import { assistant, boundary, Disk, lastPrompt, sessionId, summary, toolResult, toolUse, user, uuid } from './disk.ts';

const ID = sessionId(1);
const TALK = [user(1, null, 'w1'), assistant(2, 1, 'w2'), user(3, 2, 'w3'), assistant(4, 3, 'w4')];

describe('renaming a session', () => {
  it('[D-1] appends the same line as the CLI, and nothing else', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    const path = disk.write(ID, TALK);
    const before = readFileSync(path, 'utf8');
    await renameSession(ID, ' A new\n name ', { configDir });
    expect(readFileSync(path, 'utf8')).toBe(
      `${before}{"type":"custom-title","customTitle":"A new name","sessionId":"${ID}"}\n`,
    );
    expect(await getSession(ID, { configDir })).toMatchObject({ title: 'A new name', customTitle: 'A new name' });
    expect(readdirSync(disk.projectFolder())).toEqual([`${ID}.jsonl`]);
  });

  it('[D-1] starts a new line after an incomplete last line', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    const path = disk.write(ID, [...TALK, '{"type":"cut'], { end: '' });
    await renameSession(ID, 'name', { configDir });
    expect(readFileSync(path, 'utf8')).toContain('\n{"type":"cut\n{"type":"custom-title"');
    expect((await getSession(ID, { configDir })).title).toBe('name');
  });

  it('[D-1] updates the name of the agent and the title file of 2.1.325', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    const path = disk.write(ID, [...TALK, { type: 'agent-name', agentName: 'old' }]);
    const beside = join(disk.projectFolder(), ID, 'custom-title.json');
    mkdirSync(join(disk.projectFolder(), ID));
    writeFileSync(beside, '{"customTitle":"old"}', { mode: 0o644 });
    await renameSession(ID, 'new', { configDir });
    expect(
      readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .slice(-2)
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { type: 'custom-title', customTitle: 'new', sessionId: ID },
      { type: 'agent-name', agentName: 'new', sessionId: ID },
    ]);
    expect(readFileSync(beside, 'utf8')).toBe('{"customTitle":"new"}');
    expect(statSync(beside).mode & 0o777).toBe(0o600);
  });

  it('[D-1] rejects an invalid title and a missing session', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    disk.write(ID, TALK);
    for (const title of ['', '  ', 'x'.repeat(1_001), 'a\0b']) {
      await expect(renameSession(ID, title, { configDir })).rejects.toMatchObject({ problems: [{ path: 'title' }] });
    }
    await expect(renameSession(sessionId(2), 'x', { configDir })).rejects.toBeInstanceOf(SessionNotFoundError);
    using elsewhere = new Disk();
    const outside = elsewhere.write(sessionId(2), TALK);
    symlinkSync(outside, disk.path(sessionId(2)));
    await expect(renameSession(sessionId(2), 'x', { configDir })).rejects.toBeInstanceOf(SessionNotFoundError);
    expect(readFileSync(outside, 'utf8')).not.toContain('custom-title');
  });
});

describe('forking a session', () => {
  it('[D-1] copies the conversation under a new id, accessible only to this user, without changing the original', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    const path = disk.write(ID, [
      ...TALK,
      { type: 'api-request', secret: 'x' },
      user(9, 2, 'abandoned'),
      lastPrompt(4),
    ]);
    const before = readFileSync(path, 'utf8');
    const fork = await forkSession(ID, { configDir });
    expect(fork).toMatchObject({ title: 'w1', forkedFrom: ID, subagents: [] });
    expect(fork.id).toMatch(/^[\da-f-]{36}$/);
    expect(fork.createdAt).toBeGreaterThan(Date.now() - 60_000);
    expect(fork).not.toHaveProperty('customTitle');
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(statSync(fork.path).mode & 0o777).toBe(0o600);
    expect(readdirSync(disk.projectFolder()).sort()).toEqual([`${ID}.jsonl`, `${fork.id}.jsonl`].sort());

    const lines = readFileSync(fork.path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ uuid: id, parentUuid }) => [id, parentUuid])).toEqual([
      ...[
        [uuid(1), null],
        [uuid(2), uuid(1)],
      ],
      ...[
        [uuid(3), uuid(2)],
        [uuid(4), uuid(3)],
      ],
    ]);
    expect(new Set(lines.map(({ sessionId: id }) => id))).toEqual(new Set([fork.id]));
    expect(lines[3].forkedFrom).toEqual({ sessionId: ID, messageUuid: uuid(4) });
    expect((await getSessionMessages(fork.id, { configDir })).map(textOf)).toEqual(['w1', 'w2', 'w3', 'w4']);
    expect(await listSessions({ configDir })).toHaveLength(2);
  });

  it('[D-1] gives the messages of the copy new uuids if asked to, and their order stays', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    disk.write(ID, TALK);
    const { id, path } = await forkSession(ID, { configDir, newUuids: true });
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line));
    const old = [1, 2, 3, 4].map((number) => uuid(number));
    expect(entries.filter((entry) => old.includes(entry.uuid) || old.includes(entry.parentUuid))).toEqual([]);
    expect(entries.map(({ forkedFrom }) => forkedFrom.messageUuid)).toEqual(old);
    expect((await getSessionMessages(id, { configDir })).map(textOf)).toEqual(['w1', 'w2', 'w3', 'w4']);
  });

  it('[D-1] copies up to a message', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    disk.write(ID, TALK);
    const { id } = await forkSession(ID, { configDir, upTo: uuid(2) });
    expect((await getSessionMessages(id, { configDir })).map(textOf)).toEqual(['w1', 'w2']);
    const unknown = forkSession(ID, { configDir, upTo: uuid(99) });
    await expect(unknown).rejects.toBeInstanceOf(MessageNotFoundError);
    await expect(unknown).rejects.toMatchObject({ sessionId: ID, messageId: uuid(99) });
    expect(await listSessions({ configDir })).toHaveLength(2);
  });

  it('[D-1] gives the copy a different title', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    disk.write(ID, [...TALK, { type: 'custom-title', customTitle: 'named' }]);
    expect(await forkSession(ID, { configDir })).toMatchObject({ title: 'named (fork)' });
    expect(await forkSession(ID, { configDir, title: 'other' })).toMatchObject({ title: 'other' });
  });

  it('[D-1] resolves to the same conversation after a compaction, and with parallel tool calls', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    const metadata = { preservedMessages: { anchorUuid: uuid(8), uuids: [uuid(6)] } };
    const lines = [
      ...[user(1, null, 'w1'), toolUse(2, 1, 'a'), toolUse(3, 2, 'a'), toolResult(4, 2), toolResult(5, 3)],
      ...[assistant(6, 5, 'w6'), boundary(7, 6, metadata), summary(8, 7), user(9, 6, 'w9')],
      // 2.1.197 repeats some lines.
      ...[assistant(6, 5, 'w6'), assistant(10, 9, 'w10')],
    ];
    disk.write(ID, lines);
    const { id } = await forkSession(ID, { configDir });
    for (const beforeCompaction of [false, true]) {
      const [original, copy] = await Promise.all(
        [ID, id].map(async (session) => {
          const messages = await getSessionMessages(session, { configDir, beforeCompaction });
          return messages.map(({ uuid: message }) => Number(message.slice(-2)));
        }),
      );
      expect(copy).toEqual(original);
      expect(original).toEqual([...(beforeCompaction ? [1, 2, 3, 4, 5] : []), 7, 8, 6, 9, 10]);
    }
  });

  it('[D-1] of a missing session or message fails with a typed error and leaves no file', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    disk.write(ID, ['garbage']);
    await expect(forkSession(sessionId(2), { configDir })).rejects.toBeInstanceOf(SessionNotFoundError);
    await expect(forkSession(ID, { configDir })).rejects.toBeInstanceOf(SessionNotFoundError);
    expect(readdirSync(disk.projectFolder())).toEqual([`${ID}.jsonl`]);
  });
});

describe('deleting a session', () => {
  it('[D-1] deletes everything the CLI keeps for the session, and nothing of other sessions', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    const other = sessionId(2);
    for (const id of [ID, other]) {
      disk.write(id, TALK);
      for (const path of filesOf(disk, id)) {
        mkdirSync(join(path, '..'), { recursive: true });
        writeFileSync(path, 'x');
      }
    }
    await deleteSession(ID, { configDir });
    expect([disk.path(ID), ...filesOf(disk, ID)].filter((path) => existsSync(path))).toEqual([]);
    expect(existsSync(join(disk.projectFolder(), ID))).toBe(false);
    expect([disk.path(other), ...filesOf(disk, other)].filter((path) => !existsSync(path))).toEqual([]);
    expect(await listSessions({ configDir })).toMatchObject([{ id: other }]);
    await expect(deleteSession(ID, { configDir })).rejects.toBeInstanceOf(SessionNotFoundError);
  });

  it('[D-1] deletes links, never their targets', async () => {
    using disk = new Disk();
    using elsewhere = new Disk();
    const { configDir } = disk;
    disk.write(ID, TALK);
    writeFileSync(join(elsewhere.root, 'precious'), 'x');
    symlinkSync(elsewhere.root, join(disk.projectFolder(), ID));
    mkdirSync(join(configDir, 'tasks'));
    symlinkSync(elsewhere.root, join(configDir, 'tasks', ID));
    await deleteSession(ID, { configDir });
    expect(existsSync(join(elsewhere.root, 'precious'))).toBe(true);
    expect(() => lstatSync(join(configDir, 'tasks', ID))).toThrow('ENOENT');

    const outside = elsewhere.write(ID, TALK);
    symlinkSync(elsewhere.projectFolder(), join(configDir, 'projects', 'linked'));
    await expect(deleteSession(ID, { configDir })).rejects.toBeInstanceOf(SessionNotFoundError);
    expect(existsSync(outside)).toBe(true);
  });

  it('[D-1] deletes a file without a conversation', async () => {
    using disk = new Disk();
    const path = disk.write(ID, ['garbage']);
    await deleteSession(ID, { configDir: disk.configDir });
    expect(existsSync(path)).toBe(false);
  });
});

describe('a file system error in a transcript function', () => {
  it('[D-1] is reported as a typed error with the path', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    disk.write(ID, TALK);
    // A folder in place of a file: root may write everything else.
    mkdirSync(join(disk.projectFolder(), ID, 'custom-title.json', 'x'), { recursive: true });
    await expect(renameSession(ID, 'fine', { configDir })).resolves.toBeUndefined();
    const { appendSessionLines, writeSessionFile } = await import('../../src/transcripts/session-files.ts');
    const folder = join(disk.projectFolder(), ID);
    await expect(appendSessionLines(folder, ['x'])).rejects.toBeInstanceOf(SessionFileError);
    await expect(writeSessionFile(folder, 'x')).rejects.toMatchObject({ code: 'session-file', path: folder });
    expect(readdirSync(disk.projectFolder()).sort()).toEqual([ID, `${ID}.jsonl`].sort());
  });
});

/** The CLI's files of a session besides its transcript. */
function filesOf(disk: Disk, id: string): string[] {
  const { configDir } = disk;
  const folder = join(disk.projectFolder(), id);
  return [
    ...[join(folder, 'subagents', 'agent-1.jsonl'), join(folder, 'tool-results', 'x.txt')],
    ...[join(configDir, 'file-history', id, 'x@v1'), join(configDir, 'session-env', id, 'x')],
    ...[join(configDir, 'tasks', id, '1.json'), join(configDir, 'debug', `${id}.txt`)],
    ...[join(configDir, 'todos', `${id}.json`), join(configDir, 'todos', `${id}-agent-${id}.json`)],
  ];
}
