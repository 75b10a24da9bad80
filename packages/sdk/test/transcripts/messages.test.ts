import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SessionNotFoundError, SubagentNotFoundError } from '../../src/errors/index.ts';
import { textOf } from '../../src/index.ts';
import { getSession, getSessionEntries, getSessionMessages } from '../../src/transcripts/index.ts';
import {
  assistant,
  boundary,
  Disk,
  type Line,
  lastPrompt,
  sessionId,
  summary,
  toolResult,
  toolUse,
  user,
  uuid,
} from './disk.ts';

const ID = sessionId(1);

describe('the messages of a session', () => {
  it('[D-1, M-1] have the format of the wire', async () => {
    using disk = new Disk();
    const error = assistant(4, 3, 'API Error', { isApiErrorMessage: true, error: 'unknown', requestId: 'req_1' });
    const path = disk.write(ID, [user(1, null, 'w1'), toolUse(2, 1, 'a'), toolResult(3, 2), error]);
    const messages = await getSessionMessages(ID, { configDir: disk.configDir });
    expect(messages).toMatchObject([
      {
        ...{ type: 'user', uuid: uuid(1), session_id: ID, parent_tool_use_id: null },
        ...{ timestamp: '2026-01-01T00:00:01.000Z', message: { role: 'user', content: 'w1' } },
      },
      { type: 'assistant', message: { id: 'a', content: [{ type: 'tool_use', name: 'Bash' }] } },
      { type: 'user', tool_use_result: { stdout: 'w3' }, message: { content: [{ type: 'tool_result' }] } },
      { type: 'assistant', error: 'unknown', is_api_error_message: true, request_id: 'req_1' },
    ]);
    expect(messages.map(({ uuid: id }) => id)).toEqual([1, 2, 3, 4].map(uuid));
    expect(path).toContain(ID);
  });

  it('[D-1] are returned in pages', async () => {
    using disk = new Disk();
    disk.write(
      ID,
      Array.from({ length: 10 }, (_, n) => user(n + 1, n || null, `w${n + 1}`)),
    );
    expect(await words(disk, { limit: 3 })).toEqual(['w1', 'w2', 'w3']);
    expect(await words(disk, { limit: 3, offset: 8 })).toEqual(['w9', 'w10']);
    expect(await words(disk, { offset: 10 })).toEqual([]);
  });

  it('[D-1] are read in steps that do not block the event loop', async () => {
    using disk = new Disk();
    const lines = Array.from({ length: 20 }, (_, n) => user(n + 1, n || null, `w${n + 1}`));
    disk.write(ID, lines);
    let time = 0;
    // Simulate slow steps.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += 20));
    const others = vi.spyOn(globalThis, 'setImmediate');
    onTestFinished(() => {
      clock.mockRestore();
      others.mockRestore();
    });
    expect(await words(disk)).toHaveLength(lines.length);
    expect(others.mock.calls.length).toBeGreaterThanOrEqual(lines.length);
  });

  it('[D-1] exclude attachments, other branches and, by default, subagents', async () => {
    using disk = new Disk();
    const aside = { isSidechain: true };
    disk.write(ID, [
      ...[user(1, null, 'w1'), { ...note(2, 1), type: 'attachment' }, user(3, 2, 'abandoned'), user(4, 2, 'w4')],
      ...[user(5, null, 'task', aside), assistant(6, 5, 'done', aside), assistant(7, 4, 'w7')],
    ]);
    expect(await words(disk)).toEqual(['w1', 'w4', 'w7']);
    expect(await words(disk, { sidechains: true })).toEqual(['w1', 'w4', 'task', 'done', 'w7']);
  });

  it('[D-1] exclude context that the CLI adds for the model, also from the page size', async () => {
    using disk = new Disk();
    const meta = { isMeta: true };
    const origin = { kind: 'task-notification' };
    disk.write(ID, [
      ...[user(1, null, 'caveat', meta), user(2, 1, 'w2'), user(3, 2, 'hook feedback', meta)],
      ...[assistant(4, 3, 'aside', meta), assistant(5, 4, 'w5'), user(6, 5, 'w6', { origin })],
    ]);
    expect(await words(disk)).toEqual(['w2', 'w5', 'w6']);
    expect(await words(disk, { offset: 1, limit: 1 })).toEqual(['w5']);
    const last = await getSessionMessages(ID, { configDir: disk.configDir, offset: 2 });
    expect(last).toMatchObject([{ type: 'user', origin }]);
  });

  it('[D-1] can be read as the original lines, including the notes of the CLI', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    const system = { ...note(2, 1), type: 'system', subtype: 'local_command' };
    const lines = [user(1, null, 'caveat', { isMeta: true }), system, user(3, 2, 'w3', { promptId: 'p' })];
    disk.write(ID, [...lines, { type: 'ai-title', aiTitle: 'A' }]);
    const written = lines.map((line) => ({ ...Object(line), sessionId: ID }));
    expect(await getSessionEntries(ID, { configDir })).toEqual(written);
    expect(await getSessionEntries(ID, { configDir, offset: 1, limit: 1 })).toEqual([written[1]]);
    await expect(getSessionEntries(sessionId(7), { configDir })).rejects.toBeInstanceOf(SessionNotFoundError);
  });

  it('[D-1] are those the CLI resumes with after a compaction, or all of them', async () => {
    using disk = new Disk();
    const kept = { anchorUuid: uuid(4), uuids: [uuid(2)] };
    const metadata = { preservedMessages: kept, postTokens: 3, cumulativeDroppedTokens: 1 };
    disk.write(ID, [
      ...[user(1, null, 'w1'), assistant(2, 1, 'w2'), boundary(3, 2, metadata), summary(4, 3)],
      ...[user(5, 4, 'caveat', { isMeta: true }), user(6, 5, 'w6'), lastPrompt(6)],
    ]);
    const messages = await getSessionMessages(ID, { configDir: disk.configDir });
    expect(messages).toMatchObject([
      {
        ...{ type: 'system', subtype: 'compact_boundary', uuid: uuid(3), session_id: ID },
        compact_metadata: { trigger: 'manual', pre_tokens: 15, post_tokens: 3, cumulative_dropped_tokens: 1 },
      },
      { type: 'user', isSynthetic: true, uuid: uuid(4) },
      { type: 'assistant', uuid: uuid(2) },
      { type: 'user', uuid: uuid(6) },
    ]);
    expect(messages.at(-1)).not.toHaveProperty('isSynthetic');
    const all = await getSessionMessages(ID, { configDir: disk.configDir, beforeCompaction: true });
    expect(all.map(({ uuid: id }) => Number(id.slice(-2)))).toEqual([1, 3, 4, 2, 6]);
  });

  it('[D-1] of a subagent can be read by its id', async () => {
    using disk = new Disk();
    disk.write(ID, [user(1, null, 'w1'), toolUse(2, 1, 'a')]);
    const folder = join(disk.projectFolder(), ID, 'subagents');
    mkdirSync(folder, { recursive: true });
    const aside = { isSidechain: true, agentId: 'a1b2' };
    const lines = [user(11, null, 'task', aside), assistant(12, 11, 'done', aside)];
    writeFileSync(join(folder, 'agent-a1b2.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    writeFileSync(
      join(folder, 'agent-a1b2.meta.json'),
      '{"agentType":"Explore","description":"look","toolUseId":"toolu_2"}',
    );
    writeFileSync(join(folder, 'agent-c3.jsonl'), 'broken');
    expect((await getSession(ID, { configDir: disk.configDir })).subagents).toEqual([
      { id: 'a1b2', type: 'Explore', description: 'look', toolUseId: 'toolu_2' },
      { id: 'c3' },
    ]);
    const messages = await getSessionMessages(ID, { configDir: disk.configDir, agentId: 'a1b2' });
    expect(messages.map(textOf)).toEqual(['task', 'done']);
    expect(messages).toMatchObject([{ parent_tool_use_id: 'toolu_2' }, { parent_tool_use_id: 'toolu_2' }]);
    expect(await getSessionMessages(ID, { configDir: disk.configDir, agentId: 'c3' })).toEqual([]);
  });

  it('[D-1] of a missing session or subagent cause a typed error', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    disk.write(ID, [user(1, null, 'w1')]);
    disk.write(sessionId(2), ['garbage']);
    await expect(getSessionMessages(sessionId(7), { configDir })).rejects.toBeInstanceOf(SessionNotFoundError);
    await expect(getSessionMessages(sessionId(2), { configDir })).rejects.toBeInstanceOf(SessionNotFoundError);
    await expect(getSessionMessages(ID, { configDir, cwd: '/other' })).rejects.toMatchObject({
      code: 'session-not-found',
      searched: [],
    });
    const missing = getSessionMessages(ID, { configDir, agentId: 'nobody' });
    await expect(missing).rejects.toBeInstanceOf(SubagentNotFoundError);
    await expect(missing).rejects.toMatchObject({ sessionId: ID, agentId: 'nobody' });
  });

  it.each(['../../etc/passwd', '..', 'x', `${ID}/../${ID}`])('[D-1] of the invalid id %j are rejected', async (id) => {
    await expect(getSessionMessages(id)).rejects.toMatchObject({ code: 'options', problems: [{ path: 'sessionId' }] });
    await expect(getSessionMessages(ID, { agentId: `../${id}` })).rejects.toMatchObject({
      problems: [{ path: 'options.agentId' }],
    });
  });

  it('[D-1] are not read through links', async () => {
    using disk = new Disk();
    using elsewhere = new Disk();
    const { configDir } = disk;
    const outside = elsewhere.write(sessionId(9), [user(1, null, 'secret')]);
    disk.write(ID, [user(1, null, 'w1')]);
    symlinkSync(outside, disk.path(sessionId(9)));
    await expect(getSessionMessages(sessionId(9), { configDir })).rejects.toBeInstanceOf(SessionNotFoundError);
    const subagents = join(elsewhere.root, 'subagents');
    mkdirSync(subagents);
    writeFileSync(join(subagents, 'agent-x.jsonl'), JSON.stringify(user(1, null, 'secret')));
    mkdirSync(join(disk.projectFolder(), ID));
    symlinkSync(subagents, join(disk.projectFolder(), ID, 'subagents'));
    await expect(getSessionMessages(ID, { configDir, agentId: 'x' })).rejects.toBeInstanceOf(SubagentNotFoundError);
    expect((await getSession(ID, { configDir })).subagents).toEqual([]);
  });

  it('[D-1] are found among any other content', async () => {
    using disk = new Disk();
    const junk = fc.array(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.constantFrom(
          '{"uuid":1}',
          '{"type":"user","uuid":"x"}',
          '{"uuid":"y","parentUuid":null,"type":"user"}',
          '\0',
        ),
      ),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(junk, junk, fc.constantFrom('', '\n'), async (before, after, end) => {
        disk.write(ID, [...before, user(1, null, 'w1'), assistant(2, 1, 'w2'), ...after], { end });
        expect(await words(disk)).toEqual(['w1', 'w2']);
      }),
      { numRuns: 200 },
    );
  });
});

async function words(disk: Disk, options: object = {}): Promise<string[]> {
  return (await getSessionMessages(ID, { configDir: disk.configDir, ...options })).map(textOf);
}

function note(n: number, parent: number): Exclude<Line, string> {
  return { parentUuid: uuid(parent), isSidechain: false, uuid: uuid(n), attachment: { type: 'date' } };
}
