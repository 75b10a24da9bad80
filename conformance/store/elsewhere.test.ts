import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiRequest, type ReplyFunction, text, toolUse } from '@coxswain/testkit';
import type { AgentOptions, Session } from 'coxswain';
import { fileStore, type SessionStore } from 'coxswain/store';
import { forkSession, getSession, getSessionMessages, listSessions, renameSession } from 'coxswain/transcripts';
import { describe, expect, it } from 'vitest';
import { isolatedHome } from '../harness/isolated-home.ts';
import { testedVersions } from '../harness/real-cli.ts';
import { openStage, type Stage } from '../session/stage.ts';

const AGENT = {
  description: 'a look',
  prompt: 'look around',
  subagent_type: 'general-purpose',
  run_in_background: false,
};

const reply: ReplyFunction = ({ lastUserText, toolResults, agentId }) => {
  if (agentId !== undefined) return text('seen by the subagent');
  if (toolResults.length > 0) return text('done with the tool');
  if (lastUserText.includes('with an agent')) return toolUse('Agent', AGENT);
  if (lastUserText.includes('much output')) return toolUse('Bash', { command: 'seq 1 20000' });
  const [, file] = /write (\S+)/.exec(lastUserText) ?? [];
  if (file) return toolUse('Write', { file_path: file, content: 'changed\n' });
  return text(
    lastUserText.includes('summary') ? '<summary>the story so far</summary>' : lastUserText.replace('prompt', 'answer'),
  );
};

