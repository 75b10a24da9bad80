import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, toolUse } from '@coxswain/testkit';
import { compare, differs, SAME } from './compare.ts';
import { keysOf, label, outcomeOf } from './facts.ts';
import type { Run, Stage } from './stage.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';

compare(
  '[U-2] conversations that go on',
  async (stage) => {
    const sessionId = randomUUID();
    stage.say(text('First.'));
    const first = await stage.run('One.', { sessionId, title: 'The voyage' });
    stage.say(text('Second.'));
    const resumed = await stage.run('Two.', { resume: sessionId });
    const resumedWith = said(stage);
    stage.say(text('Third.'));
    const continued = await stage.run('Three.', { continue: true });
    const continuedWith = said(stage);
    const answer = first.messages.find((message) => message.type === 'assistant');
    stage.say(text('Fourth.'));
    const forked = await stage.run('Four.', {
      resume: sessionId,
      forkSession: true,
      ...(answer?.uuid === undefined ? {} : { resumeSessionAt: answer.uuid }),
    });
    const forkedWith = said(stage);
    stage.say(text('Fifth.'));
    const forgotten = await stage.run('Five.', { persistSession: false });
    const files = readdirSync(join(stage.home.configDir, 'projects'), { recursive: true });
    const sameId = (run: Run) => idOf(run) === sessionId;
    return {
      'sessionId is used': sameId(first),
      'resume: the same session': sameId(resumed),
      'resume: memory': resumedWith,
      'continue: the same session': sameId(continued),
      'continue: memory': continuedWith,
      'fork: another session': !sameId(forked),
      'fork at a message: memory': forkedWith,
      'persistSession false: a file': files.some((file) => String(file).includes(idOf(forgotten))),
    };
  },
  {
    'sessionId is used': true,
    'resume: the same session': true,
    'resume: memory': ['One.', 'First.', 'Two.'],
    'continue: the same session': true,
    'continue: memory': ['One.', 'First.', 'Two.', 'Second.', 'Three.'],
    'fork: another session': true,
    'fork at a message: memory': ['One.', 'First.', 'Four.'],
    'persistSession false: a file': false,
  },
);

