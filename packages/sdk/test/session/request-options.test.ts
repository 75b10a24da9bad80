import { describe, expect, it } from 'vitest';
import type { RequestOptions } from '../../src/control/pending.ts';
import type { Session } from '../../src/session/session.ts';
import { open as openRestarting } from '../restart/stage.ts';
import { FakeCli, open, settle, silence, start, success } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';

fakeClock();

type Call = (session: Session, options: RequestOptions) => Promise<unknown>;

const OPERATIONS: readonly (readonly [subtype: string, call: Call])[] = [
  ['interrupt', (s, options) => s.interrupt(options)],
  ['set_model', (s, options) => s.setModel('opus', options)],
  ['set_permission_mode', (s, options) => s.setPermissionMode('plan', options)],
  ['set_max_thinking_tokens', (s, options) => s.setMaxThinkingTokens(0, options)],
  ['rewind_files', (s, options) => s.rewindFiles('u', { dryRun: true, ...options })],
  ['mcp_status', (s, options) => s.mcpStatus(options)],
  ['mcp_set_servers', (s, options) => s.setMcpServers({}, options)],
  ['mcp_reconnect', (s, options) => s.reconnectMcpServer('a', options)],
  ['mcp_toggle', (s, options) => s.toggleMcpServer('a', true, options)],
  ['get_context_usage', (s, options) => s.contextUsage(options)],
  ['get_settings', (s, options) => s.getSettings(options)],
  ['apply_flag_settings', (s, options) => s.applySettings({}, options)],
  ['stop_task', (s, options) => s.stopTask('t', options)],
  ['get_task_output', (s, options) => s.taskOutput('t', options)],
  ['mcp_read_resource', (s, options) => s.readMcpResource('a', 'ui://b', options)],
  ['reload_plugins', (s, options) => s.reloadPlugins(options)],
  ['reload_skills', (s, options) => s.reloadSkills(options)],
  ['reload_output_styles', (s, options) => s.reloadOutputStyles(options)],
  ['get_usage', (s, options) => s.usage(options)],
  ['list_permission_rules', (s, options) => s.permissionRules(options)],
  ['get_hooks_listing', (s, options) => s.configuredHooks(options)],
  ['anything', (s, options) => s.request('anything', {}, options)],
];

describe.each(['plain', 'restarting'] as const)('the options of a request in a %s session', (kind) => {
  async function ready(cli: FakeCli): Promise<Session> {
    const options = { fileCheckpointing: true };
    if (kind === 'plain') return (await start(options, cli)).session;
    const { session } = openRestarting(options, undefined, () => cli);
    await session.ready;
    return session;
  }

  it.each(OPERATIONS)('[X-1, X-2] %s fails with ControlTimeoutError after timeoutMs', async (subtype, call) => {
    const session = await ready(new FakeCli({ [subtype]: silence }));
    const asked = expect(call(session, { timeoutMs: 7 })).rejects.toMatchObject({
      name: 'ControlTimeoutError',
      kind: subtype,
      message: expect.stringContaining('7 ms'),
    });
    await pass(7);
    await asked;
    expect(session.state).toBe('running');
  });

  it.each(OPERATIONS)(
    '[X-3] %s fails with AbortError and is withdrawn when its signal is aborted',
    async (subtype, call) => {
      const cli = new FakeCli({ [subtype]: silence });
      const session = await ready(cli);
      const controller = new AbortController();
      const asked = call(session, { signal: controller.signal });
      const { request_id: id } = await cli.got(subtype);
      controller.abort(new Error('never mind'));
      await expect(asked).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'never mind' } });
      expect(await cli.got(`cancel ${id}`)).toEqual({ type: 'control_cancel_request', request_id: id });
    },
  );
});

describe('a control request that times out', () => {
  it('[X-2, E-6] is reported by an event and a log line; its late answer is not reported again', async () => {
    const lines: [level: string, message: string][] = [];
    const note = (level: string) => (_: object, message?: string) => void lines.push([level, message ?? '']);
    const logger = {
      trace: note('trace'),
      debug: note('debug'),
      info: note('info'),
      warn: note('warn'),
      error: note('error'),
    };
    const cli = new FakeCli({ mcp_status: silence });
    const { session, events } = await start({ logger }, cli);
    const asked = expect(session.mcpStatus({ timeoutMs: 5 })).rejects.toMatchObject({ name: 'ControlTimeoutError' });
    await pass(5);
    await asked;
    cli.succeed('req_2');
    await settle();
    const answers = events.filter(({ type }) => type === 'request-answered');
    expect(answers.slice(1)).toMatchObject([{ id: 'req_2', ok: false }]);
    expect(lines).toContainEqual(['warn', 'coxswain: the CLI did not answer mcp_status within 5 ms']);
  });

  it('[X-1] does not end the session if it is an interrupt with its own timeoutMs; one without does', async () => {
    const cli = new FakeCli({ interrupt: silence });
    const { session } = await start({ limits: { interruptTimeoutMs: 50 } }, cli);
    const turn = session.send('long');
    cli.begin(await cli.got('prompt long'));
    const own = expect(session.interrupt({ timeoutMs: 5 })).rejects.toMatchObject({ name: 'ControlTimeoutError' });
    await pass(5);
    await own;
    expect(session.state).toBe('running');
    const usual = expect(session.interrupt()).rejects.toMatchObject({ name: 'ControlTimeoutError' });
    const failed = expect(turn.result()).rejects.toMatchObject({ name: 'TurnStuckError' });
    await pass(50);
    await usual;
    await failed;
    expect(session.state).toBe('failed');
  });
});

