import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PINNED_VERSION } from 'coxswain/cli';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as sdk from '../src/sdk.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const NONE = '00000000-0000-4000-8000-000000000000';
const FIRST = 'a0000000-0000-4000-8000-000000000001';
const SECOND = 'a0000000-0000-4000-8000-000000000002';

type WriteLine = (uuid: string, parent: string | null, type: string, content: unknown, more?: object) => object;
type Write = (line: WriteLine) => object[];

const text = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** A home with one conversation of two messages and a subagent; `write` adds lines to it. */
function home(write: Write = () => []): { readonly dir: string; readonly file: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'coxswain-test-')));
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(root, 'config'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });
  const dir = join(root, 'project');
  const folder = join(root, 'config/projects', dir.replace(/[^a-zA-Z0-9]/g, '-'));
  for (const path of [dir, join(folder, ID, 'subagents')]) mkdirSync(path, { recursive: true });
  const line: WriteLine = (uuid, parentUuid, type, content, more = {}) => ({
    ...{ parentUuid, isSidechain: false, cwd: dir, sessionId: ID, version: PINNED_VERSION, gitBranch: 'main' },
    ...{ type, message: { role: type, content }, uuid, timestamp: '2026-11-16T20:00:00.000Z', ...more },
  });
  const lines: object[] = [
    line(FIRST, null, 'user', 'The word is papaya.'),
    line(SECOND, FIRST, 'assistant', [{ type: 'text', text: 'Noted.' }]),
    ...write(line),
  ];
  const file = join(folder, `${ID}.jsonl`);
  writeFileSync(file, text(lines));
  const task = [line(FIRST, null, 'user', 'Row.'), line(SECOND, FIRST, 'user', 'Context.', { isMeta: true })];
  writeFileSync(join(folder, ID, 'subagents/agent-rower.jsonl'), text(task));
  writeFileSync(
    join(folder, ID, 'subagents/agent-rower.meta.json'),
    JSON.stringify({ toolUseId: 'toolu_1', parentAgentId: 'cox' }),
  );
  return { dir, file };
}