compare(
  '[U-5] session functions',
  async (stage) => {
    const { sdk } = stage;
    // These functions read the configuration folder of the host.
    process.env.CLAUDE_CONFIG_DIR = stage.home.configDir;
    const dir = stage.home.project;
    const id = randomUUID();
    stage.say(toolUse('Read', { file_path: stage.file('none.txt') }), text('Not there.'));
    await stage.run('Read it.', { sessionId: id });
    stage.say(text('Other.'));
    await stage.run('Something else.', { sessionId: randomUUID() });
    const listed = await sdk.listSessions({ dir });
    const info = await sdk.getSessionInfo(id, { dir });
    const messages = await sdk.getSessionMessages(id, { dir });
    await sdk.renameSession(id, 'The long voyage', { dir });
    await sdk.tagSession(id, 'sea', { dir });
    const changed = await sdk.getSessionInfo(id, { dir });
    await sdk.tagSession(id, null, { dir });
    const untagged = await sdk.getSessionInfo(id, { dir });
    const fork = await sdk.forkSession(id, { dir, title: 'Another way' });
    const half = await sdk.forkSession(id, { dir, upToMessageId: messages[0]?.uuid ?? '' });
    const forked = await sdk.getSessionMessages(fork.sessionId, { dir });
    const forkInfo = await sdk.getSessionInfo(fork.sessionId, { dir });
    await sdk.archiveSession(fork.sessionId, { dir });
    const whileArchived = fieldsOf(await sdk.getSessionInfo(fork.sessionId, { dir }));
    await sdk.unarchiveSession(fork.sessionId, { dir });
    await sdk.deleteSession(fork.sessionId, { dir });
    return {
      'listSessions(): fields': listed.map(fieldsOf),
      'listSessions(): order': listed.map(({ firstPrompt }) => firstPrompt),
      'listSessions() with a limit': (await sdk.listSessions({ dir, limit: 1 })).length,
      'listSessions() with a limit of 0': (await sdk.listSessions({ dir, limit: 0 })).length,
      'listSessions() with an offset': (await sdk.listSessions({ dir, offset: 1 })).length,
      'listSessions() of an empty folder': await sdk.listSessions({ dir: stage.home.home }),
      'getSessionInfo()': { ...info, lastModified: 0, fileSize: 0, createdAt: 0, gitBranch: 0 },
      'getSessionInfo(): gitBranch outside of git': info?.gitBranch ?? 'none',
      'getSessionInfo() of nothing': (await sdk.getSessionInfo(NOBODY, { dir })) ?? 'undefined',
      'getSessionInfo() of something else': (await sdk.getSessionInfo('a boat', { dir })) ?? 'undefined',
      'getSessionMessages(): types': messages.map(({ type }) => type),
      'getSessionMessages(): fields': messages.map(keysOf),
      'getSessionMessages() with limit and offset': (
        await sdk.getSessionMessages(id, { dir, limit: 1, offset: 1 })
      ).map(({ type }) => type),
      'getSessionMessages() of nothing': await sdk.getSessionMessages(NOBODY, { dir }),
      'renameSession()': [changed?.customTitle, changed?.summary],
      'tagSession()': [changed?.tag, untagged?.tag ?? 'no tag'],
      'renameSession() of nothing': await outcomeOf(sdk.renameSession(NOBODY, 'x', { dir }), sdk),
      'renameSession() without a title': await outcomeOf(sdk.renameSession(id, ' ', { dir }), sdk),
      'forkSession(): messages': forked.map(({ type }) => type),
      'forkSession(): the messages have new ids': forked[0]?.uuid !== messages[0]?.uuid,
      'forkSession(): title': forkInfo?.customTitle,
      'forkSession() up to a message': (await sdk.getSessionMessages(half.sessionId, { dir })).length,
      'forkSession() of nothing': await outcomeOf(sdk.forkSession(NOBODY, { dir }), sdk),
      'archiveSession()': whileArchived,
      'deleteSession()': (await sdk.getSessionInfo(fork.sessionId, { dir })) ?? 'undefined',
      'deleteSession() of nothing': await outcomeOf(sdk.deleteSession(NOBODY, { dir }), sdk),
      'listSubagents()': await sdk.listSubagents(id, { dir }),
      'getSubagentMessages()': await sdk.getSubagentMessages(id, 'nobody', { dir }),
    };
  },
  {
    'listSessions(): fields': SAME,
    'listSessions(): order': ['Something else.', 'Read it.'],
    'listSessions() with a limit': 1,
    'listSessions() with a limit of 0': SAME,
    'listSessions() with an offset': SAME,
    'listSessions() of an empty folder': [],
    'getSessionInfo()': SAME,
    'getSessionInfo(): gitBranch outside of git': 'HEAD',
    'getSessionInfo() of nothing': 'undefined',
    'getSessionInfo() of something else': 'undefined',
    'getSessionMessages(): types': ['user', 'assistant', 'user', 'assistant'],
    'getSessionMessages(): fields': SAME,
    'getSessionMessages() with limit and offset': ['assistant'],
    'getSessionMessages() of nothing': [],
    'renameSession()': ['The long voyage', 'The long voyage'],
    'tagSession()': ['sea', 'no tag'],
    'renameSession() of nothing': SAME,
    'renameSession() without a title': SAME,
    'forkSession(): messages': ['user', 'assistant', 'user', 'assistant'],
    'forkSession(): the messages have new ids': true,
    'forkSession(): title': 'Another way',
    'forkSession() up to a message': 1,
    'forkSession() of nothing': SAME,
    'archiveSession()': SAME,
    'deleteSession()': 'undefined',
    'deleteSession() of nothing': SAME,
    'listSubagents()': [],
    'getSubagentMessages()': [],
  },
  { setsHostEnv: true },
);

compare(
  '[U-5] what the CLI notes in a transcript',
  async (stage) => {
    const { sdk } = stage;
    process.env.CLAUDE_CONFIG_DIR = stage.home.configDir;
    const dir = stage.home.project;
    const id = randomUUID();
    writeNotes(stage, id);
    const info = await sdk.getSessionInfo(id, { dir });
    const fork = await sdk.forkSession(id, { dir });
    return {
      'getSessionInfo(): titles': [info?.summary, info?.customTitle, info?.firstPrompt],
      'getSessionInfo(): fields without a value': Object.entries(info ?? {}).flatMap(([name, value]) =>
        value === undefined ? [name] : [],
      ),
      'listSessions(): titles': (await sdk.listSessions({ dir })).map(({ summary }) => summary).sort(),
      'forkSession(): title': (await sdk.getSessionInfo(fork.sessionId, { dir }))?.customTitle,
      'getSessionMessages()': await sdk.getSessionMessages(id, { dir }),
      'getSessionMessages() with limit and offset': await sdk.getSessionMessages(id, { dir, limit: 1, offset: 1 }),
      'getSessionMessages() with system messages': (
        await sdk.getSessionMessages(id, { dir, includeSystemMessages: true })
      ).map(({ type }) => type),
      'getSubagentMessages()': await sdk.getSubagentMessages(id, 'rower', { dir }),
      'renameSession() of nothing, anywhere': await outcomeOf(sdk.renameSession(NOBODY, 'x'), sdk),
      'deleteSession() of nothing, anywhere': await outcomeOf(sdk.deleteSession(NOBODY), sdk),
    };
  },
  {
    'getSessionInfo(): titles': ['The harbour', 'The harbour', 'One.'],
    'getSessionInfo(): fields without a value': SAME,
    'listSessions(): titles': ['The harbour', 'The harbour (fork)'],
    'forkSession(): title': 'The harbour (fork)',
    'getSessionMessages()': SAME,
    'getSessionMessages() with limit and offset': SAME,
    'getSessionMessages() with system messages': ['user', 'assistant', 'user', 'system', 'user'],
    'getSubagentMessages()': SAME,
    'renameSession() of nothing, anywhere': SAME,
    'deleteSession() of nothing, anywhere': SAME,
  },
  { setsHostEnv: true },
);

