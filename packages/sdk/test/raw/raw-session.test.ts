import { describe, expect, it, onTestFinished } from 'vitest';
import { openRawSession, type RawSession, type RawSessionOptions } from '../../src/raw/index.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { FakeCli, refusal, settle, silence } from '../support/fake-cli.ts';
import { assistant, INIT, result } from '../support/say.ts';

interface Stage {
  readonly session: RawSession;
  readonly cli: FakeCli;
  readonly warnings: Warning[];
}

function open(options: Partial<RawSessionOptions> = {}, cli: FakeCli = new FakeCli()): Stage {
  const warnings: Warning[] = [];
  const session = openRawSession({
    argv: ['claude', '--flag'],
    env: { ONLY: 'this' },
    transport: cli,
    onWarning: (warning) => void warnings.push(warning),
    ...options,
  });
  onTestFinished(async () => {
    cli.die();
    await session.close();
  });
  return { session, cli, warnings };
}

function abortable(): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

async function typesOf(session: RawSession): Promise<string[]> {
  const types: string[] = [];
  for await (const { message } of session) types.push(message.type);
  return types;
}

describe('a raw session', () => {
  it('[U-8] starts the given command, sends the given handshake and returns its complete answer', async () => {
    const whole = { commands: [], models: [], pid: 7, later: { nested: true } };
    const initialize = { systemPrompt: ['x'], notKnownHere: 1 };
    const { session, cli } = open({ initialize }, new FakeCli({ initialize: (it, id) => it.succeed(id, whole) }));
    expect(await session.handshake).toEqual(whole);
    expect((await cli.got('initialize')).request).toEqual({ subtype: 'initialize', ...initialize });
    expect(cli.request).toMatchObject({ argv: ['claude', '--flag'], env: { ONLY: 'this' } });
  });

  it('[U-8] yields every frame in order with its line, including host-only and unknown ones', async () => {
    const { session, cli } = open();
    await session.handshake;
    const host = { type: 'system', subtype: 'session_state_changed', state: 'idle', sdk_host_only: true };
    const frames = [INIT, assistant('one'), { type: 'from_the_future', a: 1 }, host, result({ result: 'done' })];
    cli.say(...frames, { type: 'keep_alive' });
    cli.die();
    const got: unknown[] = [];
    for await (const { message, rawJson } of session) got.push([message, JSON.parse(rawJson)]);
    expect(got).toEqual(frames.map((frame) => [frame, frame]));
    expect(await session.ended).toMatchObject({ exit: { exitCode: 0 }, closed: false });
  });

  it('[U-8] reports each frame on arrival, before it is read', async () => {
    const seen: string[] = [];
    const { session, cli } = open({ onFrame: ({ type }) => void seen.push(type) });
    await session.handshake;
    cli.say(INIT, assistant('one'));
    await settle();
    expect(seen).toEqual(['system', 'assistant']);
    expect((await session.next())?.message.type).toBe('system');
  });

  it('[U-8] writes frames unchanged in the order of the calls, even before the handshake is answered', async () => {
    const { session, cli } = open({}, new FakeCli({ initialize: silence }));
    const frame = { type: 'user', message: { role: 'user', content: 'a' }, uuid: 'u', priority: 'now', mine: [1] };
    await Promise.all([session.send(frame), session.send({ ...frame, uuid: 'v' })]);
    expect(cli.log.slice(1)).toEqual([frame, { ...frame, uuid: 'v' }]);
  });

  it('[U-8] writes the handshake first, whenever a frame is sent while the process starts', async () => {
    for (let ticks = 0; ticks < 20; ticks++) {
      const { session, cli } = open({}, new FakeCli({ initialize: silence }));
      for (let tick = 0; tick < ticks; tick++) await null;
      await session.send({ type: 'user', uuid: 'u' });
      expect(cli.log).toMatchObject([{ request: { subtype: 'initialize' } }, { uuid: 'u' }]);
    }
  });

  it('[U-8, X-3] cancels a request that is aborted while the process starts after the request', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open({}, cli);
    const { signal, abort } = abortable();
    const asked = session.request('mcp_status', {}, { signal });
    abort();
    await expect(asked).rejects.toMatchObject({ code: 'abort' });
    await session.started;
    await settle();
    expect(cli.story).toEqual(['initialize', 'mcp_status', 'cancel req_2']);
  });

  it('[U-8] can close only stdin: frames still arrive', async () => {
    const { session, cli } = open();
    cli.ignores.add('EOF');
    await session.handshake;
    await session.endInput();
    await cli.got('EOF');
    cli.say(result({ result: 'late' }));
    cli.die();
    expect(await typesOf(session)).toEqual(['result']);
  });

  it('[U-8] sends control requests immediately and returns their answers', async () => {
    const cli = new FakeCli({ refused: refusal('Not today', 'nope') });
    const { session } = open({}, cli);
    await session.handshake;
    expect(await session.request('set_model', { model: 'x' })).toBeUndefined();
    const refused = session.request('refused');
    await expect(refused).rejects.toMatchObject({ code: 'control-request', said: 'Not today', errorCode: 'nope' });
    await expect(session.request('slow', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'abort' });
  });

  it('[U-8, C-10] warns about an answer without an id, and redacts secrets in a refusal', async () => {
    const cli = new FakeCli({ refused: refusal('not with very-secret-value') });
    const { session, warnings } = open({ env: { MY_TOKEN: 'very-secret-value' } }, cli);
    await session.handshake;
    cli.say({ type: 'control_response', response: { note: 'very-secret-value' } });
    await expect(session.request('refused')).rejects.toMatchObject({ said: 'not with [redacted]' });
    expect(warnings.map(({ code }) => code)).toEqual(['malformed-control-frame']);
    expect(JSON.stringify(warnings)).not.toContain('very-secret');
  });

  it('[U-8] serves MCP servers that are added while it runs, until they are removed', async () => {
    const { session, cli } = open();
    await session.handshake;
    const server = (): { result: object } => ({ result: { tools: [] } });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    cli.ask('m1', 'mcp_message', { server_name: 'late', message: list });
    expect(await cli.answered('m1')).toMatchObject({ mcp_response: { error: { code: -32_601 } } });
    session.addToolServer('late', server);
    expect(session.toolServers).toEqual(['late']);
    cli.ask('m2', 'mcp_message', { server_name: 'late', message: list });
    expect(await cli.answered('m2')).toMatchObject({ mcp_response: { result: { tools: [] } } });
    await session.removeToolServer('late');
    cli.ask('m3', 'mcp_message', { server_name: 'late', message: list });
    expect(await cli.answered('m3')).toMatchObject({ mcp_response: { error: { code: -32_601 } } });
  });
});

