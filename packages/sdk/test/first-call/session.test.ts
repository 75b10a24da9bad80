import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { openSession } from '../../src/index.ts';
import { FakeCli, silence } from '../support/fake-cli.ts';

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

describe('the first session of a process', () => {
  it('[S-1, S-3] accepts prompts and requests in order before it is ready', async () => {
    const cli = new FakeCli();
    await using session = openSession({ transport: cli });
    const id = session.id;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const mode = session.setPermissionMode('plan');
    const first = session.send('one');
    const second = session.send('two');
    const ids = [first.id, second.id];
    await mode;
    expect(session.id).toBe(id);
    const one = await cli.got('prompt one');
    cli.reply(one, 'first');
    expect(await first.text()).toBe('first');
    const two = await cli.got('prompt two');
    cli.reply(two, 'second');
    expect(await second.text()).toBe('second');
    expect([one.uuid, two.uuid]).toEqual(ids);
    expect([first.id, second.id]).toEqual(ids);
    expect(cli.request?.argv[cli.request.argv.indexOf('--session-id') + 1]).toBe(id);
    expect(cli.story.slice(0, 4)).toEqual(['initialize', 'set_permission_mode', 'prompt one', 'prompt two']);
  });

  it('[S-2] is in the state starting and has no data before it is ready', async () => {
    const session = openSession({ transport: new FakeCli() });
    expect(session.state).toBe('starting');
    expect(session.health()).toEqual({ status: 'degraded', reason: 'the session is starting' });
    expect(session.capabilities.tools).toEqual([]);
    expect([session.pid, session.commands, session.models, session.agents]).toEqual([undefined, [], [], []]);
    expect(session.pendingPermissions()).toEqual([]);
    await expect(session.answerPermission('x', { behavior: 'deny', message: 'no' } as never)).rejects.toMatchObject({
      code: 'no-such-permission',
    });
    await session.ready;
    expect([session.state, session.capabilities.cliVersion]).toEqual(['running', PINNED_VERSION]);
    expect(await session.close()).toMatchObject({ exitCode: 0 });
    expect(session.state).toBe('stopped');
  });

  it('[S-4] has observers from the start', async () => {
    const cli = new FakeCli();
    const session = openSession({ transport: cli });
    const events = session.events();
    const messages = session.messages();
    const turn = session.send('hi');
    cli.reply(await cli.got('prompt hi'));
    await turn.result();
    await session.close();
    const seen: string[] = [];
    for await (const event of events) seen.push(event.type);
    expect(seen.slice(0, 2)).toEqual(['started', 'request-sent']);
    expect(seen.at(-1)).toBe('stopped');
    const types: unknown[] = [];
    for await (const item of messages) if (item.kind === 'message') types.push(item.message.type);
    expect(types).toContain('result');
  });

  it.each([
    ['the given one', { sessionId: ID }, ID],
    ['that of the resumed conversation', { resume: ID }, ID],
    ['none if the CLI chooses the conversation', { continue: true }, undefined],
    ['a new one for a fork', { resume: ID, forkSession: true }, expect.not.stringContaining(ID)],
  ])('[S-15] has as its id %s', async (_, options, expected) => {
    const session = openSession({ ...options, transport: new FakeCli() });
    const early = session.id;
    expect(early).toEqual(expected);
    await session.ready;
    expect(session.id).toBe(early);
    await session.close();
  });

  it('[S-1, O-4] reports a failed start through every promise, never as an unhandled rejection', async () => {
    const session = openSession({ maxTurns: -1 });
    const turn = session.send('hi');
    void session.interrupt();
    void turn.result();
    await expect(session.ready).rejects.toMatchObject({ code: 'options' });
    await expect(turn.text()).rejects.toMatchObject({ code: 'options' });
    expect(await session.closed).toMatchObject({ exitCode: null });
  });

  it('[H-9] runs callbacks in the async context of openSession(), and those of a turn in that of send()', async () => {
    const storage = new AsyncLocalStorage<string>();
    const cli = new FakeCli();
    const contexts: unknown[] = [];
    const hook = (): void => void contexts.push(storage.getStore());
    const session = storage.run('opener', () => openSession({ transport: cli, hooks: { PreToolUse: hook } }));
    const turn = storage.run('sender', () => session.send('hi'));
    await session.ready;
    const prompt = await cli.got('prompt hi');
    cli.begin(prompt);
    cli.askHook('h1');
    await cli.answered('h1');
    cli.finish(prompt);
    await turn.result();
    expect(contexts).toEqual(['sender']);
    await session.close();
  });

  it('[S-9] can be stopped immediately', async () => {
    const session = openSession({ transport: new FakeCli({ initialize: silence }) });
    const turn = session.send('hi');
    await session.close();
    expect(session.state).toBe('stopped');
    await expect(turn.result()).rejects.toMatchObject({ code: 'session-stopped' });
  });

  it('[S-7] interrupts and steers a turn that was sent early', async () => {
    const cli = new FakeCli();
    await using session = openSession({ transport: cli });
    const turn = session.send('hi');
    cli.begin(await cli.got('prompt hi'));
    await turn.steer('more');
    await cli.got('prompt more');
    await turn.interrupt();
    await cli.got('interrupt');
  });

  it('[S-11, X-3] fails requests that it cannot fulfil, and continues with the next ones', async () => {
    const cli = new FakeCli();
    await using session = openSession({ transport: cli });
    const failed = session.setMcpServers({ x: 5 } as never);
    const turn = session.send('hi');
    await expect(failed).rejects.toMatchObject({ code: 'options' });
    cli.reply(await cli.got('prompt hi'), 'done');
    expect(await turn.text()).toBe('done');
  });
});

describe('the first restarting session of a process', () => {
  it('[A-2] behaves like any other', async () => {
    const clis: FakeCli[] = [];
    const transport = (): FakeCli => {
      const cli = new FakeCli();
      clis.push(cli);
      return cli;
    };
    const session = openSession({ transport, restart: true });
    const id = session.id;
    expect([session.state, session.restarts, session.paused]).toEqual(['starting', 0, undefined]);
    const turn = session.send('hi');
    const turnId = turn.id;
    await session.ready;
    expect(session.id).toBe(id);
    const prompt = await clis[0]?.got('prompt hi');
    if (prompt) clis[0]?.reply(prompt, 'done');
    expect(await turn.text()).toBe('done');
    expect([turn.id, prompt?.uuid]).toEqual([turnId, turnId]);
    await session.close();
    expect(session.state).toBe('stopped');
  });

  it('[A-2, S-3] accepts null as the options of a turn, and the next turns', async () => {
    const cli = new FakeCli();
    await using session = openSession({ transport: () => cli, restart: true });
    // An untyped program passes this.
    const turns = [session.send('one', null as never), session.send('two')];
    for (const text of ['one', 'two']) cli.reply(await cli.got(`prompt ${text}`), `to ${text}`);
    expect(await Promise.all(turns.map((turn) => turn.text()))).toEqual(['to one', 'to two']);
  });
});
