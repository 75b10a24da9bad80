import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import type { ConnectableServer, McpTransportLike } from '../../src/options/sdk-server.ts';
import { FakeCli, refusal, settle, silence, success } from '../support/fake-cli.ts';
import { assistant, INIT, result } from '../support/say.ts';
import { AT_ONCE, flagOf, open, refusing, start, story } from './stage.ts';

describe('a CLI that dies in a restarting session', () => {
  it('[A-2] interrupts the running turn; the other turns run in the next CLI, which resumes the conversation', async () => {
    const { session, cli, cli1, events } = await start();
    const { id } = session;
    const first = session.send('one');
    const cut = session.send('two');
    const next = session.send('three');
    cli1.reply(await cli1.got('prompt one'), 'first answer');
    expect(await first.text()).toBe('first answer');
    cli1.begin(await cli1.got('prompt two'));
    cli1.say(assistant('half of it'));
    cli1.die(null, 'SIGKILL');

    const failure = await cut.result().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      name: 'TurnInterruptedError',
      turn: cut.id,
      text: 'half of it',
      cause: { name: 'ProcessError', signal: 'SIGKILL' },
    });
    const { messages: items, terminalError } = await cut.collect();
    expect(items.map(({ type }) => type)).toEqual(['command_lifecycle', 'system', 'assistant']);
    expect(terminalError).toBe(failure);
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt three'), 'third answer');
    expect(await next.text()).toBe('third answer');
    expect(cli2.story).toEqual(['initialize', 'prompt three']);
    expect(flagOf(cli1, '--session-id')).toBe(id);
    expect(flagOf(cli2, '--resume')).toBe('session-1');
    expect(flagOf(cli2, '--session-id')).toBeUndefined();
    expect(session.restarts).toBe(1);
    await session.close();
    expect(story(events)).toEqual([
      ...['started', '-> init-sent', '-> running', 'ready'],
      ...['turn-started', 'turn-ended', 'turn-started', 'turn-ended', 'turn-interrupted'],
      ...['exit', '-> restarting', 'restarting'],
      ...['started', '-> running', 'restarted', 'turn-started', 'turn-ended'],
      ...['-> stopping', 'exit', '-> stopped', 'stopped'],
    ]);
    expect(events.find(({ type }) => type === 'restarting')).toMatchObject({
      attempt: 1,
      delayMs: 0,
      cause: { code: 'process', signal: 'SIGKILL' },
    });
    expect(events.find(({ type }) => type === 'restarted')).toMatchObject({ sessionId: 'session-1', resumed: true });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  });

  it('[A-2, T-6] is not replaced by one without a server that setMcpServers() requires; nor is a fork opened', async () => {
    const status = (state: string): FakeCli =>
      new FakeCli({
        mcp_status: success({ mcpServers: [{ name: 'guard', status: state, error: 'gone' }] }),
        mcp_set_servers: success({ added: ['guard'], removed: [], errors: {} }),
      });
    const states = ['connected', 'failed', 'failed', 'connected'];
    const { session, cli, clis, events } = open({}, AT_ONCE, (nth) => status(states[nth - 1] ?? 'connected'));
    await session.ready;
    await session.setMcpServers({ guard: { command: 'guard', required: true } });
    const cli1 = await cli(1);
    const first = session.send('one');
    cli1.reply(await cli1.got('prompt one'));
    await first.text();
    await expect(session.fork()).rejects.toMatchObject({ code: 'mcp-server-unavailable' });
    cli1.die(1);
    const turn = session.send('two');
    const cli4 = await cli(4);
    cli4.reply(await cli4.got('prompt two'));
    await turn.text();
    expect(clis.slice(1, 3).flatMap(({ story }) => story.filter((words) => words.startsWith('prompt')))).toEqual([]);
    const causes = events.filter((event) => event.type === 'restarting').map(({ cause }) => cause?.code);
    expect(causes).toEqual(['process', 'mcp-server-unavailable']);
  });

  it('[A-2] before it has accepted a prompt is restarted with the same id without loss', async () => {
    const { session, cli, cli1, events } = await start();
    const { id } = session;
    cli1.die(null, 'SIGSEGV');
    const turn = session.send('one');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt one'), 'an answer');
    expect(await turn.text()).toBe('an answer');
    expect(flagOf(cli2, '--session-id')).toBe(id);
    expect(flagOf(cli2, '--resume')).toBeUndefined();
    expect(events.find(({ type }) => type === 'restarted')).toMatchObject({ resumed: false });
  });

  it('[A-2] while the settings of a turn are applied does not lose the turn, which runs in the next CLI', async () => {
    const { session, cli, cli1 } = await start();
    cli1.answers.set_model = silence;
    const turn = session.send('one', { model: 'haiku' });
    await cli1.got('set_model');
    cli1.die(1);
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt one'), 'an answer');
    expect(await turn.text()).toBe('an answer');
    expect(cli2.story.slice(0, 4)).toEqual(['initialize', 'get_settings', 'set_model', 'prompt one']);
  });

  it('[A-2] before it has read a prompt does not interrupt that turn, which runs in the next CLI', async () => {
    const { session, cli1, cli } = await start();
    cli1.hasExited = true; // Writes fail, but this is not detected yet.
    const turn = session.send('one');
    await settle();
    cli1.die(null, 'SIGKILL');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt one'));
    expect(await turn.text()).toBe('done');
  });

  it('[A-2] before it has read a request does not fail the request, which the next CLI receives', async () => {
    const { session, cli1, cli } = await start();
    cli1.hasExited = true; // Writes fail, but this is not detected yet.
    const changed = session.setModel('haiku');
    await settle();
    cli1.die(null, 'SIGKILL');
    const cli2 = await cli(2);
    await changed;
    expect(cli2.story).toEqual(['initialize', 'set_model']);
  });

  it('[A-2, R-9] or closes its stdin but still runs is ended and replaced, and the turn runs in the next CLI', async () => {
    const { session, cli, cli1, events } = await start({ limits: { exitReadMs: 10 } });
    cli1.hasExited = true; // Writes fail, but the process has not exited.
    const turn = session.send('one');
    const changed = session.setModel('haiku');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt one'));
    expect(await turn.text()).toBe('done');
    await changed;
    expect(cli1.signals).toEqual(['terminate']);
    expect(events.find(({ type }) => type === 'restarting')).toMatchObject({ cause: { code: 'transport' } });
    expect(session.state).toBe('running');
  });

  it('[A-2] repeatedly is restarted repeatedly', async () => {
    const { session, cli, clis } = await start();
    for (let nth = 1; nth <= 5; nth++) {
      const turn = session.send(`turn ${nth}`);
      const dying = await cli(nth);
      dying.begin(await dying.got(`prompt turn ${nth}`));
      dying.die(nth);
      await expect(turn.result()).rejects.toMatchObject({ name: 'TurnInterruptedError', cause: { exitCode: nth } });
    }
    await cli(6);
    expect(clis).toHaveLength(6);
  });

  it('[A-2] ends its background tasks: idle() does not wait for them', async () => {
    const { session, cli1 } = await start();
    const turn = session.send('one');
    const prompt = await cli1.got('prompt one');
    cli1.begin(prompt);
    cli1.say({ type: 'system', subtype: 'task_started', task_id: 't1', session_id: 'session-1' });
    cli1.finish(prompt);
    await turn.result();
    const idle = session.idle();
    cli1.die(1);
    await idle;
  });
});

