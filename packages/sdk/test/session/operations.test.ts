import { describe, expect, it } from 'vitest';
import { deny } from '../../src/callbacks/decisions.ts';
import type { Session } from '../../src/session/session.ts';
import { FakeCli, refusal, settle, silence, start, success } from '../support/fake-cli.ts';

describe('control operations of a session', () => {
  it.each<[string, object | undefined, (session: Session) => Promise<unknown>, object, unknown]>([
    ['interrupt', { still_queued: ['u'] }, (s) => s.interrupt(), {}, { stillQueued: ['u'] }],
    ['set_model', undefined, (s) => s.setModel('opus'), { model: 'opus' }, undefined],
    ['set_permission_mode', { mode: 'plan' }, (s) => s.setPermissionMode('plan'), { mode: 'plan' }, undefined],
    [
      'set_max_thinking_tokens',
      undefined,
      (s) => s.setMaxThinkingTokens(null),
      { max_thinking_tokens: null },
      undefined,
    ],
    [
      'mcp_status',
      { mcpServers: [{ name: 'a', status: 'failed' }] },
      (s) => s.mcpStatus(),
      {},
      [{ name: 'a', status: 'failed' }],
    ],
    [
      'mcp_set_servers',
      { added: ['a'], removed: ['b'], errors: {} },
      (s) => s.setMcpServers({ a: { type: 'http', url: 'http://localhost:1' } }),
      { servers: { a: { type: 'http', url: 'http://localhost:1' } } },
      { added: ['a'], removed: ['b'], errors: {} },
    ],
    ['mcp_reconnect', undefined, (s) => s.reconnectMcpServer('a'), { serverName: 'a' }, undefined],
    ['mcp_toggle', undefined, (s) => s.toggleMcpServer('a', true), { serverName: 'a', enabled: true }, undefined],
    ['get_context_usage', { totalTokens: 3 }, (s) => s.contextUsage(), {}, { totalTokens: 3 }],
    ['get_settings', { applied: { model: 'm' } }, (s) => s.getSettings(), {}, { applied: { model: 'm' } }],
    ['apply_flag_settings', undefined, (s) => s.applySettings({ x: 1 }), { settings: { x: 1 } }, undefined],
    ['stop_task', {}, (s) => s.stopTask('t'), { task_id: 't' }, undefined],
    [
      'get_task_output',
      { output: 'x', total_bytes: 9, truncated: true },
      (s) => s.taskOutput('t'),
      { task_id: 't' },
      { output: 'x', totalBytes: 9, truncated: true },
    ],
    [
      'mcp_read_resource',
      { contents: [{ uri: 'ui://a', text: 'b' }, { text: 'no uri' }] },
      (s) => s.readMcpResource('a', 'ui://a'),
      { serverName: 'a', uri: 'ui://a' },
      [{ uri: 'ui://a', text: 'b' }],
    ],
    [
      'reload_plugins',
      { plugins: [{ name: 'p', path: '/p' }], commands: [{ name: 'c' }], agents: 'none', error_count: 1 },
      (s) => s.reloadPlugins(),
      {},
      { plugins: [{ name: 'p', path: '/p' }], commands: [{ name: 'c' }], agents: [], errorCount: 1 },
    ],
    ['reload_skills', { skills: [{ name: 's' }, 7] }, (s) => s.reloadSkills(), {}, [{ name: 's' }]],
    ['reload_output_styles', { available_output_styles: ['a'] }, (s) => s.reloadOutputStyles(), {}, ['a']],
    ['get_usage', { session: { total_cost_usd: 1 } }, (s) => s.usage(), {}, { session: { total_cost_usd: 1 } }],
    [
      'list_permission_rules',
      { state: { rules: [{ rule: 'Read', behavior: 'allow', source: 'flagSettings' }, { rule: 1 }] } },
      (s) => s.permissionRules(),
      {},
      [{ rule: 'Read', behavior: 'allow', source: 'flagSettings' }],
    ],
    [
      'get_hooks_listing',
      { hooks: [{ event: 'Stop', type: 'command', source: 'flagSettings' }] },
      (s) => s.configuredHooks(),
      {},
      [{ event: 'Stop', type: 'command', source: 'flagSettings' }],
    ],
    ['list_models', { models: [] }, (s) => s.request('list_models', { all: true }), { all: true }, { models: [] }],
    ['anything', undefined, (s) => s.request('anything'), {}, undefined],
  ])('[X-1] %s', async (subtype, body, call, payload, expected) => {
    const { session, cli } = await start({}, new FakeCli({ [subtype]: success(body) }));
    expect(await call(session)).toEqual(expected);
    expect(cli.log[1]).toEqual({ type: 'control_request', request_id: 'req_2', request: { subtype, ...payload } });
  });

  it('[X-2] log a refused request as an error', async () => {
    const errors: string[] = [];
    const note = (): void => {};
    const logger = {
      trace: note,
      debug: note,
      info: note,
      warn: note,
      error: (_fields: object, text: string) => void errors.push(text),
    };
    const { session } = await start({ logger }, new FakeCli({ set_model: refusal('no such model') }));
    await expect(session.setModel('opsu')).rejects.toMatchObject({ code: 'control-request' });
    expect(errors).toEqual(['coxswain: the CLI refused set_model: no such model']);
  });

  const circular: Record<string, unknown> = {};
  circular.self = circular;

  it.each<[string, string, (session: Session) => Promise<unknown>]>([
    ['options.signal', 'setModel', (s) => s.setModel('opus', { signal: {} as never })],
    ['options', 'setPermissionMode', (s) => s.setPermissionMode('plan', null as never)],
    ['options.timeoutMs', 'request', (s) => s.request('anything', {}, { timeoutMs: Number.NaN })],
    ['options.timeoutMs', 'interrupt', (s) => s.interrupt({ timeoutMs: -1 })],
    ['model', 'setModel', (s) => s.setModel(undefined as never)],
    ['maxThinkingTokens', 'setMaxThinkingTokens', (s) => s.setMaxThinkingTokens(-1)],
    ['servers', 'setMcpServers', (s) => s.setMcpServers(undefined as never)],
    ['servers.a', 'setMcpServers', (s) => s.setMcpServers({ a: 'npx server' as never })],
    ['settings', 'applySettings', (s) => s.applySettings(undefined as never)],
    ['settings.n', 'applySettings', (s) => s.applySettings({ n: 1n })],
    ['payload', 'request', (s) => s.request('anything', circular)],
    ['frame', 'push', (s) => s.push(undefined as never)],
  ])(
    '[X-1, E-2] reject an invalid argument (%s) of %s with an OptionsError, and send nothing',
    async (path, _, call) => {
      const { session, cli } = await start();
      await expect(call(session)).rejects.toMatchObject({ code: 'options', problems: [{ path }] });
      expect(cli.story).toEqual(['initialize']);
      expect(session.state).toBe('running');
    },
  );

  it.each([{ dryrun: true }, { dry_run: true }, { dryRun: 'yes' }])(
    '[X-1] rewind no file when an option of rewindFiles() is misspelt or of the wrong kind: %j',
    async (options) => {
      const { session, cli } = await start({ fileCheckpointing: true });
      await expect(session.rewindFiles('u', options as never)).rejects.toMatchObject({ code: 'options' });
      expect(cli.story).not.toContain('rewind_files');
    },
  );

  it('[X-1, X-5] include rewindFiles(), which is refused without checkpoints and otherwise sent with the id of the turn', async () => {
    const { session, cli } = await start();
    await expect(session.rewindFiles('u')).rejects.toMatchObject({ name: 'CheckpointingNotEnabledError' });
    expect(cli.story).toEqual(['initialize']);
    const keeping = new FakeCli({ rewind_files: success({ canRewind: true, filesChanged: ['/f'] }) });
    const { session: other } = await start({ fileCheckpointing: true }, keeping);
    expect(keeping.request?.env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING).toBeDefined();
    const turn = other.send('one');
    expect((await keeping.got('prompt one')).uuid).toBe(turn.id);
    expect(await other.rewindFiles(turn.id, { dryRun: true })).toEqual({ canRewind: true, filesChanged: ['/f'] });
    expect(await keeping.got('rewind_files')).toMatchObject({ request: { user_message_id: turn.id, dry_run: true } });
  });

  it('[X-3] withdraw an aborted request and drop its late answer', async () => {
    const cli = new FakeCli({ slow: silence });
    const { session, warnings } = await start({}, cli);
    const controller = new AbortController();
    const asked = session.request('slow', {}, { signal: controller.signal });
    await cli.got('slow');
    controller.abort(new Error('never mind'));
    await expect(asked).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'never mind' } });
    expect(await cli.got('cancel req_2')).toEqual({ type: 'control_cancel_request', request_id: 'req_2' });
    cli.succeed('req_2');
    await session.setModel('x');
    expect(warnings).toEqual([]);
  });

  it('[X-2] reject with ControlRequestError with the message and the code of the CLI if it refuses', async () => {
    const cli = new FakeCli({ set_model: (fake, id) => fake.refuse(id, 'No such model', 'not_found') });
    const { session } = await start({}, cli);
    await expect(session.setModel('x')).rejects.toMatchObject({
      name: 'ControlRequestError',
      kind: 'set_model',
      errorCode: 'not_found',
      message: expect.stringContaining('No such model'),
    });
  });

  it.each<[string, (session: Session) => Promise<unknown>]>([
    ['setModel', (s) => s.setModel('opus')],
    ['mcpStatus', (s) => s.mcpStatus()],
    ['applySettings', (s) => s.applySettings({ x: 1 })],
    ['request', (s) => s.request('anything')],
    ['clear', (s) => s.clear()],
    ['fork', (s) => s.fork()],
    ['answerPermission', (s) => s.answerPermission('p1', deny('no'))],
  ])('[E-4] do not end the host without a listener if the CLI dies: %s', async (_, call) => {
    const cli = new FakeCli({
      mcp_status: silence,
      set_model: silence,
      apply_flag_settings: silence,
      anything: silence,
    });
    const { session } = await start({}, cli);
    const operation = call(session);
    cli.die(1);
    await session.closed;
    // The setup of the unit tests fails a test with an unhandled rejection.
    await settle();
    await expect(operation).rejects.toMatchObject({ code: expect.any(String) });
  });
});