describe.each(['plain', 'restarting'] as const)('a %s session that is starting', (kind) => {
  function starting(): Session {
    const cli = new FakeCli({ initialize: silence });
    return kind === 'plain' ? open(cli).session : openRestarting({}, undefined, () => cli).session;
  }

  it('[X-2, S-15] counts the timeoutMs of an operation from the call', async () => {
    const asked = expect(starting().mcpStatus({ timeoutMs: 20 })).rejects.toMatchObject({
      code: 'control-timeout',
      kind: 'mcp_status',
      requestId: undefined,
      message: expect.stringContaining('mcp_status was not sent within 20 ms'),
    });
    await pass(20);
    await asked;
  });

  it('[E-4, X-3] is closed without an unhandled rejection after an operation with an aborted signal', async () => {
    const session = starting();
    await expect(session.setModel('x', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'abort' });
    const closed = session.close();
    await pass(60_000);
    await closed;
    await settle();
  });
});

describe('a setting that the CLI did not confirm', () => {
  it.each(['timeout', 'abort'])('[S-7] after a %s is set again by the next turn that uses it', async (how) => {
    const cli = new FakeCli();
    const { session } = await start({ model: 'a' }, cli);
    cli.answers.set_model = silence;
    const controller = new AbortController();
    const asked = session.setModel('b', how === 'timeout' ? { timeoutMs: 5 } : { signal: controller.signal });
    const failed = expect(asked).rejects.toThrow();
    await cli.got('set_model');
    controller.abort();
    await pass(5);
    await failed;
    delete cli.answers.set_model;
    const turn = session.send('two', { model: 'a' });
    cli.reply(await cli.got('prompt two'));
    await turn.result();
    expect(cli.story.filter((frame) => frame === 'set_model').length).toBeGreaterThan(1);
  });
});

describe('an interrupt with an already aborted signal', () => {
  it('[X-3, S-7] is not sent, and steered prompts remain', async () => {
    const cli = new FakeCli();
    const { session } = await start({}, cli);
    const turn = session.send('long');
    cli.begin(await cli.got('prompt long'));
    await turn.steer('more');
    await expect(session.interrupt({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'abort' });
    await settle();
    expect(cli.story).toEqual(['initialize', 'prompt long', 'prompt more']);
  });
});

describe('the signal of a control request', () => {
  it('[X-3, S-15] aborts an operation that waits for the start, before anything is sent', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli);
    const controller = new AbortController();
    const asked = session.setModel('opus', { signal: controller.signal });
    await cli.got('initialize');
    controller.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    cli.succeed('req_1', { commands: [] });
    await session.ready;
    await session.setModel('haiku');
    expect(cli.story).toEqual(['initialize', 'set_model']);
  });

  it('[X-3, A-2] aborts an operation that waits for the next CLI', async () => {
    const { session, cli } = openRestarting({}, { delayMs: 60_000, maxRestarts: 5 });
    await session.ready;
    (await cli(1)).die(1);
    await settle();
    const controller = new AbortController();
    const asked = session.mcpStatus({ signal: controller.signal });
    controller.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('[X-3, A-2] does not prevent the next CLI from repeating an operation if it is aborted later', async () => {
    const { session, cli, warnings } = openRestarting();
    await session.ready;
    const controller = new AbortController();
    await session.toggleMcpServer('a', false, { signal: controller.signal });
    controller.abort();
    (await cli(1)).die(1);
    await pass(1);
    await (await cli(2)).got('mcp_toggle');
    expect(warnings).toEqual([]);
  });
});

describe('an answer to the handshake without capabilities', () => {
  it.each([[undefined], [{}], [{ commands: null }]])(
    '[S-5] causes the warning capabilities-missing: %j',
    async (body) => {
      const { warnings } = await start({}, new FakeCli({ initialize: success(body) }));
      expect(warnings.map(({ code }) => code)).toEqual(['capabilities-missing']);
    },
  );

  it('[S-5] does not include empty lists, which count as capabilities', async () => {
    const { warnings } = await start({}, new FakeCli({ initialize: success({ commands: [] }) }));
    expect(warnings).toEqual([]);
  });
});
