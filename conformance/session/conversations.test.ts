import { text } from '@coxswain/testkit';
import type { Session } from 'coxswain';
import { SessionNotForkableError } from 'coxswain/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../harness/processes.ts';
import { testedVersions } from '../harness/real-cli.ts';
import { openStage, type Stage } from './stage.ts';

// One conversation from start to end, in four processes.
describe.concurrent.each(testedVersions)('a conversation with %s', (version) => {
  let stage: Stage;
  let session: Session;
  let id: string | undefined;

  beforeAll(async () => {
    stage = await openStage(({ lastUserText }) => text(lastUserText.replace('prompt', 'answer')), { version });
    session = stage.open({ systemPrompt: 'You are a test.' });
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  it.sequential('[S-1, S-5] has its id from the start', async () => {
    id = session.id;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await session.ready;
    await expect(session.fork()).rejects.toBeInstanceOf(SessionNotForkableError);
    const { messages: items } = await session.send('first prompt').collect();
    expect(items.find((message) => message.type === 'system' && message.subtype === 'init')?.session_id).toBe(id);
    expect(stage.api.conversation[0]?.sessionId).toBe(id);
    expect(session.id).toBe(id);
    expect(session.capabilities.cliVersion).toBe(version);
    expect(session.capabilities.tools).toContain('Bash');
    expect(session.commands.map(({ name }) => name)).toContain('context');
    expect(session.models).not.toHaveLength(0);
    expect(session.agents.map(({ name }) => name)).toContain('general-purpose');
  });

  it.sequential('[S-6, S-9] is forked while it runs: the copy has its history, does not change it, and closes at the end of its block', async () => {
    let copy: Session;
    {
      await using fork = await session.fork();
      copy = fork;
      expect(fork.state).toBe('running');
      expect(fork.id).toMatch(/^[0-9a-f-]{36}$/);
      expect(fork.id).not.toBe(session.id);
      expect(fork.pid).not.toBe(session.pid);
      expect(await fork.send('second prompt').text()).toBe('second answer');
      expect(stage.history()).toEqual(['first prompt', 'first answer', 'second prompt']);
      expect(stage.api.conversation.at(-1)).toMatchObject({
        sessionId: fork.id,
        system: expect.stringContaining('You are a test.'),
      });
    }
    expect(copy.state).toBe('stopped');
    expect(isAlive(Number(copy.pid))).toBe(false);

    expect(await session.send('third prompt').text()).toBe('third answer');
    expect(stage.history()).toEqual(['first prompt', 'first answer', 'third prompt']);
    expect(stage.api.conversation.at(-1)?.sessionId).toBe(session.id);
  });

  it.sequential('[S-1, S-5, S-6, S-9] keeps its id after its end: no other session can use the id, and the conversation is resumed by it', async () => {
    await session.request('end_session');
    expect(await session.closed).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(session.state).toBe('ended');
    await expect(stage.start({ sessionId: id })).rejects.toMatchObject({
      code: 'cli-exited-during-init',
      message: expect.stringContaining('is already in use'),
    });

    const resumed = await stage.start({ resume: id });
    expect(resumed.id).toBe(id);
    expect(await resumed.send('second prompt').text()).toBe('second answer');
    expect(stage.history()).toEqual(['first prompt', 'first answer', 'third prompt', 'third answer', 'second prompt']);
    expect(resumed.id).toBe(id);
    await resumed.close();
  });

  it.sequential('[S-5, S-6] is continued; after a clear, it has a new id and no history', async () => {
    const continued = await stage.start({ continue: true, model: 'claude-sonnet-4-5' });
    expect(continued.id).toBeUndefined();
    expect(await continued.send('third prompt').text()).toBe('third answer');
    expect(stage.history()).toHaveLength(7);
    expect(continued.id).toBe(id);

    await continued.setModel('claude-haiku-4-5');
    const first = continued.send('first prompt');
    await continued.clear();
    expect(await first.text()).toBe('first answer');
    expect(continued.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(continued.id).not.toBe(id);

    expect(await continued.send('second prompt').text()).toBe('second answer');
    expect(stage.history()).toEqual(['second prompt']);
    expect(stage.api.conversation.at(-1)).toMatchObject({
      sessionId: continued.id,
      model: expect.stringContaining('claude-haiku-4-5'),
    });
  });
});