compare(
  '[U-5] a session store',
  async (stage) => ({
    'of a query': await storedConversation(stage).catch(nameOf),
    'an imported session': await importedSession(stage).catch(nameOf),
    'session functions': await storedSessions(stage).catch(nameOf),
    'a store that fails': await failingStore(stage).catch(nameOf),
  }),
  {
    'of a query': {
      'order of messages': ['system init', 'assistant text', 'result success'],
      'entries in the store': true,
      'resumed session': true,
      'memory of the resumed session': ['One.', 'First.', 'Two.'],
      'continued session': true,
      'memory of the continued session': ['One.', 'First.', 'Two.', 'Second.', 'Three.'],
    },
    'an imported session': ['user', 'assistant'],
    'session functions': SAME,
    'a store that fails': SAME,
  },
  { setsHostEnv: true },
);

compare(
  '[U-5] settings functions',
  async (stage) => {
    process.env.CLAUDE_CONFIG_DIR = stage.home.configDir;
    const user = { model: 'haiku', permissions: { defaultMode: 'acceptEdits', allow: ['Read'] } };
    writeFileSync(join(stage.home.configDir, 'settings.json'), JSON.stringify(user));
    mkdirSync(stage.file('.claude'));
    const project = { model: 'opus', permissions: { defaultMode: 'bypassPermissions', allow: ['Bash'] } };
    writeFileSync(stage.file('.claude/settings.json'), JSON.stringify(project));
    const cwd = stage.home.project;
    const all = await stage.sdk.resolveSettings({ cwd });
    const none = await stage.sdk.resolveSettings({ cwd, settingSources: [] });
    return {
      'fields of resolveSettings()': keysOf(all),
      'the merged settings': all.effective,
      'without sources': none.effective,
      'filterEscalatingDefaultMode()': stage.sdk.filterEscalatingDefaultMode(all),
      'matchDeniedModels()': await stage.sdk.matchDeniedModels(['claude-opus-5-5', 'haiku'], ['opus']).catch(nameOf),
    };
  },
  {
    'fields of resolveSettings()': SAME,
    'the merged settings': SAME,
    'without sources': {},
    'filterEscalatingDefaultMode()': SAME,
    'matchDeniedModels()': differs('matchDeniedModels'),
  },
  { setsHostEnv: true },
);

/** A conversation with every kind of note that session functions pass on or skip, and a subagent. */
function writeNotes(stage: Stage, sessionId: string): void {
  const folder = join(stage.home.configDir, 'projects', stage.home.project.replace(/[^a-zA-Z0-9]/g, '-'));
  let parentUuid: string | null = null;
  const line = (type: string, content: unknown, more: object = {}): object => {
    const uuid = randomUUID();
    const said = type === 'system' ? { content, subtype: 'informational' } : { message: { role: type, content } };
    const place = { parentUuid, isSidechain: false, cwd: stage.home.project, sessionId, gitBranch: 'main' };
    parentUuid = uuid;
    return { ...place, type, ...said, uuid, timestamp: '2026-11-16T20:00:00.000Z', ...more };
  };
  const refused = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'No.', is_error: true }];
  const isRefused = { toolDenialKind: 'user-rejected', interruptedByShutdown: true };
  const lines = [
    line('user', 'One.'),
    line('user', '<system-reminder>Be brief.</system-reminder>', { isMeta: true }),
    line('assistant', [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }]),
    line('user', refused, isRefused),
    line('system', 'A note.'),
    line('user', 'A task is done.', { origin: { kind: 'task-notification' } }),
    line('system', 'A note at the end.'),
    { type: 'ai-title', aiTitle: 'The harbour', sessionId },
    { type: 'last-prompt', lastPrompt: 'Two.', sessionId },
  ];
  parentUuid = null;
  const task = [line('user', 'Row.'), line('user', 'Context.', { isMeta: true }), line('user', refused, isRefused)];
  const subagents = join(folder, sessionId, 'subagents');
  mkdirSync(subagents, { recursive: true });
  const write = (path: string, all: object[]): void =>
    writeFileSync(path, all.map((one) => `${JSON.stringify(one)}\n`).join(''));
  write(`${folder}/${sessionId}.jsonl`, lines);
  write(
    join(subagents, 'agent-rower.jsonl'),
    task.map((one) => ({ ...one, isSidechain: true, agentId: 'rower' })),
  );
  write(join(subagents, 'agent-rower.meta.json'), [{ agentType: 'rower', toolUseId: 'toolu_2' }]);
}