describe('a request of the CLI in a raw session', () => {
  it.each([
    [
      'an object',
      () => ({ behavior: 'allow', mine: { kept: [1] } }),
      { response: { behavior: 'allow', mine: { kept: [1] } } },
    ],
    ['undefined', () => undefined, { subtype: 'error', error_code: 'unsupported_request' }],
    ['a text', () => 'hello', { subtype: 'error', error_code: 'unsupported_request' }],
    ['an exception', () => Promise.reject(new Error('broke')), { subtype: 'error', error: 'broke' }],
    ['what JSON cannot hold', () => ({ big: 1n }), { subtype: 'error', error: expect.stringContaining('BigInt') }],
  ])('[U-8] is answered with the return value of the callback: %s', async (_what, onRequest, expected) => {
    const { session, cli } = open({ onRequest });
    await session.handshake;
    cli.askPermission('p1');
    expect((await cli.got('answer p1')).response).toMatchObject(expected);
  });

  it('[U-8] is not answered if the callback returns null', async () => {
    const { session, cli } = open({ onRequest: async (_request, { id }) => (id === 'p1' ? null : {}) });
    await session.handshake;
    cli.askPermission('p1');
    cli.askPermission('p2');
    await cli.got('answer p2');
    expect(cli.story).not.toContain('answer p1');
  });

  it('[U-8] reaches the callback completely; its cancellation aborts the signal and prevents the answer', async () => {
    const seen: unknown[] = [];
    const { session, cli } = open({
      onRequest: (request, { id, signal }) => {
        seen.push([id, request.tool_name, request.permission_suggestions]);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ behavior: 'allow' })));
      },
    });
    await session.handshake;
    cli.askPermission('p1');
    await settle();
    expect(seen).toEqual([['p1', 'Write', []]]);
    cli.say({ type: 'control_cancel_request', request_id: 'p1' });
    await session.request('mcp_status');
    expect(cli.story).not.toContain('answer p1');
  });

  it('[U-8] without a callback is refused', async () => {
    const { session, cli } = open();
    await session.handshake;
    cli.askPermission('p1');
    expect((await cli.got('answer p1')).response).toMatchObject({ error_code: 'unsupported_request' });
  });
});