describe('session functions', () => {
  it('[U-5] list and describe conversations with the official fields', async () => {
    const { dir } = home();
    const [info, ...others] = await sdk.listSessions({ dir, limit: 0 });
    expect(others).toEqual([]);
    expect(info).toEqual({
      sessionId: ID,
      summary: 'The word is papaya.',
      firstPrompt: 'The word is papaya.',
      cwd: dir,
      gitBranch: 'main',
      fileSize: expect.any(Number),
      lastModified: expect.any(Number),
      createdAt: Date.parse('2026-11-16T20:00:00.000Z'),
    });
    expect(await sdk.getSessionInfo(ID)).toEqual(info);
    expect(await sdk.listSessions({ dir, offset: 1 })).toEqual([]);
    expect(await sdk.listSessions({ dir: '/elsewhere' })).toEqual([]);
  });

  it('[U-5] return nothing for a missing session', async () => {
    const { dir } = home();
    expect(await sdk.getSessionInfo(NONE, { dir })).toBeUndefined();
    expect(await sdk.getSessionInfo('boat', { dir })).toBeUndefined();
    expect(await sdk.getSessionMessages(NONE, { dir })).toEqual([]);
    expect(await sdk.listSubagents(NONE, { dir })).toEqual([]);
    expect(await sdk.getSubagentMessages(ID, 'none', { dir })).toEqual([]);
  });

  it('[U-5] read messages, page by page, and those of subagents', async () => {
    const { dir } = home();
    const messages = await sdk.getSessionMessages(ID, { dir });
    expect(messages.map(({ type, uuid, message }) => [type, uuid, message])).toEqual([
      ['user', FIRST, { role: 'user', content: 'The word is papaya.' }],
      ['assistant', SECOND, { role: 'assistant', content: [{ type: 'text', text: 'Noted.' }] }],
    ]);
    expect(messages[0]).toMatchObject({ session_id: ID, parent_tool_use_id: null, parent_agent_id: null });
    expect(await sdk.getSessionMessages(ID, { dir, offset: 1, limit: 1 })).toEqual([messages[1]]);
    expect(await sdk.listSubagents(ID, { dir })).toEqual(['rower']);
    expect(await sdk.getSubagentMessages(ID, 'rower', { dir })).toMatchObject([
      { type: 'user', parent_tool_use_id: 'toolu_1', parent_agent_id: 'cox' },
      { type: 'user', is_meta: true },
    ]);
  });

  it('[U-5] prefer the title of the user over the generated one, and that over prompts', async () => {
    const generated = { type: 'ai-title', aiTitle: 'Fruit', sessionId: ID };
    const { dir } = home(() => [generated, { type: 'last-prompt', lastPrompt: 'The last.', sessionId: ID }]);
    const [info] = await sdk.listSessions({ dir });
    expect(info).toMatchObject({ summary: 'Fruit', customTitle: 'Fruit', firstPrompt: 'The word is papaya.' });
    expect(Object.keys(info ?? {})).toEqual(expect.arrayContaining(['tag', 'archived']));
    const { sessionId: fork } = await sdk.forkSession(ID, { dir });
    expect(await sdk.getSessionInfo(fork, { dir })).toMatchObject({ customTitle: 'Fruit (fork)' });
    await sdk.renameSession(ID, 'Boats', { dir });
    expect(await sdk.getSessionInfo(ID, { dir })).toMatchObject({ summary: 'Boats', customTitle: 'Boats' });
  });

  it('[U-5] exclude context that the CLI adds for the model, and pass on its notes about messages', async () => {
    const id = (n: number): string => `a0000000-0000-4000-8000-00000000001${n}`;
    const result = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'No.', is_error: true }];
    const { dir } = home((line) => [
      line(id(1), SECOND, 'user', '<system-reminder>', { isMeta: true }),
      line(id(2), id(1), 'user', result, { toolDenialKind: 'user-rejected', interruptedByShutdown: true }),
      { ...line(id(3), id(2), 'system', ''), message: undefined, subtype: 'api_error' },
      line(id(4), id(3), 'user', 'Done.', { origin: { kind: 'task-notification' } }),
      { ...line(id(5), id(4), 'system', ''), message: undefined, subtype: 'stop_hook_summary' },
    ]);
    const [, , rejected, notified, ...others] = await sdk.getSessionMessages(ID, { dir });
    expect(others).toEqual([]);
    expect(rejected).toMatchObject({
      interruptedByShutdown: true,
      tool_result_meta: [{ id: 'toolu_1', non_execution_kind: 'user-rejected' }],
    });
    expect(notified).toMatchObject({ origin: { kind: 'task-notification' } });
    const withSystem = await sdk.getSessionMessages(ID, { dir, includeSystemMessages: true });
    expect(withSystem.map(({ type, uuid }) => [type, uuid])).toEqual([
      ...[FIRST, SECOND].map((uuid, index) => [['user', 'assistant'][index], uuid]),
      ...[
        ['user', id(2)],
        ['system', id(3)],
        ['user', id(4)],
      ],
    ]);
    expect(await sdk.getSessionMessages(ID, { dir, offset: 2, limit: 1 })).toEqual([rejected]);
  });

  it('[U-5] rename, tag and archive in the format of other clients', async () => {
    const { dir, file } = home();
    await sdk.renameSession(ID, '  My boat  ', { dir });
    await sdk.tagSession(ID, 'fruit', { dir });
    await sdk.archiveSession(ID, { dir });
    expect(await sdk.getSessionInfo(ID, { dir })).toMatchObject({
      customTitle: 'My boat',
      summary: 'My boat',
      tag: 'fruit',
      archived: true,
    });
    expect(readFileSync(file, 'utf8').split('\n').at(-2)).toBe(
      JSON.stringify({ type: 'tag', tag: 'fruit', sessionId: ID }),
    );
    expect(JSON.parse(readFileSync(file.replace('.jsonl', '/archived.json'), 'utf8'))).toMatchObject({
      archived: true,
    });
    await sdk.tagSession(ID, null, { dir });
    await sdk.unarchiveSession(ID, { dir });
    const info = await sdk.getSessionInfo(ID, { dir });
    expect([info?.tag, info?.archived]).toEqual([undefined, undefined]);
  });

  it('[U-5] fork completely or up to a message', async () => {
    const { dir } = home();
    const whole = await sdk.forkSession(ID, { dir });
    expect(await sdk.getSessionInfo(whole.sessionId, { dir })).toMatchObject({
      customTitle: 'The word is papaya. (fork)',
    });
    const part = await sdk.forkSession(ID, { dir, upToMessageId: FIRST, title: 'Part' });
    expect(await sdk.getSessionMessages(part.sessionId, { dir })).toHaveLength(1);
  });

  it('[U-5] delete', async () => {
    const { dir, file } = home();
    await sdk.deleteSession(ID, { dir });
    expect(existsSync(file)).toBe(false);
  });

  it('[U-5] report errors with the texts of the official SDK and a typed cause', async () => {
    const { dir } = home();
    const missing = {
      message: `Session ${NONE} not found in project directory for ${dir}`,
      cause: { code: 'session-not-found' },
    };
    await expect(sdk.renameSession(NONE, 'x', { dir })).rejects.toMatchObject(missing);
    await expect(sdk.tagSession(NONE, 'x', { dir })).rejects.toMatchObject(missing);
    await expect(sdk.forkSession(NONE, { dir })).rejects.toMatchObject(missing);
    await expect(sdk.deleteSession('boat', { dir })).rejects.toThrow('Invalid sessionId: boat');
    await expect(sdk.renameSession(ID, ' ', { dir })).rejects.toThrow('title must be non-empty');
    await expect(sdk.tagSession(ID, ' ', { dir })).rejects.toThrow('tag must be non-empty (use null to clear)');
    const unknown = sdk.forkSession(ID, { dir, upToMessageId: NONE });
    await expect(unknown).rejects.toThrow(`Message ${NONE} not found in session ${ID}`);
  });
});