const idOf = ({ messages }: Run): string => messages[0]?.session_id ?? '';

/** The conversation of the model, without the additions of the CLI. */
function said(stage: Stage): string[] {
  return stage.lastRequest.turns.filter(({ role }) => role !== 'system').map((turn) => turn.text);
}

/** The fields of a session's info; the branch is compared separately. */
const fieldsOf = (info: unknown): string[] => keysOf(info).filter((name) => name !== 'gitBranch');

const nameOf = (error: Error): string => error.name;

/** Resumes a conversation from a store after its files were removed. */
async function storedConversation(stage: Stage): Promise<unknown> {
  const sessionStore = new stage.sdk.InMemorySessionStore();
  const sessionId = randomUUID();
  stage.say(text('First.'));
  const first = await stage.run('One.', { sessionStore, sessionId });
  rmSync(join(stage.home.configDir, 'projects'), { recursive: true });
  stage.say(text('Second.'));
  const resumed = await stage.run('Two.', { sessionStore, resume: sessionId });
  const resumedWith = said(stage);
  rmSync(join(stage.home.configDir, 'projects'), { recursive: true, force: true });
  stage.say(text('Third.'));
  const continued = await stage.run('Three.', { sessionStore, continue: true });
  return {
    'order of messages': first.messages.map(label),
    'entries in the store': sessionStore.size > 0,
    'resumed session': idOf(resumed) === sessionId,
    'memory of the resumed session': resumedWith,
    'continued session': idOf(continued) === sessionId,
    'memory of the continued session': said(stage),
  };
}

async function importedSession(stage: Stage): Promise<unknown> {
  process.env.CLAUDE_CONFIG_DIR = stage.home.configDir;
  const sessionId = randomUUID();
  const dir = stage.home.project;
  stage.say(text('First.'));
  await stage.run('One.', { sessionId });
  const sessionStore = new stage.sdk.InMemorySessionStore();
  await stage.sdk.importSessionToStore(sessionId, sessionStore, { dir });
  const messages = await stage.sdk.getSessionMessages(sessionId, { dir, sessionStore });
  return messages.map(({ type }) => type);
}

/** The session functions on a conversation that exists only in the store. */
async function storedSessions(stage: Stage): Promise<unknown> {
  const { sdk } = stage;
  const sessionStore = new sdk.InMemorySessionStore();
  const id = randomUUID();
  stage.say(text('First.'));
  await stage.run('One.', { sessionStore, sessionId: id });
  const where = { dir: stage.home.project, sessionStore };
  const listed = await sdk.listSessions(where);
  await sdk.renameSession(id, 'The voyage', where);
  await sdk.tagSession(id, 'sea', where);
  const info = await sdk.getSessionInfo(id, where);
  const fork = await sdk.forkSession(id, where);
  const forked = await sdk.getSessionMessages(fork.sessionId, where);
  await sdk.deleteSession(fork.sessionId, where);
  return {
    listed: listed.map(({ firstPrompt, summary }) => [firstPrompt, summary]),
    'fields of a listed session': listed.map(fieldsOf),
    changed: [info?.customTitle, info?.tag],
    'fields of a session': fieldsOf(info),
    messages: (await sdk.getSessionMessages(id, where)).map(keysOf),
    forked: forked.map(({ type }) => type),
    'after the deletion': (await sdk.listSessions(where)).length,
    subagents: await sdk.listSubagents(id, where),
    nothing: (await sdk.getSessionInfo(NOBODY, where)) ?? 'undefined',
  };
}

/** The messages of a query whose turn cannot be stored. */
async function failingStore(stage: Stage): Promise<unknown> {
  class Failing extends stage.sdk.InMemorySessionStore {
    override async append(): Promise<void> {
      throw new Error('The store is full.');
    }
  }
  stage.say(text('First.'));
  const run = await stage.run('One.', { sessionStore: new Failing() });
  const reported = run.messages.find((message) => message.type === 'system' && message.subtype === 'mirror_error');
  return { messages: run.messages.map(label), thrown: run.thrown === undefined, fields: keysOf(reported) };
}
