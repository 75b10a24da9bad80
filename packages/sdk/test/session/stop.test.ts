import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { FakeCli, settle, silence, start } from '../support/fake-cli.ts';
import { assistant } from '../support/say.ts';

const never = (): Promise<never> => new Promise(() => {});
const TERMINAL = ['stopped', 'ended', 'failed'];

describe('close()', () => {
  it('[S-9] asks the CLI to exit and resolves to its exit report; the only terminal event is the last', async () => {
    const { session, cli, events } = await start();
    const seen = events.length;
    expect(await session.close()).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(await session.closed).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(cli.story).toEqual(['initialize', 'end_session']);
    expect(session.state).toBe('stopped');
    expect(events.slice(seen)).toMatchObject([
      { type: 'state-changed', state: 'stopping' },
      { type: 'request-sent', kind: 'end_session' },
      { type: 'request-answered', ok: true },
      { type: 'state-changed', state: 'stopped' },
      { type: 'exit', exitCode: 0 },
      { type: 'stopped' },
    ]);
    await settle();
    expect(events.at(-1)?.type).toBe('stopped');
  });

  it('[S-9, R-1] records child processes before it asks the CLI to exit, because they cannot be found later', async () => {
    const cli = new FakeCli();
    const looks: string[][] = [];
    const { session } = await start({}, Object.assign(cli, { ending: () => looks.push(cli.story) }));
    await session.close();
    expect(looks[0]).toEqual(['initialize']);
  });

  it('[S-9] leads to the state stopped with any exit code', async () => {
    const cli = new FakeCli({ end_session: (fake) => fake.die(1) });
    const { session, events } = await start({}, cli);
    expect(await session.close()).toMatchObject({ exitCode: 1 });
    expect(session.state).toBe('stopped');
    expect(events.filter(({ type }) => TERMINAL.includes(type)).map(({ type }) => type)).toEqual(['stopped']);
  });

  it('[S-9] closes once, however often it is called', async () => {
    const { session, cli, events } = await start();
    const reports = await Promise.all([session.close(), session.close(), session.close()]);
    reports.push(await session.close());
    expect(reports).toEqual(Array.from({ length: 4 }, () => ({ exitCode: 0, signal: null, ended: 'by-itself' })));
    expect(cli.story).toEqual(['initialize', 'end_session']);
    expect(events.filter(({ type }) => TERMINAL.includes(type))).toHaveLength(1);
  });

  it('[S-9] leads to the state stopped without a further event if the CLI dies at the same moment', async () => {
    const { session, cli, events } = await start();
    const stopped = session.close();
    cli.die(null, 'SIGKILL');
    expect(await stopped).toMatchObject({ signal: 'SIGKILL' });
    await settle();
    expect(session.state).toBe('stopped');
    expect(events.at(-1)?.type).toBe('stopped');
  });

  it('[S-9] is called by await using', async () => {
    const { session, cli } = await start();
    {
      await using held = session;
      expect(held.state).toBe('running');
    }
    expect(session.state).toBe('stopped');
    expect(cli.hasExited).toBe(true);
  });

  it('[S-9] immediately fails the running turn, waiting turns and pending requests with SessionStoppedError', async () => {
    const cli = new FakeCli({ set_model: silence, end_session: silence });
    const { session } = await start({}, cli);
    const running = session.send('one');
    await cli.got('prompt one');
    const waiting = session.send('two');
    const request = session.setModel('x');
    const outcomes = Promise.allSettled([running.result(), waiting.text(), request]);
    void session.close();
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { name: 'SessionStoppedError' } });
    expect(cli.hasExited).toBe(false);
    await expect(session.setModel('y')).rejects.toMatchObject({ name: 'SessionStoppedError' });
    expect(cli.story).not.toContain('prompt two');
    cli.die();
  });

  it('[S-9, S-11] sends end_session even if the limit of requests is reached', async () => {
    const cli = new FakeCli({ set_model: silence });
    const { session } = await start({ limits: { maxPendingRequests: 2 } }, cli);
    const pending = Promise.allSettled([session.setModel('a'), session.setModel('b')]);
    await session.close();
    await pending;
    expect(cli.story.at(-1)).toBe('end_session');
  });
});