describe('the next CLI of a restarting session', () => {
  it('[A-2] is started with a session id after it refused resume: the transcript did not exist yet', async () => {
    const { session, cli, events } = open({}, AT_ONCE, (nth) =>
      nth === 2 ? refusing('No conversation found with session ID: x') : new FakeCli(),
    );
    const { id } = session;
    const cut = session.send('one');
    const cli1 = await cli(1);
    // The echo arrives while the transcript is being written.
    const { uuid, message } = await cli1.got('prompt one');
    cli1.say({ ...INIT, session_id: id }, { type: 'user', message, uuid, isReplay: true, session_id: id });
    await settle();
    cli1.die(null, 'SIGKILL');
    await expect(cut.text()).rejects.toMatchObject({ name: 'TurnInterruptedError' });
    const next = session.send('two');
    const cli3 = await cli(3);
    cli3.reply(await cli3.got('prompt two'));
    await next.text();
    expect(flagOf(await cli(2), '--resume')).toBe(id);
    expect(flagOf(cli3, '--session-id')).toBe(id);
    expect(events.filter(({ type }) => type === 'restarting')).toMatchObject([{ delayMs: 0 }, { delayMs: 0 }]);
  });

  it('[A-2] is started with resume after it refused the session id: the transcript already existed', async () => {
    const { session, cli } = open({}, AT_ONCE, (nth) =>
      nth === 2 ? refusing('Error: Session ID x is already in use.') : new FakeCli(),
    );
    const { id } = session;
    const cut = session.send('one');
    const cli1 = await cli(1);
    await cli1.got('prompt one');
    cli1.die(null, 'SIGKILL');
    await expect(cut.text()).rejects.toMatchObject({ name: 'TurnInterruptedError' });
    const next = session.send('two');
    const cli3 = await cli(3);
    cli3.reply(await cli3.got('prompt two'));
    await next.text();
    expect(flagOf(await cli(2), '--session-id')).toBe(id);
    expect(flagOf(cli3, '--resume')).toBe(id);
  });

  it('[A-2] starts an empty conversation with a new id if the CLI neither finds the old one nor accepts its id, without an endless alternation', async () => {
    const fresh = '22222222-2222-4222-8222-222222222222';
    const refusals = [
      `Error: Session ID ${fresh} is already in use.`,
      `No conversation found with session ID: ${fresh}`,
    ];
    const { session, cli, warnings, clis, events } = open({}, AT_ONCE, (nth) => {
      const words = refusals[nth - 2];
      return words === undefined ? new FakeCli() : refusing(words);
    });
    const cli1 = await cli(1);
    const clearing = session.clear();
    await cli1.got('prompt /clear');
    const synthetic = { type: 'assistant', message: { model: '<synthetic>', content: [] }, session_id: fresh };
    cli1.say({ ...INIT, session_id: fresh }, synthetic, result({ session_id: fresh, num_turns: 0 }));
    await clearing;
    await expect(session.fork()).rejects.toMatchObject({ name: 'SessionNotForkableError' });
    cli1.die(null, 'SIGKILL');
    const turn = session.send('one');
    const cli4 = await cli(4);
    const { id } = session;
    expect(flagOf(await cli(2), '--session-id')).toBe(fresh);
    expect(flagOf(await cli(3), '--resume')).toBe(fresh);
    expect(flagOf(cli4, '--session-id')).toBe(id);
    expect(id).not.toBe(fresh);
    cli4.reply(await cli4.got('prompt one'));
    expect(await turn.text()).toBe('done');
    expect(clis).toHaveLength(4);
    expect(warnings).toMatchObject([{ code: 'session-id-changed', context: { sessionId: id, before: fresh } }]);
    expect(events.filter(({ type }) => type === 'restarting')).toMatchObject([
      ...[{ attempt: 1 }, { attempt: 1, delayMs: 0 }, { attempt: 1, delayMs: 0 }],
    ]);
  });

  it('[A-2] counts as a failed start if it refuses every id, and the restart limit applies', async () => {
    const { session, cli, clis } = open({}, { ...AT_ONCE, maxRestarts: 3 }, (nth) =>
      nth === 1
        ? new FakeCli()
        : refusing(nth % 2 === 0 ? 'Error: Session ID x is already in use.' : 'No conversation found'),
    );
    await session.ready;
    (await cli(1)).die(null, 'SIGKILL');
    await expect(session.send('one').text()).rejects.toMatchObject({ cause: { name: 'RestartLimitError' } });
    // Three restarts, and the two that provided new information.
    expect(clis).toHaveLength(6);
  });

  it('[A-2] does not resume the conversation of another program with the same id', async () => {
    const { session, clis } = open({}, { ...AT_ONCE, maxRestarts: 2, firstStart: 'retry' }, () =>
      refusing('Error: Session ID x is already in use.'),
    );
    await expect(session.ready).rejects.toMatchObject({ name: 'RestartLimitError' });
    expect(clis.map((cli) => flagOf(cli, '--resume'))).toEqual([undefined, undefined, undefined]);
  });

  it('[A-2] does not start a new conversation in place of a lost one', async () => {
    const { session, cli, clis, events } = open({ resume: '11111111-1111-4111-8111-111111111111' }, AT_ONCE, (nth) =>
      nth === 1 ? new FakeCli() : refusing('No conversation found with session ID: x'),
    );
    await session.ready;
    (await cli(1)).die(null, 'SIGKILL');
    await expect(session.send('two').text()).rejects.toMatchObject({
      name: 'SessionStoppedError',
      cause: { name: 'CliExitedDuringInitError', message: expect.stringContaining('No conversation found') },
    });
    await session.closed;
    expect(session.state).toBe('failed');
    expect(clis).toHaveLength(2);
    expect(story(events).slice(-3)).toEqual(['gave-up', '-> failed', 'failed']);
  });

  it('[A-2] starts a conversation that was lost after its first answer again, with a warning', async () => {
    const { session, cli, warnings } = open({}, AT_ONCE, (nth) =>
      nth === 2 ? refusing('No conversation found with session ID: x') : new FakeCli(),
    );
    const cli1 = await cli(1);
    const turn = session.send('one');
    cli1.reply(await cli1.got('prompt one'));
    await turn.text();
    cli1.die(null, 'SIGKILL');
    const next = session.send('two');
    const cli3 = await cli(3);
    cli3.reply(await cli3.got('prompt two'));
    await next.text();
    expect(flagOf(await cli(2), '--resume')).toBe('session-1');
    expect(flagOf(cli3, '--session-id')).toBe('session-1');
    expect(warnings).toMatchObject([{ code: 'conversation-lost', context: { sessionId: 'session-1' } }]);
  });

  it('[A-2] gets the hooks, permissions and tools of the first', async () => {
    const asked: string[] = [];
    const { cli, cli1 } = await start({
      hooks: { PreToolUse: [{ matcher: 'Bash', run: (input) => void asked.push(input.hook_event_name) }] },
      canUseTool: async ({ toolName }) => {
        asked.push(toolName);
        return allow();
      },
      mcpServers: { calc: () => ({ result: { tools: [] } }) },
    });
    cli1.die(1);
    const cli2 = await cli(2);
    const [first, second] = [await cli1.got('initialize'), await cli2.got('initialize')];
    expect(second.request).toEqual(first.request);
    cli2.askHook('h1');
    cli2.askPermission('p1');
    cli2.ask('m1', 'mcp_message', { server_name: 'calc', message: { jsonrpc: '2.0', id: 0, method: 'tools/list' } });
    expect(await cli2.answered('p1')).toMatchObject({ behavior: 'allow' });
    expect(await cli2.answered('m1')).toMatchObject({ mcp_response: { result: { tools: [] } } });
    await cli2.answered('h1');
    expect(asked).toEqual(['PreToolUse', 'Write']);
  });

  it('[A-2, T-1] gets the same server object, once the previous CLI has released it', async () => {
    const transports: McpTransportLike[] = [];
    let closing = (): void => {};
    const server: ConnectableServer = {
      async connect(transport) {
        transports.push(transport);
        transport.onmessage = (message) =>
          void transport.send({ jsonrpc: '2.0', id: Reflect.get(message, 'id'), result: { nth: transports.length } });
      },
      close: () =>
        new Promise((resolve) => {
          closing = resolve;
        }),
    };
    const { cli, cli1, clis, session } = await start({ mcpServers: { calc: server } });
    cli1.die(1);
    await settle();
    expect(session.state).toBe('restarting');
    expect(clis).toHaveLength(1);
    closing();
    const cli2 = await cli(2);
    cli2.ask('m1', 'mcp_message', { server_name: 'calc', message: { jsonrpc: '2.0', id: 0, method: 'ping' } });
    expect(await cli2.answered('m1')).toMatchObject({ mcp_response: { result: { nth: 2 } } });
    const stopped = session.close();
    await settle();
    closing();
    await stopped;
  });

  it('[O-9] gets the original settings, even if the caller has changed its objects since', async () => {
    const { session, cli, cli1 } = await start();
    const settings = { permissions: { deny: ['Bash(rm *)'] } };
    const servers = { files: { command: 'files' } };
    await session.applySettings(settings);
    await session.setMcpServers(servers);
    settings.permissions.deny.length = 0;
    servers.files.command = 'others';
    const turn = session.send('one');
    cli1.begin(await cli1.got('prompt one'));
    await settle();
    cli1.die(1);
    await expect(turn.result()).rejects.toMatchObject({ name: 'TurnInterruptedError' });
    const cli2 = await cli(2);
    expect((await cli2.got('apply_flag_settings')).request?.settings).toEqual({
      permissions: { deny: ['Bash(rm *)'] },
    });
    expect((await cli2.got('mcp_set_servers')).request?.servers).toMatchObject({ files: { command: 'files' } });
  });

  it('[A-2] gets the settings of the first', async () => {
    const { session, cli, cli1, warnings } = await start({ model: 'opus', thinking: { type: 'enabled' } });
    await session.setModel('sonnet');
    await session.setPermissionMode('acceptEdits');
    await session.setMaxThinkingTokens(0);
    await session.applySettings({ env: { A: '1' } });
    await session.setMcpServers({ files: { command: 'files' } });
    await session.toggleMcpServer('files', false);
    const turn = session.send('one', { model: 'haiku', permissionMode: 'plan' });
    cli1.begin(await cli1.got('prompt one'));
    cli1.say({ type: 'system', subtype: 'status', status: null, permissionMode: 'plan', session_id: 'session-1' });
    await settle();
    cli1.die(1);
    await expect(turn.result()).rejects.toMatchObject({ name: 'TurnInterruptedError' });
    session
      .send('two')
      .result()
      .catch(() => {});
    const cli2 = await cli(2);
    await cli2.got('prompt two');
    expect(flagOf(cli2, '--model')).toBe('sonnet');
    expect(flagOf(cli2, '--permission-mode')).toBe('acceptEdits');
    expect(flagOf(cli2, '--thinking')).toBe('disabled');
    expect(cli2.story).toEqual([
      ...['initialize', 'apply_flag_settings', 'get_settings', 'mcp_set_servers', 'mcp_toggle', 'prompt two'],
    ]);
    expect((await cli2.got('apply_flag_settings')).request?.settings).toEqual({ env: { A: '1' } });
    expect(warnings).toEqual([]);
  });

  it.each([
    ['is not restored yet', 'two', {}],
    ['is not restored yet, and the next turn has another', 'two', { permissionMode: 'plan' }],
  ] as const)('[A-2] does not get the permission mode of a single turn that %s', async (_, next, own) => {
    const { session, cli, cli1 } = await start({ permissionMode: 'default' });
    const first = session.send('one', { permissionMode: 'acceptEdits' });
    const prompt = await cli1.got('prompt one');
    cli1.answers.set_permission_mode = silence;
    cli1.reply(prompt);
    await first.text();
    const second = session.send(next, own);
    await cli1.got('set_permission_mode', 2);
    cli1.die(null, 'SIGKILL');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt two'));
    await second.text();
    expect(flagOf(cli2, '--permission-mode')).toBe('default');
  });

  it('[A-2] does not get the permission mode of a single turn that the CLI reported before its confirmation', async () => {
    const { session, cli, cli1 } = await start({ permissionMode: 'default' });
    cli1.answers.set_permission_mode = (asked) =>
      asked.say({
        type: 'system',
        subtype: 'status',
        status: null,
        permissionMode: 'acceptEdits',
        session_id: 'session-1',
      });
    const turn = session.send('one', { permissionMode: 'acceptEdits' });
    await cli1.got('set_permission_mode');
    await settle();
    cli1.die(null, 'SIGKILL');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt one'));
    await turn.text();
    expect(flagOf(cli2, '--permission-mode')).toBe('default');
  });

  it('[A-2] keeps the mode that followed plan mode after a turn with its own mode', async () => {
    const { session, cli, cli1 } = await start({ permissionMode: 'acceptEdits' });
    const turn = session.send('one', { permissionMode: 'plan' });
    cli1.reply(await cli1.got('prompt one'));
    await turn.text();
    await cli1.got('set_permission_mode', 2);
    await settle();
    cli1.say({ type: 'system', subtype: 'status', status: null, permissionMode: 'default', session_id: 'session-1' });
    await settle();
    cli1.die(null, 'SIGKILL');
    const cli2 = await cli(2);
    await cli2.got('initialize');
    expect(flagOf(cli2, '--permission-mode')).toBe('default');
  });

  it('[A-2] keeps a mode that a permission answer changed, and reports settings that it could not restore', async () => {
    const { session, cli, warnings } = open({ permissionMode: 'plan' }, AT_ONCE, (nth) =>
      nth === 1 ? new FakeCli() : new FakeCli({ apply_flag_settings: refusal('no such setting') }),
    );
    const cli1 = await cli(1);
    await session.applySettings({ theme: 'dark' });
    cli1.say({ type: 'system', subtype: 'status', status: null, permissionMode: 'default', session_id: 'session-1' });
    await settle();
    cli1.die(1);
    const turn = session.send('one');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt one'));
    await turn.text();
    expect(flagOf(cli2, '--permission-mode')).toBe('default');
    expect(warnings).toMatchObject([{ code: 'setting-not-restored', context: { what: 'applySettings theme' } }]);
  });

  it('[A-2] is replaced when it refuses the rules that applySettings() added: no prompt runs without them', async () => {
    const { session, cli, warnings } = open({}, AT_ONCE, (nth) =>
      nth === 2 ? new FakeCli({ apply_flag_settings: refusal('not now') }) : new FakeCli(),
    );
    const cli1 = await cli(1);
    await session.applySettings({ permissions: { deny: ['Bash'] } });
    cli1.die(1);
    const turn = session.send('one');
    const cli3 = await cli(3);
    cli3.reply(await cli3.got('prompt one'));
    await turn.text();
    expect((await cli(2)).story).not.toContain('prompt one');
    expect(cli3.story).toContain('apply_flag_settings');
    expect(warnings).toEqual([]);
  });

  it('[A-2] gets what request() has changed, as what the methods have changed', async () => {
    const { session, cli } = open({}, AT_ONCE);
    const cli1 = await cli(1);
    await session.request('apply_flag_settings', { settings: { permissions: { deny: ['Bash'] } } });
    await session.request('set_permission_mode', { mode: 'plan' });
    cli1.die(1);
    const turn = session.send('one');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt one'));
    await turn.text();
    expect(flagOf(cli2, '--permission-mode')).toBe('plan');
    expect(cli2.story.indexOf('apply_flag_settings')).toBeLessThan(cli2.story.indexOf('prompt one'));
    expect(cli2.story).toContain('apply_flag_settings');
  });

  it('[A-2] causes no warning if it dies while settings are restored; the one after it gets them', async () => {
    const { session, cli, warnings } = open({}, AT_ONCE, (nth) =>
      nth === 2 ? new FakeCli({ apply_flag_settings: (dying) => dying.die(1) }) : new FakeCli(),
    );
    const cli1 = await cli(1);
    await session.applySettings({ theme: 'dark' });
    await session.setMcpServers({ files: { command: 'files' } });
    cli1.die(1);
    const cli3 = await cli(3);
    await cli3.got('mcp_set_servers');
    expect(cli3.story).toEqual(['initialize', 'apply_flag_settings', 'get_settings', 'mcp_set_servers']);
    expect(warnings).toEqual([]);
  });

  it('[A-2] keeps a server disabled that was set before and after that', async () => {
    const { session, cli, cli1 } = await start();
    await session.setMcpServers({ files: { command: 'files' } });
    await session.toggleMcpServer('files', false);
    await session.setMcpServers({ files: { command: 'files' }, more: { command: 'more' } });
    cli1.die(1);
    const cli2 = await cli(2);
    await cli2.got('mcp_toggle');
    expect(cli2.story).toEqual(['initialize', 'mcp_set_servers', 'mcp_toggle']);
  });

  it('[A-2] repeats forkSession and resumeAt only if the first CLI died before using them', async () => {
    const options = { resume: '11111111-1111-4111-8111-111111111111', resumeAt: 'm1', forkSession: true };
    const { session, cli, cli1 } = await start(options);
    const { id } = session;
    cli1.die(1);
    const turn = session.send('one');
    const cli2 = await cli(2);
    expect(cli2.request?.argv).toEqual(cli1.request?.argv);
    expect(flagOf(cli2, '--session-id')).toBe(id);
    const { uuid, message } = await cli2.got('prompt one');
    cli2.say({ ...INIT, session_id: id }, { type: 'user', message, uuid, isReplay: true, session_id: id });
    await settle();
    cli2.die(1);
    await expect(turn.text()).rejects.toMatchObject({ name: 'TurnInterruptedError' });
    const cli3 = await cli(3);
    await cli3.got('initialize');
    expect(flagOf(cli3, '--resume')).toBe(id);
    for (const flag of ['--fork-session', '--resume-session-at', '--session-id']) {
      expect(cli3.request?.argv).not.toContain(flag);
    }
  });

  it('[A-2] resumes at the same message as long as nothing followed it', async () => {
    const { session, cli, cli1 } = await start({ resume: '11111111-1111-4111-8111-111111111111', resumeAt: 'm1' });
    const { id } = session;
    cli1.die(1);
    const turn = session.send('one');
    const cli2 = await cli(2);
    const { uuid, message } = await cli2.got('prompt one');
    expect(cli2.request?.argv).toEqual(cli1.request?.argv);
    cli2.say({ ...INIT, session_id: id }, { type: 'user', message, uuid, isReplay: true, session_id: id });
    await settle();
    cli2.die(1);
    await expect(turn.text()).rejects.toMatchObject({ name: 'TurnInterruptedError' });
    const cli3 = await cli(3);
    await cli3.got('initialize');
    expect(flagOf(cli3, '--resume')).toBe(id);
    expect(cli3.request?.argv).not.toContain('--resume-session-at');
  });

  it('[A-2] resumes the conversation after a clear(), not the one before it', async () => {
    const { session, cli, cli1 } = await start({ resume: '11111111-1111-4111-8111-111111111111' });
    const first = session.send('one');
    cli1.reply(await cli1.got('prompt one'));
    await first.text();
    const cleared = session.clear();
    const fresh = '22222222-2222-4222-8222-222222222222';
    await cli1.got('prompt /clear');
    cli1.say({ ...INIT, session_id: fresh }, result({ session_id: fresh, num_turns: 0 }));
    await cleared;
    expect(session.id).toBe(fresh);
    cli1.die(1);
    const cli2 = await cli(2);
    await cli2.got('initialize');
    expect(flagOf(cli2, '--session-id')).toBe(fresh);
    expect(flagOf(cli2, '--resume')).toBeUndefined();
  });

  it('[A-2] reports the same warning once, not after every restart', async () => {
    const { cli, cli1, warnings } = await start({
      canUseTool: async () => allow(),
      allowedTools: ['Bash', 'Bsah(ls)'],
      hooks: { PreToolUse: [{ matcher: 'Nothing', run: () => ({}) }] },
    });
    cli1.say({ ...INIT, tools: ['Bash'] });
    await settle();
    cli1.die(1);
    const cli2 = await cli(2);
    cli2.say({ ...INIT, tools: ['Bash'] });
    await settle();
    expect(warnings.map(({ code }) => code).sort()).toEqual([
      'matcher-never-matches',
      'permissions-shadowed',
      'unknown-tool',
    ]);
  });

  it('[A-2] may be another release: its report replaces the capabilities', async () => {
    const { session, cli } = open(
      {},
      AT_ONCE,
      (nth) =>
        new FakeCli({ initialize: success({ commands: [{ name: `c${nth}` }], claude_code_version: `2.2.${nth}` }) }),
    );
    await session.ready;
    expect(session.commands).toEqual([{ name: 'c1' }]);
    (await cli(1)).die(1);
    await (await cli(2)).got('initialize');
    await session.mcpStatus();
    expect(session.capabilities.cliVersion).toBe('2.2.2');
    expect(session.commands).toEqual([{ name: 'c2' }]);
  });
});
