import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, prewarm, type Query, startup, tool } from '../src/sdk.ts';
import { collect, FakeProcess, openInput, result, stage } from './support/fake-process.ts';

const HANDSHAKE = {
  commands: [{ name: 'clear', description: 'Clears', argumentHint: '' }],
  models: [{ value: 'opus' }],
  agents: [{ name: 'rower', description: 'Rows.' }],
  account: { apiKeySource: 'none' },
  output_style: 'default',
  newer: { kept: true },
};

function cliWith(answers: FakeProcess['answers'] = {}): FakeProcess {
  const cli = new FakeProcess();
  Object.assign(cli.answers, { initialize: () => HANDSHAKE }, answers);
  return cli;
}

describe('the methods of a query', () => {
  it.each<[string, (running: Query) => Promise<unknown>, object]>([
    ['setModel', (it) => it.setModel('haiku'), { subtype: 'set_model', model: 'haiku' }],
    ['setModel without a name', (it) => it.setModel(), { subtype: 'set_model' }],
    ['setPermissionMode', (it) => it.setPermissionMode('plan'), { subtype: 'set_permission_mode', mode: 'plan' }],
    [
      'setMaxThinkingTokens',
      (it) => it.setMaxThinkingTokens(0, 'omitted'),
      { subtype: 'set_max_thinking_tokens', max_thinking_tokens: 0, thinking_display: 'omitted' },
    ],
    [
      'applyFlagSettings',
      (it) => it.applyFlagSettings({ model: null }),
      { subtype: 'apply_flag_settings', settings: { model: null } },
    ],
    [
      'updateSettings',
      (it) => it.updateSettings('userSettings', { a: 1 }),
      { subtype: 'update_settings', source: 'userSettings', settings: { a: 1 } },
    ],
    ['interrupt', (it) => it.interrupt(), { subtype: 'interrupt' }],
    ['mcpServerStatus', (it) => it.mcpServerStatus(), { subtype: 'mcp_status' }],
    ['reconnectMcpServer', (it) => it.reconnectMcpServer('x'), { subtype: 'mcp_reconnect', serverName: 'x' }],
    [
      'toggleMcpServer',
      (it) => it.toggleMcpServer('x', false),
      { subtype: 'mcp_toggle', serverName: 'x', enabled: false },
    ],
    [
      'readMcpResource',
      (it) => it.readMcpResource('x', 'ui://a'),
      { subtype: 'mcp_read_resource', serverName: 'x', uri: 'ui://a' },
    ],
    [
      'setMcpPermissionModeOverride',
      (it) => it.setMcpPermissionModeOverride('x', null),
      { subtype: 'set_mcp_permission_mode_override', serverName: 'x', mode: null },
    ],
    [
      'getContextUsage',
      (it) => it.getContextUsage({ detail: 'full' }),
      { subtype: 'get_context_usage', detail: 'full' },
    ],
    ['usage', (it) => it.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(), { subtype: 'get_usage' }],
    ['readFile', (it) => it.readFile('/a', { maxBytes: 5 }), { subtype: 'read_file', path: '/a', max_bytes: 5 }],
    [
      'reloadPlugins',
      (it) => it.reloadPlugins({ refuseIfBusy: true }),
      { subtype: 'reload_plugins', refuse_if_busy: true },
    ],
    ['reloadSkills', (it) => it.reloadSkills(), { subtype: 'reload_skills' }],
    ['reloadOutputStyles', (it) => it.reloadOutputStyles(), { subtype: 'reload_output_styles' }],
    [
      'rewindFiles',
      (it) => it.rewindFiles('u', { dryRun: true }),
      { subtype: 'rewind_files', user_message_id: 'u', dry_run: true },
    ],
    ['seedReadState', (it) => it.seedReadState('/a', 1), { subtype: 'seed_read_state', path: '/a', mtime: 1 }],
    ['stopTask', (it) => it.stopTask('t'), { subtype: 'stop_task', task_id: 't' }],
    ['backgroundTasks', (it) => it.backgroundTasks('t'), { subtype: 'background_tasks', tool_use_id: 't' }],
  ])('[U-4] %s sends its control request', async (_name, call, expected) => {
    const { cli, query } = stage(openInput().stream, {}, cliWith());
    await call(query);
    expect(cli.frames.map(({ request }) => request)).toContainEqual(expected);
  });

  it.each([
    [
      'generateSessionTitle',
      ['A voyage', { persist: false }],
      { subtype: 'generate_session_title', description: 'A voyage', persist: false },
    ],
    [
      'mcpAuthenticate',
      ['x', 'http://a/b'],
      { subtype: 'mcp_authenticate', serverName: 'x', redirectUri: 'http://a/b' },
    ],
    ['enableRemoteControl', [true, 'Ariel'], { subtype: 'remote_control', enabled: true, name: 'Ariel' }],
  ])('[U-4] the undeclared %s sends its control request', async (name, args, expected) => {
    const { cli, query } = stage(openInput().stream, {}, cliWith());
    await Reflect.get(query, name).apply(query, args);
    expect(cli.frames.map(({ request }) => request)).toContainEqual(expected);
  });

  it('[U-4] return the unchanged answers of the CLI; an error has its message, and the typed error as its cause', async () => {
    const cli = cliWith({
      interrupt: () => ({ still_queued: [] }),
      background_tasks: () => ({ backgrounded: false }),
      read_file: () => 'no such file',
      rewind_files: () => 'File rewinding is not enabled.',
    });
    const { query } = stage(openInput().stream, {}, cli);
    expect(await query.interrupt()).toEqual({ still_queued: [] });
    expect(await query.backgroundTasks()).toBe(false);
    expect(await query.readFile('/a')).toBeNull();
    const refused = { message: 'File rewinding is not enabled.', cause: { code: 'control-request' } };
    await expect(query.rewindFiles('u')).rejects.toMatchObject(refused);
  });

  it('[U-4] keep the complete answer of the handshake, and newer commands replace the first ones', async () => {
    const { cli, query } = stage(openInput().stream, {}, cliWith());
    expect(await query.initializationResult()).toEqual(HANDSHAKE);
    expect(await query.supportedModels()).toEqual(HANDSHAKE.models);
    expect(await query.supportedAgents()).toEqual(HANDSHAKE.agents);
    expect(await query.accountInfo()).toEqual(HANDSHAKE.account);
    expect(await query.supportedCommands()).toEqual(HANDSHAKE.commands);
    cli.say({ type: 'system', subtype: 'commands_changed', commands: [] });
    await query.next();
    expect(await query.supportedCommands()).toEqual([]);
    expect(await query.reinitialize()).toEqual(HANDSHAKE);
  });

  it('[U-3, U-4] include setMcpServers, which adds in-process servers and removes unnamed ones', async () => {
    const { cli, query } = stage(openInput().stream, {}, cliWith());
    const boats = createSdkMcpServer({
      name: 'boats',
      tools: [
        tool('seats', 'Seats.', { boat: z.string() }, async ({ boat }) => ({
          content: [{ type: 'text', text: `${boat}: 8` }],
        })),
      ],
    });
    await query.setMcpServers({ boats, other: { command: 'x' } });
    expect(cli.frames.at(-1)?.request).toEqual({
      subtype: 'mcp_set_servers',
      servers: { other: { command: 'x' }, boats: { type: 'sdk', name: 'boats' } },
    });
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    cli.ask('m1', 'mcp_message', { server_name: 'boats', message });
    expect((await cli.answered('m1')).response).toEqual({ mcp_response: { jsonrpc: '2.0', id: 1, result: {} } });
    await query.setMcpServers({});
    cli.ask('m2', 'mcp_message', { server_name: 'boats', message });
    expect((await cli.answered('m2')).response).toMatchObject({ mcp_response: { error: { code: -32_601 } } });
  });
});

