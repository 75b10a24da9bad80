import { describe, expect, it } from 'vitest';
import { FakeCli, settle, start } from '../support/fake-cli.ts';

const never = (): Promise<never> => new Promise(() => {});

describe('a request of the CLI with an unknown subtype', () => {
  it('[X-4, W-6] is refused with unsupported_request', async () => {
    const { cli } = await start();
    cli.ask('q1', 'something_new', { with: 'fields' });
    expect(await cli.got('answer q1')).toEqual({
      type: 'control_response',
      response: {
        subtype: 'error',
        request_id: 'q1',
        error: 'Unsupported control request subtype: something_new',
        error_code: 'unsupported_request',
      },
    });
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    '[X-4, W-8] is refused with unsupported_request if the subtype is %s',
    async (subtype) => {
      const { cli } = await start();
      cli.print(`{"type":"control_request","request_id":"q1","request":{"subtype":"${subtype}"}}\n`);
      expect(await cli.got('answer q1')).toMatchObject({
        response: { subtype: 'error', error_code: 'unsupported_request' },
      });
    },
  );

  it('[X-4] is passed to onControlRequest, whose object is the answer', async () => {
    const { cli } = await start({
      onControlRequest: (request) => (request.subtype === 'ping' ? { pong: request.n } : undefined),
    });
    cli.ask('q1', 'ping', { n: 1 });
    cli.ask('q2', 'other');
    expect(await cli.answered('q1')).toEqual({ pong: 1 });
    expect(await cli.got('answer q2')).toMatchObject({ response: { error_code: 'unsupported_request' } });
  });

  it.each<[string, () => unknown]>([
    ['throws', () => JSON.parse('{')],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('[X-4, E-4] is refused with a warning if onControlRequest %s', async (_, onControlRequest) => {
    const { cli, warnings } = await start({ onControlRequest });
    cli.ask('q1', 'ping');
    expect(await cli.got('answer q1')).toMatchObject({ response: { error_code: 'unsupported_request' } });
    expect(warnings).toMatchObject([{ code: 'callback-failed', context: { id: 'q1' } }]);
  });

  it('[X-4, H-8] aborts the callback and is not answered if it is withdrawn', async () => {
    const signals: AbortSignal[] = [];
    let answer: (body: object) => void = () => {};
    const { cli } = await start({
      onControlRequest: (_, signal) => {
        signals.push(signal);
        return new Promise((resolve) => (answer = resolve));
      },
    });
    cli.ask('q1', 'ping');
    await settle();
    cli.say({ type: 'control_cancel_request', request_id: 'q1' });
    await settle();
    expect(signals[0]?.aborted).toBe(true);
    answer({ too: 'late' });
    await settle();
    expect(cli.story).toEqual(['initialize']);
  });
});

describe('a malformed frame of the CLI', () => {
  it('[X-4] causes an error reply if it has an id, and otherwise a warning', async () => {
    const { session, cli, warnings } = await start();
    cli.say({ type: 'control_request', request_id: 'q1' });
    cli.say({ type: 'control_request', request_id: 'q2', request: {} });
    cli.say({ type: 'control_request', request: { subtype: 'x' } });
    expect(await cli.got('answer q1')).toMatchObject({ response: { subtype: 'error', error_code: 'invalid_request' } });
    expect(await cli.got('answer q2')).toMatchObject({
      response: { subtype: 'error', error: 'The request has no request.subtype.' },
    });
    await settle();
    expect(cli.story).toEqual(['initialize', 'answer q1', 'answer q2']);
    expect(warnings.map(({ code, context }) => [code, context.missing])).toEqual([
      ['malformed-control-frame', 'request'],
      ['malformed-control-frame', 'request.subtype'],
      ['malformed-control-frame', 'request_id'],
    ]);
    expect(session.state).toBe('running');
  });

  it('[X-2] causes a warning if it is an answer without an id; an unexpected answer is only logged', async () => {
    const lines: string[] = [];
    const note = (_: object, message?: string): void => void lines.push(message ?? '');
    const logger = { trace: note, debug: note, info: note, warn: note, error: note };
    const { cli, warnings } = await start({ logger });
    cli.say({ type: 'control_response', response: { subtype: 'success' } });
    cli.succeed('req_1');
    cli.succeed('req_99');
    await settle();
    expect(warnings.map(({ code }) => code)).toEqual(['malformed-control-frame']);
    expect(lines.filter((line) => line.includes('answer to an unknown request'))).toHaveLength(2);
  });

  it('[X-2] is dropped and logged once if it is a second answer in the same chunk', async () => {
    const cli = new FakeCli({
      set_model: (fake, id) => {
        fake.succeed(id, { model: 'a' });
        fake.refuse(id, 'no, wait');
      },
    });
    const { session, events } = await start({}, cli);
    await session.setModel('a');
    await settle();
    expect(events.filter((event) => event.type === 'request-answered' && event.id === 'req_2')).toHaveLength(1);
  });

  it('[X-4] is not keep_alive or a withdrawal of an unknown request, which are ignored', async () => {
    const { session, cli, warnings, events } = await start();
    const before = events.length;
    cli.say(
      { type: 'keep_alive' },
      { type: 'control_cancel_request' },
      { type: 'control_cancel_request', request_id: 'x' },
    );
    await settle();
    expect([session.state, warnings, events.length]).toEqual(['running', [], before]);
  });
});

describe('a hook request in a session', () => {
  it('[H-8] with an unknown callback id continues, with a warning', async () => {
    const { cli, warnings } = await start({ hooks: { PreToolUse: () => ({}) } });
    cli.askHook('h1', 'PreToolUse', 'hook_9');
    expect(await cli.answered('h1')).toEqual({});
    expect(warnings).toMatchObject([{ code: 'unknown-hook', context: { hook: 'hook_9', event: 'PreToolUse' } }]);
  });

  it('[H-8] is aborted and not answered if it is withdrawn', async () => {
    const signals: AbortSignal[] = [];
    const { cli } = await start({
      hooks: {
        PreToolUse: (_, { signal }) => {
          signals.push(signal);
          return never();
        },
      },
    });
    cli.askHook('h1');
    await settle();
    cli.say({ type: 'control_cancel_request', request_id: 'h1' });
    await settle();
    expect(signals[0]?.aborted).toBe(true);
    expect(cli.story).toEqual(['initialize']);
  });

  it('[H-3] without an input is answered by the failure policy', async () => {
    const { cli, warnings } = await start({ hooks: { PreToolUse: () => ({}) } });
    cli.ask('h1', 'hook_callback', { callback_id: 'hook_0' });
    expect(await cli.answered('h1')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(warnings).toMatchObject([{ code: 'hook-failed', context: { failure: 'malformed-request' } }]);
  });

  it('[S-4] causes events for the start and the end of its callback', async () => {
    const { cli, events } = await start({ hooks: { PreToolUse: () => ({}) } });
    cli.askHook('h1');
    await cli.answered('h1');
    const head = { kind: 'hook', id: 'h1', name: 'hook_0', event: 'PreToolUse', tool: 'Bash' };
    expect(events.slice(-2)).toMatchObject([
      { type: 'callback-started', ...head },
      { type: 'callback-ended', ...head, ms: expect.any(Number) },
    ]);
  });

  it('[H-9] never occurs for a matcher without a matching tool, which causes one warning', async () => {
    const { cli, warnings } = await start({
      hooks: {
        PreToolUse: [
          { matcher: 'Bahs', run: () => {} },
          { matcher: 'Ba.*', run: () => {} },
        ],
        Stop: { matcher: 'x', run: () => {} },
      },
    });
    cli.say({ type: 'system', subtype: 'init', tools: ['Bash', 'Read'] });
    cli.say({ type: 'system', subtype: 'init', tools: ['Bash', 'Read'] });
    await settle();
    expect(warnings).toMatchObject([{ code: 'matcher-never-matches', context: { hook: 'hook_0', matcher: 'Bahs' } }]);
  });

  it('[P-5] is independent of a rule for an unknown tool, which causes one warning', async () => {
    const { cli, warnings } = await start({ allowedTools: ['Bsah', 'Bash(ls)'], disallowedTools: ['Raed'] });
    cli.say({ type: 'system', subtype: 'init', tools: ['Bash', 'Read'] });
    cli.say({ type: 'system', subtype: 'init', tools: ['Bash', 'Read'] });
    await settle();
    expect(warnings).toMatchObject([
      { code: 'unknown-tool', context: { option: 'allowedTools', rule: 'Bsah', meant: 'Bash' } },
      { code: 'unknown-tool', context: { option: 'disallowedTools', rule: 'Raed', meant: 'Read' } },
    ]);
  });
});

describe('another request of the CLI', () => {
  it('[O-8] from an MCP server is declined unless onElicitation answers it', async () => {
    const { cli } = await start();
    cli.ask('e1', 'elicitation', { mcp_server_name: 'db', message: 'password?' });
    expect(await cli.answered('e1')).toEqual({ action: 'decline' });
    const asked: unknown[] = [];
    const { cli: other } = await start({
      onElicitation: (request) => {
        asked.push(request);
        return { action: 'accept', content: { password: 'x' } };
      },
    });
    other.ask('e1', 'elicitation', { mcp_server_name: 'db', message: 'password?', requestedSchema: {} });
    expect(await other.answered('e1')).toEqual({ action: 'accept', content: { password: 'x' } });
    expect(asked).toEqual([
      {
        subtype: 'elicitation',
        mcp_server_name: 'db',
        requestedSchema: {},
        id: 'e1',
        mcpServer: 'db',
        message: 'password?',
      },
    ]);
    other.ask('e2', 'elicitation', { mcp_server_name: { toString: 1 }, message: { toString: 1 } });
    await other.answered('e2');
    expect(asked[1]).toMatchObject({ mcpServer: '', message: '' });
  });

  it('[T-3] to an unknown tool server causes a JSON-RPC error', async () => {
    const { cli } = await start();
    cli.ask('m1', 'mcp_message', { server_name: 'calc', message: { jsonrpc: '2.0', id: 0, method: 'initialize' } });
    expect(await cli.answered('m1')).toMatchObject({
      mcp_response: { jsonrpc: '2.0', id: 0, error: { code: -32_601 } },
    });
  });
});
