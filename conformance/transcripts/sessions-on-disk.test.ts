import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiRequest, type ReplyFunction, text, toolUse } from '@coxswain/testkit';
import { outcomeOf, type Session, textOf, toolUsesOf } from 'coxswain';
import {
  archiveSession,
  deleteSession,
  forkSession,
  getSession,
  getSessionMessages,
  listSessions,
  renameSession,
  tagSession,
} from 'coxswain/transcripts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openStage, type Stage } from '../session/stage.ts';

const AGENT = {
  description: 'a look',
  prompt: 'look around',
  subagent_type: 'general-purpose',
  run_in_background: false,
};

const reply: ReplyFunction = ({ lastUserText, toolResults, agentId }) => {
  if (agentId !== undefined) return text('seen by the subagent');
  if (lastUserText.includes('first prompt') && toolResults.length === 0) {
    return [toolUse('Agent', AGENT), toolUse('Bash', { command: 'echo out' })];
  }
  return text(lastUserText.replace('prompt', 'answer'));
};

// The tests share one conversation: most steps need a separate process, so each is done once.
describe.concurrent.each(testedVersions)('the sessions that %s keeps on disk', (version) => {
  let stage: Stage;
  let session: Session;
  let configDir = '';
  let odd = '';
  let cwd = '';
  let id = '';
  let copyId = '';
  const ask = (prompt: string, resume: string) => stage.query(prompt, { resume, cwd });

  beforeAll(async () => {
    stage = await openStage(reply, { version });
    configDir = stage.home.configDir;
    odd = join(stage.home.root, 'ünï cödé.日本 (1)', 'x'.repeat(120), 'y'.repeat(90));
    cwd = join(stage.home.root, 'link');
    await mkdir(join(odd, '.git', 'objects'), { recursive: true });
    await mkdir(join(odd, '.git', 'refs'));
    await writeFile(join(odd, '.git', 'HEAD'), 'ref: refs/heads/trunk\n');
    await symlink(odd, cwd);
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  it.sequential('[D-1] are listed with the data of the CLI, are found in the expected place, and can be read', async () => {
    const startedAt = Date.now();
    session = await stage.start({ cwd, allowedTools: ['Agent', 'Bash'] });
    const wire = (await session.send('first prompt').collect()).messages;
    await session.send('second prompt').text();
    await session.request('rename_session', { title: 'Named by the CLI' });
    id = idOf(session);
    // A running CLI writes with a delay.
    await waitUntil(async () => {
      const early = await getSessionMessages(id, { configDir }).catch(() => []);
      const [{ customTitle } = {}] = await listSessions({ configDir });
      return customTitle !== undefined && early.some((message) => textOf(message) === 'second answer');
    });

    const [info, ...others] = await listSessions({ configDir, cwd });
    expect(others).toEqual([]);
    expect(info).toMatchObject({
      ...{ id, title: 'Named by the CLI', customTitle: 'Named by the CLI', firstPrompt: 'first prompt' },
      ...{ cwd: odd, gitBranch: 'trunk' },
    });
    expect(info?.createdAt).toBeGreaterThanOrEqual(startedAt);
    expect(info?.updatedAt).toBeGreaterThanOrEqual(info?.createdAt ?? Number.NaN);
    // The CLI may write more in the meantime.
    const { lastPrompt: _, ...same } = { ...info, updatedAt: expect.any(Number), sizeBytes: expect.any(Number) };
    for (const where of [{ cwd: odd }, {}]) expect(await listSessions({ configDir, ...where })).toMatchObject([same]);

    // The messages on disk equal those on the wire.
    const messages = await getSessionMessages(id, { configDir });
    expect(
      messages
        .filter((message) => message.type === 'assistant')
        .slice(0, 3)
        .map(({ uuid }) => uuid),
    ).toEqual(
      wire
        .filter((message) => message.type === 'assistant' && message.parent_tool_use_id === null)
        .map((message) => message.uuid),
    );
    expect(messages.map(textOf).filter((words) => words !== '')).toEqual(
      expect.arrayContaining(['first prompt', 'first answer', 'second prompt', 'second answer']),
    );
    const [agentCall] = messages.filter((message) => message.type === 'assistant').flatMap(toolUsesOf);
    const { subagents } = await getSession(id, { configDir });
    expect(subagents).toMatchObject([{ type: 'general-purpose', description: 'a look', toolUseId: agentCall?.id }]);
    const ofSubagent = await getSessionMessages(id, { configDir, agentId: subagents[0]?.id });
    expect(ofSubagent.map(textOf)).toEqual(['look around', 'seen by the subagent']);
  });

  it.sequential('[D-2] are resumed by the CLI after our fork and rename, even after a compaction', async () => {
    const early = await getSessionMessages(id, { configDir });
    const upTo = early.find((message) => textOf(message) === 'first answer')?.uuid;
    expect(upTo).toBeDefined();
    // Two tools ran in parallel; the copy has both of their results.
    const fork = await forkSession(id, { configDir, upTo, title: 'A fork of ours' });
    await ask('third prompt', fork.id).text();
    expect(stage.history()).toEqual(['first prompt', 'first answer', 'third prompt']);
    expect(stage.api.conversation.at(-1)?.sessionId).toBe(fork.id);
    expect(toolResultsIn(stage.api.conversation.at(-1))).toBe(2);

    await session.send('/compact').result();
    await session.send('third prompt').text();
    await session.close();
    await renameSession(id, 'A name of ours', { configDir });
    const resumed = ask('last prompt', 'A name of ours');
    expect(await resumed.text()).toBe('last answer');
    expect(resumed.sessionId).toBe(id);
    await resumed.closed;
    const listed = await listSessions({ configDir });
    for (const where of [odd, cwd]) expect(await listSessions({ configDir, cwd: where })).toEqual(listed);
    expect(listed).toMatchObject([
      { id, title: 'A name of ours' },
      { id: fork.id, title: 'A fork of ours', forkedFrom: id },
    ]);
    await expectSameConversation(stage, id);

    const copy = await forkSession(id, { configDir });
    expect(copy.title).toBe('A name of ours (fork)');
    await ask('after all', copy.id).text();
    await expectSameConversation(stage, copy.id);
    expect(stage.history()).not.toContain('first answer');
    copyId = copy.id;
    await deleteSession(fork.id, { configDir });
  });

  it.sequential('[D-1] are read like the CLI reads them if they are damaged, and no longer exist after a deletion', async () => {
    const { path } = await getSession(id, { configDir });
    await writeFile(path, brokenTranscript(id, odd));
    await ask('after all', id).text();
    await expectSameConversation(stage, id);
    expect(wordsIn(stage.api.conversation.at(-1))).toEqual([
      'w4',
      'w7',
      'w8',
      'w5',
      'w6',
      'w12',
      'w13',
      'w14',
      'w15',
      'w17',
    ]);

    // The CLI resumes a tagged and archived session. A newer one removes the mark of the archive then.
    await tagSession(id, 'boats', { configDir });
    await archiveSession(id, { configDir });
    expect(outcomeOf(await ask('Once more.', id).result()).kind).toBe('completed');
    const resumed = await getSession(id, { configDir });
    expect({ tag: resumed.tag, archived: resumed.archived }).toEqual({
      tag: 'boats',
      archived: version === pinnedVersion ? undefined : true,
    });

    await deleteSession(id, { configDir });
    expect(await listSessions({ configDir })).toMatchObject([{ id: copyId }]);
    await deleteSession(copyId, { configDir });
    expect(await listSessions({ configDir })).toEqual([]);
    expect(outcomeOf(await ask('x', id).result()).kind).toBe('no-such-session');
  });
});

/** The CLI's last messages equal ours, apart from its additions for the model. */
async function expectSameConversation(stage: Stage, id: string): Promise<void> {
  const messages = await getSessionMessages(id, { configDir: stage.home.configDir });
  const sent = JSON.stringify(stage.api.conversation.at(-1)?.body.messages);
  const positions = messages
    .filter(({ type }) => type !== 'system')
    .map((message) => textOf(message).trim())
    .filter((words) => words !== '')
    .slice(0, -1) // the answer to it
    .map((words) => sent.indexOf(JSON.stringify(words).slice(1, -1)));
  expect(positions.length).toBeGreaterThan(3);
  expect(positions).not.toContain(-1);
  expect(positions).toEqual([...positions].sort((a, b) => a - b));
}

/** A compaction that kept two messages, a branch, a lost line, parallel tools, and lines that are not JSON. */
function brokenTranscript(sessionId: string, cwd: string): string {
  const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const line = (n: number, parent: number | null, fields: object): string =>
    JSON.stringify({
      ...{ parentUuid: parent === null ? null : uuid(parent), isSidechain: false, uuid: uuid(n), sessionId, cwd },
      ...{
        timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString(),
        userType: 'external',
        version: pinnedVersion,
      },
      ...fields,
    });
  const user = (n: number, parent: number | null, content: unknown = `w${n}`): string =>
    line(n, parent, { type: 'user', message: { role: 'user', content } });
  const assistant = (
    n: number,
    parent: number,
    content: unknown = [{ type: 'text', text: `w${n}` }],
    id = `msg_${n}`,
  ): string =>
    line(n, parent, {
      type: 'assistant',
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-4-8',
        content,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    });
  const call = (n: number, parent: number): string =>
    assistant(
      n,
      parent,
      [{ type: 'tool_use', id: `toolu_${n}`, name: 'Bash', input: { command: `w${n}` } }],
      'msg_tools',
    );
  const result = (n: number, of: number): string =>
    user(n, of, [{ type: 'tool_result', tool_use_id: `toolu_${of}`, content: `w${n}` }]);
  const compaction = line(3, null, {
    ...{ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', logicalParentUuid: uuid(8) },
    compactMetadata: {
      trigger: 'manual',
      preTokens: 15,
      preservedMessages: { anchorUuid: uuid(4), uuids: [uuid(7), uuid(8)] },
    },
  });
  return [
    ...['no JSON', user(1, null), assistant(2, 1), user(7, 2), assistant(8, 7), compaction, user(4, 3)],
    ...[user(5, 4), assistant(6, 5), user(9, 6), assistant(10, 9)], // w9 and w10 are an abandoned branch
    ...['{"parentUuid":', call(12, 6), call(13, 12), result(14, 12), result(15, 13)],
    ...[assistant(17, 16), ''], // 16 was lost
  ].join('\n');
}

function wordsIn(request: ApiRequest | undefined): string[] {
  return [...new Set([...JSON.stringify(request?.body.messages).matchAll(/\bw\d+\b/g)].map(([words]) => words))];
}

function toolResultsIn(request: ApiRequest | undefined): number {
  return JSON.stringify(request?.body.messages).split('"type":"tool_result"').length - 1;
}

function idOf(session: Session): string {
  expect(session.id).toBeDefined();
  return session.id ?? '';
}