describe('a slow reader of a raw session', () => {
  const kilobyte = assistant('x'.repeat(1_000));
  const flood = (cli: FakeCli, count: number): void => {
    for (let i = 0; i < count; i++) cli.say(kilobyte);
  };

  it('[U-8] pauses the CLI without losing frames', async () => {
    const { session, cli } = open();
    await session.handshake;
    cli.say(INIT);
    await session.next();
    flood(cli, 3_000);
    await settle();
    const pulls = cli.output.pulls;
    expect(pulls).toBeLessThan(1_500);
    await settle();
    expect(cli.output.pulls).toBe(pulls);
    cli.say(result({ result: 'done' }));
    setImmediate(() => cli.die());
    expect((await typesOf(session)).length).toBe(3_001);
  });

  it('[U-8] may fall behind by limits.backlogBytes while a callback may be called, and then also pauses the CLI', async () => {
    const { session, cli } = open({ onRequest: () => ({}), limits: { backlogBytes: 2_000_000 } });
    await session.handshake;
    cli.say(INIT);
    await session.next();
    flood(cli, 1_300);
    cli.askPermission('p1');
    await cli.got('answer p1');
    flood(cli, 3_000);
    await settle();
    expect(cli.output.pulls).toBeLessThan(2_500);
    setImmediate(() => cli.die());
    expect((await typesOf(session)).length).toBe(4_300);
  });

  it('[U-8] pauses the CLI early if answers wait for the CLI', async () => {
    const { session, cli } = open({ onRequest: () => ({}), answersAtOnce: false });
    await session.handshake;
    cli.say(INIT);
    await session.next();
    flood(cli, 3_000);
    await settle();
    expect(cli.output.pulls).toBeLessThan(1_500);
    setImmediate(() => cli.die());
    expect((await typesOf(session)).length).toBe(3_000);
  });

  it('[U-8] may fall behind by limits.backlogBytes before its first read', async () => {
    const { session, cli } = open();
    await session.handshake;
    flood(cli, 1_300);
    cli.say(result({ result: 'done' }));
    cli.die();
    await session.ended;
    expect((await typesOf(session)).at(-1)).toBe('result');
  });
});

describe('the end of a raw session', () => {
  it('[U-8] by close() drops unread frames, fails pending requests and ends the process', async () => {
    const { session, cli } = open({}, new FakeCli({ slow: silence }));
    await session.handshake;
    cli.say(INIT);
    await settle();
    const waiting = session.request('slow');
    const closing = session.close();
    await expect(waiting).rejects.toMatchObject({ code: 'session-stopped' });
    expect(await closing).toMatchObject({ closed: true, exit: { exitCode: 0 } });
    expect(await session.next()).toBeUndefined();
    await expect(session.request('more')).rejects.toMatchObject({ code: 'session-stopped' });
    await expect(session.send({ type: 'user' })).rejects.toMatchObject({ code: 'session-stopped' });
  });

  it('[U-8] by close() neither answers an open request nor closes stdin, because the tool could run', async () => {
    const cli = new FakeCli({ end_session: refusal('What is that?') });
    const { session } = open({ onRequest: () => new Promise(() => {}), limits: { graceMs: 50, termMs: 50 } }, cli);
    await session.handshake;
    cli.askHook('h1');
    await settle();
    await session.close();
    expect(cli.story).not.toContain('EOF');
    expect(cli.story).not.toContain('answer h1');
    expect(cli.story).toContain('terminate');
  });

  it('[U-8] is caused by breaking out of the loop', async () => {
    const { session, cli } = open();
    await session.handshake;
    cli.say(INIT, INIT);
    for await (const _ of session) break;
    expect(await session.ended).toMatchObject({ closed: true });
  });

  it('[U-8] is caused by an unanswered handshake', async () => {
    const { session } = open({ limits: { startTimeoutMs: 20 } }, new FakeCli({ initialize: silence }));
    await expect(session.handshake).rejects.toMatchObject({ code: 'initialization-timeout' });
    expect(await session.ended).toMatchObject({ failure: { code: 'initialization-timeout' }, closed: false });
  });

  it('[U-8] is caused by a refused handshake', async () => {
    const { session } = open({}, new FakeCli({ initialize: refusal('No such hook') }));
    await expect(session.handshake).rejects.toMatchObject({ code: 'initialization' });
    expect(await session.ended).toMatchObject({ failure: { code: 'initialization' } });
  });

  it('[U-8] is caused by a line that is too long, because a frame is lost', async () => {
    const { session, cli } = open({ limits: { maxLineBytes: 2_000 } });
    await session.handshake;
    cli.say(INIT, assistant('x'.repeat(5_000)));
    expect(await session.ended).toMatchObject({ failure: { code: 'transport' } });
  });

  it('[U-8] is not caused by lines that are not JSON, which cause warnings', async () => {
    const { session, cli, warnings } = open();
    await session.handshake;
    cli.print('hello there\n42\n');
    cli.say(result({ result: 'done' }));
    cli.die();
    expect(await typesOf(session)).toEqual(['result']);
    expect(warnings.map(({ code }) => code)).toEqual(['undecodable-line', 'undecodable-line']);
  });

  it('[U-8] keeps the redacted tail of stderr, which is also reported in pieces', async () => {
    const pieces: string[] = [];
    const onStderr = (text: string): void => {
      pieces.push(text);
      throw new Error('mine');
    };
    const { session, cli } = open({ onStderr, env: { MY_TOKEN: 'very-secret-value' } });
    await session.handshake;
    cli.errorOutput.push(Buffer.from('one\ntw'));
    await settle();
    cli.errorOutput.push(Buffer.from('o very-secret-value'));
    cli.die(3);
    expect(await session.ended).toMatchObject({ exit: { exitCode: 3 } });
    expect(pieces).toEqual(['one\ntw', 'o very-secret-value']);
    expect(session.stderrTail).toBe('one\ntwo [redacted]');
  });
});