/** A machine that has seen nothing: another home, another configuration directory, another folder. */
async function anotherMachine(stage: Stage): Promise<AgentOptions & AsyncDisposable> {
  const home = await isolatedHome(stage.api.url);
  return { cwd: home.project, env: home.env(), [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

/** Kills the CLI after its last result, and removes everything that the machine has of the conversation. */
async function lose(stage: Stage, session: Session): Promise<string> {
  process.kill(session.pid ?? 0, 'SIGKILL');
  await session.closed;
  await rm(join(stage.home.configDir, 'projects'), { recursive: true, force: true });
  await rm(join(stage.home.configDir, 'file-history'), { recursive: true, force: true });
  return session.id ?? '';
}

async function goOn(stage: Stage, store: SessionStore, resume: string, more: AgentOptions = {}): Promise<ApiRequest> {
  await using machine = await anotherMachine(stage);
  const { cwd, env } = machine;
  const session = await stage.start({ sessionStore: store, resume, cwd, env, ...more });
  expect(await session.send('last prompt').text()).toBe('last answer');
  expect(session.id).toBe(resume);
  await session.close();
  const request = stage.api.conversation.at(-1);
  if (!request) throw new Error('The model was not asked.');
  return request;
}

const toldTo = ({ body }: ApiRequest): string => JSON.stringify(body.messages);

describe.concurrent.each(testedVersions)('a conversation of %s in a store', (version) => {
  const open = async (): Promise<{ stage: Stage; store: SessionStore }> => {
    const stage = await openStage(reply, { version });
    return { stage, store: fileStore(await mkdtemp(join(stage.home.root, 'store-'))) };
  };

  it('[G-5] goes on elsewhere after its CLI was killed and its files are gone', async () => {
    const { stage, store } = await open();
    await using _ = stage;
    const session = await stage.start({ sessionStore: store });
    expect(await session.send('first prompt').text()).toBe('first answer');
    expect(await session.send('second prompt').text()).toBe('second answer');
    const id = await lose(stage, session);
    const told = toldTo(await goOn(stage, store, id));
    for (const said of ['first prompt', 'first answer', 'second prompt', 'second answer']) expect(told).toContain(said);
    // A second time, from what the first resumption has added.
    expect(toldTo(await goOn(stage, store, id)).match(/last (?:prompt|answer)/g)).toHaveLength(3);
  });

  it('[G-5] goes on elsewhere after a subagent, whose transcript travels too', async () => {
    const { stage, store } = await open();
    await using _ = stage;
    const session = await stage.start({ sessionStore: store, allowedTools: ['Agent', 'Task'] });
    await session.send('first prompt with an agent').text();
    const id = await lose(stage, session);
    expect(toldTo(await goOn(stage, store, id))).toContain('seen by the subagent');
    const { subagents } = await getSession(id, { store });
    expect(subagents).toMatchObject([{ type: 'general-purpose', description: 'a look' }]);
    const messages = await getSessionMessages(id, { store, agentId: subagents[0]?.id });
    expect(JSON.stringify(messages)).toContain('seen by the subagent');
  });

  it('[G-5] goes on elsewhere after a compaction, with the summary', async () => {
    const { stage, store } = await open();
    await using _ = stage;
    const session = await stage.start({ sessionStore: store });
    await session.send('first prompt').text();
    await session.send('second prompt').text();
    await session.send('/compact').result();
    await session.send('third prompt').text();
    const told = toldTo(await goOn(stage, store, await lose(stage, session)));
    expect(told).toContain('the story so far');
    expect(told).toContain('third answer');
  });

  it('[G-5] goes on elsewhere after an interrupt', async () => {
    const { stage, store } = await open();
    await using _ = stage;
    const session = await stage.start({ sessionStore: store });
    await session.send('first prompt').text();
    const turn = session.send('second prompt');
    turn.result().catch(() => {});
    await turn.interrupt();
    await turn.result().catch(() => {});
    const told = toldTo(await goOn(stage, store, await lose(stage, session)));
    expect(told).toContain('first answer');
  });

  it('[G-5] takes large tool results and file checkpoints along: a turn can be rewound on the other machine', async () => {
    const { stage, store } = await open();
    await using _ = stage;
    const file = join(stage.home.root, 'note.txt');
    await writeFile(file, 'before\n');
    const options = {
      sessionStore: store,
      fileCheckpointing: true,
      allowedTools: ['Bash'],
      addDirs: [stage.home.root],
    };
    const session = await stage.start({
      ...options,
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      env: { IS_SANDBOX: '1' },
    });
    await session.send('first prompt: much output').text();
    // The CLI edits only files that it has read or that are new; an existing one is overwritten through Write after a read.
    const changed = session.send(`second prompt: write ${join(stage.home.root, 'new.txt')}`);
    await changed.text();
    const id = await lose(stage, session);
    const blobs = await store.blobs?.list({ projectKey: 'default', sessionId: id });
    expect(blobs?.some((name) => name.startsWith('tool-results/'))).toBe(true);

    await using machine = await anotherMachine(stage);
    const { cwd, env } = machine;
    const there = await stage.start({ sessionStore: store, resume: id, cwd, env, fileCheckpointing: true });
    expect(readFileSync(join(stage.home.root, 'new.txt'), 'utf8')).toBe('changed\n');
    expect(await there.rewindFiles(changed.id)).toMatchObject({ canRewind: true });
    expect(() => readFileSync(join(stage.home.root, 'new.txt'))).toThrow('ENOENT');
    await there.close();
  });

  it('[G-5, A-2] is resumed from the store by a restarting session whose files vanish with its CLI', async () => {
    const { stage, store } = await open();
    await using _ = stage;
    const warned: string[] = [];
    const session = stage.open({
      sessionStore: store,
      restart: { delayMs: 0 },
      onWarning: ({ code }) => void warned.push(code),
    } as AgentOptions);
    expect(await session.send('first prompt').text()).toBe('first answer');
    // 2.1.197 has written nothing to disk at this moment.
    process.kill(session.pid ?? 0, 'SIGKILL');
    expect(await session.send('second prompt').text()).toBe('second answer');
    expect(session.restarts).toBe(1);
    expect(toldTo(stage.api.conversation.at(-1) as ApiRequest)).toContain('first answer');
    expect(warned).not.toContain('conversation-lost');
    await session.close();
  });

  it('[G-6] is listed, read, renamed and forked in the store, and the CLI resumes what we wrote', async () => {
    const { stage, store } = await open();
    await using _ = stage;
    const session = await stage.start({ sessionStore: store });
    await session.send('first prompt').text();
    await session.send('second prompt').text();
    const id = await lose(stage, session);
    expect(await listSessions({ store })).toMatchObject([{ id, firstPrompt: 'first prompt' }]);
    const messages = await getSessionMessages(id, { store });
    expect(messages.filter(({ type }) => type === 'assistant')).toHaveLength(2);
    await renameSession(id, 'A name', { store });
    expect(await getSession(id, { store })).toMatchObject({ customTitle: 'A name' });
    const upTo = messages.find(({ type }) => type === 'assistant')?.uuid;
    const fork = await forkSession(id, { store, upTo });
    const told = toldTo(await goOn(stage, store, fork.id));
    expect(told).toContain('first answer');
    expect(told).not.toContain('second prompt');
    expect(toldTo(await goOn(stage, store, id))).toContain('second answer');
  });
});