describe('the in-memory store', () => {
  it('[U-5] keeps conversations and their parts', async () => {
    const store = new sdk.InMemorySessionStore();
    const key = { projectKey: 'p', sessionId: ID };
    await store.append(key, [{ type: 'user', message: { content: 'Hello' }, cwd: '/c' }]);
    await store.append({ ...key, subpath: 'subagents/a' }, [{ type: 'user' }]);
    await store.append(key, [{ type: 'custom-title', customTitle: 'T' }]);
    expect(await store.load(key)).toHaveLength(2);
    expect(await store.load({ ...key, sessionId: NONE })).toBeNull();
    expect([store.size, await store.listSubkeys(key)]).toEqual([1, ['subagents/a']]);
    expect(await store.listSessionSummaries('p')).toMatchObject([
      { sessionId: ID, data: { firstPrompt: 'Hello', customTitle: 'T' } },
    ]);
    await store.delete(key);
    expect([store.size, await store.listSubkeys(key)]).toEqual([0, []]);
  });

  it('[U-5] extends summaries entry by entry', () => {
    const key = { projectKey: 'p', sessionId: ID };
    const first = sdk.foldSessionSummary(undefined, key, [
      { type: 'user', isMeta: true, message: { content: 'meta' } },
      { type: 'user', message: { content: [{ type: 'tool_result', content: 'x' }] } },
      {
        type: 'user',
        message: { content: [{ type: 'text', text: 'Real\nprompt' }] },
        timestamp: '2026-11-16T20:00:00.000Z',
        cwd: '/c',
        gitBranch: 'b',
      },
    ]);
    expect(first.data).toEqual({
      ...{ isSidechain: false, firstPrompt: 'Real prompt', firstPromptLocked: true },
      ...{ createdAt: Date.parse('2026-11-16T20:00:00.000Z'), cwd: '/c', gitBranch: 'b' },
    });
    const more = [
      { type: 'tag', tag: 'g' },
      { type: 'ai-title', aiTitle: 'AI' },
      { type: 'last-prompt', lastPrompt: 'LP' },
    ];
    const second = sdk.foldSessionSummary(first, key, more, { mtime: 5 });
    expect(second).toMatchObject({ mtime: 5, data: { tag: 'g', aiTitle: 'AI', lastPrompt: 'LP', cwd: '/c' } });
    expect(sdk.foldSessionSummary(second, key, [{ type: 'tag', tag: '' }]).data).not.toHaveProperty('tag');
  });
});