describe('an open request of the CLI when the session is stopped', () => {
  it('[S-8, S-9] is answered before end_session: guards block, permissions deny, tools fail, others get {}', async () => {
    const signals: AbortSignal[] = [];
    const hang = (_: unknown, context: { signal: AbortSignal }): Promise<never> => {
      signals.push(context.signal);
      return never();
    };
    const { session, cli } = await start({
      hooks: {
        PreToolUse: { run: hang, onFailure: 'continue' },
        UserPromptSubmit: hang,
        PermissionRequest: hang,
        PreModelSwitch: hang,
        PostToolUse: hang,
      },
      canUseTool: hang,
      mcpServers: { calc: () => never() },
      onElicitation: never,
      onControlRequest: never,
    });
    const turn = session
      .send('go')
      .result()
      .catch(() => {});
    cli.begin(await cli.got('prompt go'));
    cli.askHook('pre', 'PreToolUse', 'hook_0');
    cli.askHook('prompt', 'UserPromptSubmit', 'hook_1');
    cli.askHook('permission', 'PermissionRequest', 'hook_2');
    cli.askHook('model', 'PreModelSwitch', 'hook_3');
    cli.askHook('post', 'PostToolUse', 'hook_4');
    cli.askPermission('write');
    cli.ask('tool', 'mcp_message', {
      server_name: 'calc',
      message: { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'add' } },
    });
    cli.ask('elicit', 'elicitation', { mcp_server_name: 'calc', message: 'who?' });
    cli.ask('new', 'something_new');
    await settle();
    await session.close();
    await turn;
    expect(cli.story.slice(2, -1).toSorted()).toEqual(
      ['elicit', 'model', 'new', 'permission', 'post', 'pre', 'prompt', 'tool', 'write'].map((id) => `answer ${id}`),
    );
    expect(cli.story.at(-1)).toBe('end_session');
    const reason = expect.stringContaining('session is being stopped');
    expect(await cli.answered('pre')).toEqual({
      continue: false,
      stopReason: reason,
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason },
    });
    expect(await cli.answered('prompt')).toEqual({ continue: false, stopReason: reason });
    expect(await cli.answered('permission')).toMatchObject({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny' } },
    });
    expect(await cli.answered('model')).toMatchObject({
      continue: false,
      hookSpecificOutput: { hookEventName: 'PreModelSwitch', permissionDecision: 'deny' },
    });
    expect(await cli.answered('post')).toEqual({});
    expect(await cli.answered('write')).toEqual({
      behavior: 'deny',
      message: 'The session is being stopped.',
      interrupt: true,
      toolUseID: 'use-write',
    });
    expect(await cli.answered('tool')).toMatchObject({
      mcp_response: { jsonrpc: '2.0', id: 7, error: { code: expect.any(Number) } },
    });
    expect(await cli.answered('elicit')).toEqual({ action: 'decline' });
    expect(await cli.got('answer new')).toMatchObject({
      response: { subtype: 'error', error_code: 'unsupported_request' },
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual(Array.from({ length: 6 }, () => true));
  });

  it('[S-9, H-7] is answered in the same way if it arrives later, until the CLI exits', async () => {
    const ran: string[] = [];
    const cli = new FakeCli({ end_session: silence });
    const { session } = await start(
      {
        hooks: {
          PreToolUse: () => {
            ran.push('hook');
          },
        },
        canUseTool: () => {
          ran.push('permission');
          return allow();
        },
        onElicitation: () => {
          ran.push('elicitation');
          return { action: 'accept' };
        },
      },
      cli,
    );
    const stopped = session.close();
    await cli.got('end_session');
    cli.askHook('late');
    cli.askPermission('later');
    cli.ask('latest', 'elicitation', {});
    expect(await cli.answered('late')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(await cli.answered('later')).toMatchObject({ behavior: 'deny', interrupt: true });
    expect(await cli.answered('latest')).toEqual({ action: 'decline' });
    expect(ran).toEqual([]);
    cli.die();
    await stopped;
  });

  it('[S-9, H-6] is not answered by a callback that decides after the stop', async () => {
    let decide: (result: object) => void = () => {};
    const { session, cli } = await start({
      hooks: { PreToolUse: () => new Promise((resolve) => (decide = resolve)) },
    });
    cli.askHook('h1');
    await settle();
    const stopped = session.close();
    decide({});
    await stopped;
    expect(cli.story).toEqual(['initialize', 'answer h1', 'end_session']);
    expect(await cli.answered('h1')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  it('[S-9, S-11] is blocked before end_session for all of 48 pending hooks, running and queued', async () => {
    const { session, cli } = await start({ hooks: { PreToolUse: never } });
    const ids = Array.from({ length: 48 }, (_, i) => `h${i}`);
    for (const id of ids) cli.askHook(id);
    await settle();
    await session.close();
    expect(cli.story).toEqual(['initialize', ...ids.map((id) => `answer ${id}`), 'end_session']);
    for (const id of ids)
      expect(await cli.answered(id)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });
});

describe('an exit that was not requested', () => {
  it('[S-9] leads to the state ended if an idle CLI exits with 0', async () => {
    const { session, cli, events } = await start();
    cli.die(0);
    expect(await session.closed).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(session.state).toBe('ended');
    expect(events.slice(-3)).toMatchObject([
      { type: 'state-changed', state: 'ended' },
      { type: 'exit' },
      { type: 'ended' },
    ]);
  });

  it.each<[string, (cli: FakeCli) => void, number | null]>([
    ['with a turn running', (cli) => cli.say(assistant('half')), 0],
    ['with a task open', (cli) => cli.say({ type: 'system', subtype: 'task_started', task_id: 't' }), 0],
    ['with another code', () => {}, 3],
  ])('[S-9] leads to the state failed %s', async (name, before, code) => {
    const { session, cli, events } = await start();
    if (name.includes('turn'))
      session
        .send('x')
        .result()
        .catch(() => {});
    await settle();
    before(cli);
    await settle();
    cli.die(code);
    await session.closed;
    expect(session.state).toBe('failed');
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'process', exitCode: code } });
  });
});
