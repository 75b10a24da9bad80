import { text } from '@coxswain/testkit';
import { isInit, SessionNotForkableError } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { openStage } from './stage.ts';

const SCRIPT = [text('first answer'), text('second answer'), text('third answer')];

describe.concurrent.each(testedVersions)('a conversation with %s', (version) => {
  it('[S-1, S-5, S-6] has its id from the start, which nobody else can have, and is taken up by it', async () => {
    await using stage = await openStage(SCRIPT, { version });
    const session = stage.open();
    const { id } = session;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const { items } = await session.send('first prompt').collect();
    expect(items.find(isInit)?.session_id).toBe(id);
    expect(stage.api.conversation[0]?.sessionId).toBe(id);
    expect(session.id).toBe(id);
    expect(session.capabilities.cliVersion).toBe(version);
    expect(session.capabilities.tools).toContain('Bash');
    expect(session.commands.map(({ name }) => name)).toContain('context');
    expect(session.models).not.toHaveLength(0);
    expect(session.agents.map(({ name }) => name)).toContain('general-purpose');
    await session.stop();
    await expect(stage.start({ sessionId: id })).rejects.toMatchObject({
      code: 'cli-exited-during-init',
      message: expect.stringContaining('is already in use'),
    });

    const resumed = await stage.start({ resume: id });
    expect(resumed.id).toBe(id);
    expect(await resumed.send('second prompt').text()).toBe('second answer');
    expect(stage.said()).toEqual(['first prompt', 'first answer', 'second prompt']);
    expect(resumed.id).toBe(id);
    await resumed.stop();

    const continued = await stage.start({ continue: true });
    expect(continued.id).toBeUndefined();
    expect(await continued.send('third prompt').text()).toBe('third answer');
    expect(stage.said()).toHaveLength(5);
    expect(continued.id).toBe(id);
  });

  it('[S-6] is forked while it lives: the copy knows it, and leaves it alone', async () => {
    await using stage = await openStage(SCRIPT, { version });
    const session = await stage.start({ systemPrompt: 'You are a test.' });
    await expect(session.fork()).rejects.toBeInstanceOf(SessionNotForkableError);
    await session.send('first prompt').text();

    await using fork = await session.fork();
    expect(fork.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(fork.id).not.toBe(session.id);
    expect(fork.pid).not.toBe(session.pid);
    expect(await fork.send('second prompt').text()).toBe('second answer');
    expect(stage.said()).toEqual(['first prompt', 'first answer', 'second prompt']);
    expect(stage.api.conversation.at(-1)).toMatchObject({
      sessionId: fork.id,
      system: expect.stringContaining('You are a test.'),
    });

    expect(await session.send('third prompt').text()).toBe('third answer');
    expect(stage.said()).toEqual(['first prompt', 'first answer', 'third prompt']);
    expect(stage.api.conversation.at(-1)?.sessionId).toBe(session.id);
  });

  it('[S-6] is cleared: what comes after has a new id and no past', async () => {
    await using stage = await openStage(SCRIPT, { version });
    const session = await stage.start({ model: 'claude-sonnet-4-5' });
    await session.setModel('claude-haiku-4-5');
    const before = session.id;
    const first = session.send('first prompt');
    await session.clear();
    expect(await first.text()).toBe('first answer');
    expect(session.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(session.id).not.toBe(before);

    expect(await session.send('second prompt').text()).toBe('second answer');
    expect(stage.said()).toEqual(['second prompt']);
    expect(stage.api.conversation.at(-1)).toMatchObject({
      sessionId: session.id,
      model: expect.stringContaining('claude-haiku-4-5'),
    });
  });
});
