import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReplyFunction, text, toolUse } from '@coxswain/testkit';
import type { OpenSessionOptions, Session, Warning } from 'coxswain';
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
  return text(lastUserText.replace('prompt', 'answer'));
};

/** A machine without any data of the conversation: another home, another configuration directory, another folder. */
async function anotherMachine(
  stage: Stage,
): Promise<AsyncDisposable & { readonly cwd: string; readonly env: Record<string, string> }> {
  const home = await isolatedHome(stage.api.url);
  return { cwd: home.project, env: home.env(), [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

/** Kills the CLI after its last result, and removes all data of the conversation from the machine. */
async function lose(stage: Stage, session: Session): Promise<string> {
  process.kill(session.pid ?? 0, 'SIGKILL');
  await session.closed;
  await rm(join(stage.home.configDir, 'projects'), { recursive: true, force: true });
  await rm(join(stage.home.configDir, 'file-history'), { recursive: true, force: true });
  return session.id ?? '';
}

describe.concurrent.each(testedVersions)('a conversation of %s in a store', (version) => {
  const open = async (): Promise<{ stage: Stage; store: SessionStore }> => {
    const stage = await openStage(reply, { version });
    return { stage, store: fileStore(await mkdtemp(join(stage.home.root, 'store-'))) };
  };

  it("[G-5] with storeOnly writes nothing to the user's configuration directory, and continues on another machine", async () => {
    const { stage, store } = await open();
    await using _ = stage;
    const session = await stage.start({ sessionStore: store, storeOnly: true });
    expect(await session.send('first prompt').text()).toBe('first answer');
    await session.close();
    for (const folder of ['projects', 'sessions', 'todos', 'shell-snapshots', 'history.jsonl'])
      expect(existsSync(join(stage.home.configDir, folder)), folder).toBe(false);
    await using other = await anotherMachine(stage);
    const { cwd, env } = other;
    const next = await stage.start({ cwd, env, sessionStore: store, storeOnly: true, resume: session.id ?? '' });
    expect(await next.send('second prompt').text()).toBe('second answer');
    await next.close();
    expect(JSON.stringify(stage.api.requests.at(-1))).toContain('first prompt');
  });

  it('[G-5, G-2] continues on another machine after its CLI was killed and its files were removed, with its whole history', async () => {
    const { stage, store } = await open();
    await using _ = stage;
    const created = join(stage.home.root, 'new.txt');
    const unguarded = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;
    const options = { sessionStore: store, fileCheckpointing: true, addDirs: [stage.home.root], ...unguarded };
    const session = await stage.start({ ...options, env: { IS_SANDBOX: '1' } });
    expect(await session.send('first prompt').text()).toBe('first answer');
    await session.send('second prompt with an agent').text();
    await session.send('third prompt: much output').text();
    const changed = session.send(`fourth prompt: write ${created}`);
    await changed.text();
    const cut = session.send('fifth prompt that is interrupted');
    cut.result().catch(() => {});
    await cut.interrupt();
    await cut.result().catch(() => {});
    const id = await lose(stage, session);

    await using machine = await anotherMachine(stage);
    const there = { ...options, resume: id, cwd: machine.cwd, env: { ...machine.env, IS_SANDBOX: '1' } };
    const second = await stage.start(there);
    expect(await second.send('sixth prompt').text()).toBe('sixth answer');
    expect(second.id).toBe(id);
    const history = historyOf(stage);
    for (const text of ['first prompt', 'first answer', 'seen by the subagent', '20000', 'done with the tool']) {
      expect(history).toContain(text);
    }
    expect(readFileSync(created, 'utf8')).toBe('changed\n');
    expect(await second.rewindFiles(changed.id)).toMatchObject({ canRewind: true });
    expect(existsSync(created)).toBe(false);
    await second.send('/compact').result();
    await second.send('seventh prompt').text();
    await lose(stage, second);

    await using another = await anotherMachine(stage);
    const third = await stage.start({ sessionStore: store, resume: id, cwd: another.cwd, env: another.env });
    expect(await third.send('last prompt').text()).toBe('last answer');
    const afterwards = historyOf(stage);
    expect(afterwards).toContain('This session is being continued from a previous conversation');
    expect(afterwards).toContain('seventh answer');
    await third.close();

    const blobs = await store.blobs?.list({ projectKey: 'default', sessionId: id });
    expect(blobs?.some((name) => name.startsWith('tool-results/'))).toBe(true);
    const { subagents } = await getSession(id, { store });
    expect(subagents).toMatchObject([{ type: 'general-purpose', description: 'a look' }]);
    const messages = await getSessionMessages(id, { store, agentId: subagents[0]?.id });
    expect(JSON.stringify(messages)).toContain('seen by the subagent');
  });

  it('[G-5, A-2] is resumed from the store by a restarting session, even if nothing is on disk yet', async () => {
    const { stage, store } = await open();
    await using _ = stage;
    const warned: string[] = [];
    const restart = { delayMs: 0, replay: 'unanswered' } as const;
    const onWarning = ({ code }: Warning): void => void warned.push(code);
    const options: OpenSessionOptions = { sessionStore: store, restart, onWarning };
    const session = stage.open(options);
    expect(await session.send('first prompt').text()).toBe('first answer');
    // 2.1.197 has written nothing to disk at this moment.
    process.kill(session.pid ?? 0, 'SIGKILL');
    expect(await session.send('second prompt').text()).toBe('second answer');
    expect(session.restarts).toBe(1);
    expect(historyOf(stage)).toContain('first answer');
    expect(warned).not.toContain('conversation-lost');
    await session.close();
  });

  it('[G-6, G-5] is listed, read, renamed and forked in the store without secrets, and the CLI resumes the result', async () => {
    const { stage, store } = await open();
    await using _ = stage;
    const settings = { env: { A: 'secret-of-the-settings' } };
    const session = await stage.start({ sessionStore: store, env: { TOKEN: 'secret-of-the-env' }, settings });
    await session.send('first prompt').text();
    await session.send('second prompt').text();
    const id = await lose(stage, session);
    expect(JSON.stringify(await store.load({ projectKey: 'default', sessionId: id }))).not.toMatch(/secret-of|sk-ant/);
    expect(await listSessions({ store })).toMatchObject([{ id, firstPrompt: 'first prompt' }]);
    const messages = await getSessionMessages(id, { store });
    expect(messages.filter(({ type }) => type === 'assistant')).toHaveLength(2);
    await renameSession(id, 'A name', { store });
    expect(await getSession(id, { store })).toMatchObject({ customTitle: 'A name' });
    const upTo = messages.find(({ type }) => type === 'assistant')?.uuid;
    const fork = await forkSession(id, { store, upTo });
    const resumed = await stage.start({ sessionStore: store, resume: fork.id });
    expect(await resumed.send('third prompt').text()).toBe('third answer');
    expect(resumed.id).toBe(fork.id);
    expect(historyOf(stage)).toContain('first answer');
    expect(historyOf(stage)).not.toContain('second prompt');
    await resumed.close();
  });
});

function historyOf({ api }: Stage): string {
  return JSON.stringify(api.conversation.at(-1)?.body.messages);
}