describe('the query object', () => {
  it('[U-4] is a flat class without `then`, with a separate iterator', async () => {
    const { query } = stage(openInput().stream);
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(query));
    for (const name of ['next', 'return', 'throw', 'interrupt', 'setModel', 'streamInput', 'close'])
      expect(names).toContain(name);
    expect('then' in query).toBe(false);
    expect(await query).toBe(query);
    expect(query[Symbol.asyncIterator]()).not.toBe(query);
    expect(Symbol.dispose in query).toBe(false);
  });

  it('[U-4] works behind a proxy, and with methods that were copied from its prototype', async () => {
    const { cli, query } = stage(openInput('One.').stream, {}, cliWith());
    const traced: Query = new Proxy(query, { get: (target, name, receiver) => Reflect.get(target, name, receiver) });
    await traced.setModel('haiku');
    const copy: Record<string, unknown> = {};
    const prototype = Object.getPrototypeOf(query);
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const { value } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
      if (typeof value === 'function') copy[name] = value.bind(query);
    }
    await (copy.setPermissionMode as Query['setPermissionMode'])('plan');
    cli.say(result());
    for await (const message of traced) {
      expect(message.type).toBe('result');
      break;
    }
  });
});

describe('a warm start', () => {
  const optionsFor = (cli: FakeProcess): object => ({
    pathToClaudeCodeExecutable: 'claude',
    env: {},
    spawnClaudeCodeProcess: () => cli,
  });

  it('[U-4] startup() waits for the handshake; its query works once', async () => {
    const cli = cliWith();
    const warm = await startup({ options: optionsFor(cli) });
    expect(cli.frames.map(({ type }) => type)).toEqual(['control_request']);
    const running = warm.query('Hi.');
    await cli.prompt();
    cli.say(result());
    expect((await collect(running)).types).toEqual(['result']);
    expect(() => warm.query('Again.')).toThrow('WarmQuery.query() can only be called once');
  });

  it('[U-4, U-6] startup() rejects if the CLI dies or does not answer in time, and leaves no process', async () => {
    const dying = cliWith({ initialize: () => undefined });
    setImmediate(() => dying.leave(6));
    await expect(startup({ options: optionsFor(dying) })).rejects.toThrow('Claude Code process exited with code 6');
    const silent = cliWith({ initialize: () => undefined });
    const late = startup({ options: optionsFor(silent), initializeTimeoutMs: 20 });
    await expect(late).rejects.toThrow('Subprocess initialization did not complete within 20ms.');
    expect(silent.signals).toEqual(['SIGTERM']);
  });

  it('[U-4] close() ends an unused process', async () => {
    const cli = cliWith();
    const warm = await startup({ options: optionsFor(cli) });
    warm.close();
    await new Promise((resolve) => cli.once('exit', resolve));
    expect(() => warm.query('Too late.')).toThrow('WarmQuery.query() can only be called once');
  });

  it('[U-4] prewarm() applies changeable options before the prompt, and refuses the others', async () => {
    const cli = cliWith();
    const spare = await prewarm({ options: optionsFor(cli) });
    const cwd = process.cwd();
    expect(() => spare.claim({ prompt: 'Hi.', options: { cwd: '/elsewhere' } })).toThrow(
      'claim({ cwd }) is not supported',
    );
    expect(() => spare.claim({ prompt: 'Hi.', options: { cwd, appendSystemPrompt: 'x' } })).toThrow('is not supported');
    const running = spare.claim({ prompt: 'Hi.', options: { cwd, model: 'haiku', permissionMode: 'plan' } });
    await cli.prompt();
    expect(cli.frames.map(({ request, type }) => request?.subtype ?? type)).toEqual([
      'initialize',
      'set_model',
      'set_permission_mode',
      'user',
    ]);
    cli.say(result());
    expect((await collect(running)).types).toEqual(['result']);
    expect(await spare.claimed).toMatchObject({ cwd, sessionId: 's' });
    await spare.exited;
  });

  it('[U-6] with a claim that the CLI refuses ends the query with the reason', async () => {
    const cli = cliWith({ set_model: () => 'No such model' });
    const spare = await prewarm({ options: optionsFor(cli) });
    const running = spare.claim({ prompt: 'Hi.', options: { cwd: process.cwd(), model: 'x' } });
    expect((await collect(running)).thrown).toMatchObject({
      message: 'Operation aborted',
      cause: { message: 'No such model' },
    });
  });
});
