import { describe, expect, it } from 'vitest';
import { FakeCli, open, settle, silence, start, success } from '../support/fake-cli.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const argvOf = (cli: FakeCli): readonly string[] => cli.request?.argv ?? [];
const flagOf = (cli: FakeCli, flag: string): string | undefined => argvOf(cli)[argvOf(cli).indexOf(flag) + 1];

describe('the start of a session', () => {
  it('[S-1, S-2, S-4] resolves when the handshake is answered, and reports each step', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session, events } = open(cli);
    expect(session.state).toBe('starting');
    await cli.got('initialize');
    await settle();
    expect(session.state).toBe('init-sent');
    let ready = false;
    void session.ready.then(() => {
      ready = true;
    });
    await settle();
    expect(ready).toBe(false);
    cli.succeed('req_1', { commands: [] });
    await session.ready;
    expect(session.state).toBe('running');
    expect(events).toMatchObject([
      { seq: 0, type: 'started', pid: null },
      { seq: 1, type: 'request-sent', id: 'req_1', kind: 'initialize' },
      { seq: 2, type: 'state-changed', state: 'init-sent' },
      { seq: 3, type: 'request-answered', id: 'req_1', ok: true },
      { seq: 4, type: 'state-changed', state: 'running' },
      { seq: 5, type: 'ready', sessionId: session.id },
    ]);
  });

  it('[C-8] runs the CLI with two-way streaming and prompt replay; prompts are never in argv', async () => {
    const { cli } = await start();
    expect(argvOf(cli)).toEqual(
      expect.arrayContaining([
        '--input-format',
        '--output-format',
        'stream-json',
        '--verbose',
        '--replay-user-messages',
      ]),
    );
    expect(argvOf(cli)).not.toContain('--print');
  });

  it('[S-2] serves a request of the CLI before the answer immediately, without becoming ready', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli, { hooks: { SessionStart: () => ({}) } });
    await cli.got('initialize');
    cli.askHook('early', 'SessionStart');
    expect(await cli.answered('early')).toEqual({});
    expect(session.state).toBe('init-sent');
    cli.succeed('req_1');
    await session.ready;
  });

  it('[S-15] emits start-up warnings as the first events', async () => {
    const { events } = await start({
      model: 'opus',
      fallbackModel: 'opus',
      canUseTool: () => ({ behavior: 'deny', message: '' }),
      allowedTools: ['Bash'],
    });
    expect(events.slice(0, 3)).toMatchObject([
      { seq: 0, type: 'warning', warning: { code: 'fallback-equals-model' } },
      { seq: 1, type: 'warning', warning: { code: 'permissions-shadowed' } },
      { seq: 2, type: 'started' },
    ]);
  });
});

describe('the id of a session', () => {
  it('[S-5] is generated, available immediately, and passed to the CLI', () => {
    const { session, cli } = open(new FakeCli());
    expect(session.id).toMatch(UUID);
    expect(open(new FakeCli()).session.id).not.toBe(session.id);
    return cli.got('initialize').then(() => expect(flagOf(cli, '--session-id')).toBe(session.id));
  });

  it('[S-5] is the requested one', async () => {
    const sessionId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
    const { session, cli } = await start({ sessionId });
    expect(session.id).toBe(sessionId);
    expect(flagOf(cli, '--session-id')).toBe(sessionId);
  });

  it('[S-5, S-6] is the resumed one', async () => {
    const resume = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
    const { session, cli } = await start({ resume });
    expect(session.id).toBe(resume);
    expect(flagOf(cli, '--resume')).toBe(resume);
    expect(argvOf(cli)).not.toContain('--session-id');
  });

  it('[S-5, S-6] is a new one for a fork', async () => {
    const resume = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
    const { session, cli } = await start({ resume, forkSession: true });
    expect(session.id).toMatch(UUID);
    expect(session.id).not.toBe(resume);
    expect(flagOf(cli, '--session-id')).toBe(session.id);
  });

  it('[S-5] is unknown with continue until the CLI reports it', async () => {
    const { session, cli } = await start({ continue: true });
    expect(session.id).toBeUndefined();
    expect(argvOf(cli)).not.toContain('--session-id');
    const turn = session.send('hi');
    cli.reply(await cli.got('prompt hi'));
    await turn.result();
    expect(session.id).toBe('session-1');
  });
});

describe('the handshake of a session', () => {
  it('[H-2] contains hooks by event with their ids and timeouts, or nothing without hooks', async () => {
    const { cli } = await start({
      hooks: {
        PreToolUse: [{ matcher: 'Bash', run: () => ({}), timeoutMs: 1_500, onFailure: 'block' }],
        Stop: () => ({}),
      },
    });
    expect((await cli.got('initialize')).request?.hooks).toEqual({
      PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'], timeout: 12, onFailure: 'block' }],
      Stop: [{ matcher: null, hookCallbackIds: ['hook_1'], timeout: 70 }],
    });
    const { cli: plain } = await start();
    expect((await plain.got('initialize')).request).toEqual({ subtype: 'initialize' });
  });

  it('[T-3, T-4] contains the in-process tool servers, whose tools are allowed', async () => {
    const { cli } = await start({
      mcpServers: { calc: () => undefined, far: { type: 'http', url: 'http://localhost:1' } },
    });
    expect((await cli.got('initialize')).request?.sdkMcpServers).toEqual(['calc']);
    expect(flagOf(cli, '--allowedTools')).toBe('mcp__calc');
  });

  it('[X-1] is the first request; its answer may have no body', async () => {
    const { session } = await start({}, new FakeCli({ initialize: success() }));
    expect(session.commands).toEqual([]);
  });
});
