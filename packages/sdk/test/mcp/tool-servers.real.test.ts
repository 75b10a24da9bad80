import { describe, expect, it, vi } from 'vitest';
import type { ConnectableServer, McpTransportLike, SdkMcpServer } from '../../src/options/sdk-server.ts';
import { linesOf } from '../messages/recordings.ts';
import { calculators, neverEnding, ownServer, v1Server, v2Server } from './calculators.ts';
import { host } from './cli-side.ts';

const ACKNOWLEDGED = { jsonrpc: '2.0', id: 0, result: {} };

describe('a message of the CLI', () => {
  it.each(['E-mcpconfig-type-sdk.197', 'E-mcpconfig-type-sdk.325'])(
    '[T-3] as recorded in %s gets a reply, whether the CLI does one handshake or two',
    async (recording) => {
      await using hosted = host({ calc: ownServer() });
      const messages = mcpMessagesOf(recording);
      const replies = await Promise.all(messages.map((message) => hosted.servers.handle('calc', message)));

      expect(messages.filter(({ method }) => method === 'initialize').length).toBe(recording.endsWith('197') ? 2 : 1);
      expect(replies).toMatchObject(
        messages.map(({ id, method }) => {
          if (id === undefined) return ACKNOWLEDGED;
          if (method === 'initialize') return { id, result: { serverInfo: { name: 'calc' } } };
          if (method === 'tools/list') return { id, result: { tools: [{ name: 'add' }, {}, {}] } };
          return { id, result: { content: [{ type: 'text', text: '5' }] } };
        }),
      );
      expect(hosted.warnings).toEqual([]);
    },
  );

  it('[T-3] to an unknown server causes the reply −32601 and one warning', async () => {
    await using hosted = host({ calc: ownServer() });
    const client = hosted.client('clac');
    expect(await client.call('add', {}, { id: 4 })).toMatchObject({
      id: 4,
      error: { code: -32601, message: expect.stringContaining('clac') },
    });
    expect(await client.notify('notifications/initialized')).toEqual(ACKNOWLEDGED);
    expect(hosted.warnings).toMatchObject([{ code: 'tool-server-unknown', context: { server: 'clac' } }]);
  });

  it.each<[string, unknown, string | number | null]>([
    ['nothing', undefined, null],
    ['null', null, null],
    ['a text', 'tools/list', null],
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], null],
    ['another protocol', { jsonrpc: '1.0', id: 'x', method: 'ping' }, 'x'],
    ['no protocol', { id: 2, method: 'ping' }, 2],
    ['a method other than a string', { jsonrpc: '2.0', id: 0, method: 5 }, 0],
    ['an invalid id', { jsonrpc: '2.0', id: {}, method: 'ping' }, null],
    ['no id at all, but null', { jsonrpc: '2.0', id: null, method: 'ping' }, null],
    ['params in a list', { jsonrpc: '2.0', id: 3, method: 'ping', params: [1] }, 3],
    ['an empty object', {}, null],
    ['both a result and an error', { jsonrpc: '2.0', id: 1, result: {}, error: {} }, 1],
  ])('[T-3] that is malformed (%s) causes the reply −32600 and a warning', async (_what, message, id) => {
    await using hosted = host({ calc: ownServer() });
    expect(await hosted.servers.handle('calc', message)).toEqual({
      jsonrpc: '2.0',
      id,
      error: { code: -32600, message: expect.any(String) },
    });
    expect(hosted.warnings).toMatchObject([{ code: 'tool-message-malformed', context: { server: 'calc' } }]);
  });

  it('[T-3] may arrive before the server is connected, and keeps its order', async () => {
    let connect = (_server: ConnectableServer): void => {};
    const server = new Promise<ConnectableServer>((resolve) => {
      connect = resolve;
    });
    await using hosted = host({ calc: { create: () => server } });
    const client = hosted.client('calc');
    const shaken = client.handshake();
    const listed = client.request('tools/list');
    connect(v2Server());
    expect(await shaken).toMatchObject({ id: 0, result: { serverInfo: {} } });
    expect(await listed).toMatchObject({ id: 1, result: { tools: [{}, {}, {}] } });
  });

  it('is cancelled at the server if the session withdraws it', async () => {
    const { slow, running } = neverEnding();
    await using hosted = host({ calc: ownServer({ slow }) });
    const client = hosted.client('calc');
    await client.handshake();
    const withdrawn = new AbortController();
    const pending = client.call('slow', {}, { signal: withdrawn.signal });
    const signal = await running;
    withdrawn.abort();
    expect(await pending).toMatchObject({ id: 1, error: { code: -32800 } });
    await vi.waitFor(() => expect(signal.aborted).toBe(true), 10_000);
    expect(await client.call('add', { a: 1, b: 1 }, { signal: withdrawn.signal })).toHaveProperty('error');
  });

  it('cancels nothing if it names a request that is not open', async () => {
    const { slow, running } = neverEnding();
    await using hosted = host({ calc: ownServer({ slow }) });
    const client = hosted.client('calc');
    await client.handshake();
    void client.call('slow', {}, { id: 5 });
    const signal = await running;
    for (const params of [{ requestId: 4 }, { requestId: '5' }, {}, undefined]) {
      expect(await client.notify('notifications/cancelled', params)).toEqual(ACKNOWLEDGED);
    }
    await client.call('add', { a: 1, b: 1 });
    expect(signal.aborted).toBe(false);
  });
});

describe('a message of the server', () => {
  it.each([
    ['MCP SDK 1', v1Server],
    ['MCP SDK 2', v2Server],
  ] as const)('[T-3] of %s reaches the CLI: tools/list_changed', async (_what, make) => {
    const server = make();
    await using hosted = host({ calc: server });
    await hosted.client('calc').handshake();
    server.sendToolListChanged();
    await vi.waitFor(() => expect(hosted.sent).toHaveLength(1), 10_000);
    expect(hosted.sent[0]).toMatchObject({
      server: 'calc',
      message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    });
  });

  it.each([
    ['MCP SDK 1', v1Server],
    ['MCP SDK 2', v2Server],
  ] as const)('[T-3] of %s may be a request, and a later message of the CLI is its reply', async (_what, make) => {
    const server = make();
    await using hosted = host({ calc: server });
    await hosted.client('calc').handshake();
    const ponged = server.server.ping();
    await vi.waitFor(() => expect(hosted.sent).toMatchObject([{ message: { method: 'ping' } }]), 10_000);
    const answer = { jsonrpc: '2.0', id: hosted.sent[0]?.message.id, result: {} };
    expect(await hosted.servers.handle('calc', answer)).toEqual(ACKNOWLEDGED);
    expect(await ponged).toEqual({});
  });

  it('that cannot be sent fails if it is a request, and causes a warning if it is a notification', async () => {
    const server = v2Server();
    const send = (): never => {
      throw new Error('the pipe is closed');
    };
    await using hosted = host({ calc: server }, { send });
    await hosted.client('calc').handshake();
    await expect(server.server.ping()).rejects.toThrow('the pipe is closed');
    server.sendToolListChanged();
    await vi.waitFor(() => expect(hosted.warnings).toHaveLength(1), 10_000);
    expect(hosted.warnings[0]?.message).toMatch(/"calc".*list_changed.*the pipe is closed/);
  });
});

describe('a server that fails', () => {
  it.each(calculators)(
    '[T-3] (%s) by closing its connection ends open requests immediately and is reconnected by a new handshake',
    async (_, make) => {
      const { slow, running } = neverEnding();
      const made: ConnectableServer[] = [];
      const source = make({ slow });
      await using hosted = host({ calc: remembering(source, made) });
      const client = hosted.client('calc');
      await client.handshake();
      const pending = client.call('slow');
      await running;

      await made[0]?.close?.();
      expect(await pending).toMatchObject({ id: 1, error: { code: -32000, message: expect.stringContaining('calc') } });
      expect(await client.call('add', { a: 1, b: 1 })).toMatchObject({ error: { code: -32000 } });
      expect(hosted.warnings).toMatchObject([{ code: 'tool-server-failed', context: { server: 'calc' } }]);

      expect(await client.handshake()).toHaveProperty('result');
      expect(await client.call('add', { a: 1, b: 1 })).toMatchObject({ result: { content: [{ text: '2' }] } });
    },
  );

  it('[T-3] by never replying gets its request cancelled at the timeout', async () => {
    const seen: object[] = [];
    await using hosted = host(
      { calc: wired((transport) => (transport.onmessage = (message) => void seen.push(message))) },
      { limits: { toolRequestTimeoutMs: 30, toolCallTimeoutMs: 20 } },
    );
    const client = hosted.client('calc');
    expect(await client.request('initialize')).toMatchObject({ id: 0, error: { code: -32001 } });
    expect(await client.call('add')).toMatchObject({ id: 1, error: { code: -32001 } });
    expect(seen).toMatchObject([
      { method: 'initialize', id: 1 },
      { method: 'notifications/cancelled', params: { requestId: 1 } },
      { method: 'tools/call', id: 2 },
      { method: 'notifications/cancelled', params: { requestId: 2 } },
    ]);
    expect(hosted.warnings).toMatchObject([
      { code: 'tool-server-timeout', message: expect.stringContaining('no reply to initialize within 30 ms') },
      { code: 'tool-server-timeout', message: expect.stringContaining('no reply to mcp__calc__add within 20 ms') },
    ]);
  });

  it('[T-3] by replying too late is ignored', async () => {
    const server = wired((transport) => {
      transport.onmessage = (message) => {
        if (!('id' in message) || !('method' in message)) return;
        if (message.method === 'tools/call')
          late = () => transport.send({ jsonrpc: '2.0', id: message.id, result: {} });
      };
    });
    let late = async (): Promise<void> => {};
    await using hosted = host({ calc: server }, { limits: { toolCallTimeoutMs: 10 } });
    expect(await hosted.client('calc').call('add')).toHaveProperty('error');
    await late();
    expect(hosted.sent).toEqual([]);
    expect(hosted.warnings).toHaveLength(1);
  });

  it('[T-3] by throwing on a message causes the reply −32603', async () => {
    const server = wired((transport) => {
      transport.onmessage = () => {
        throw new Error('cannot parse');
      };
    });
    await using hosted = host({ calc: server });
    const client = hosted.client('calc');
    expect(await client.request('initialize')).toMatchObject({
      id: 0,
      error: { code: -32603, message: 'cannot parse' },
    });
    expect(await client.notify('notifications/initialized')).toEqual(ACKNOWLEDGED);
    await vi.waitFor(() => expect(hosted.warnings).toHaveLength(2), 10_000);
  });

  it.each<[string, object, RegExp]>([
    ['without a result', {}, /not a JSON-RPC message\.$/],
    ['with a result other than an object', { result: 7 }, /not a JSON-RPC message\.$/],
    ['that JSON cannot represent', { result: { count: 1n } }, /cannot be written as JSON: .*BigInt\.$/],
    ['that contains itself', { result: circular() }, /cannot be written as JSON: .*circular structure to JSON\.$/],
  ])('[T-3] by sending a reply %s causes the reply −32603 and a warning', async (_what, body, said) => {
    const server = wired((transport) => {
      transport.onmessage = (message) =>
        void transport.send({ jsonrpc: '2.0', ...message, method: undefined, ...body });
    });
    await using hosted = host({ calc: server });
    expect(await hosted.client('calc').call('add', {}, { id: 9 })).toMatchObject({ id: 9, error: { code: -32603 } });
    expect(hosted.warnings).toMatchObject([
      { code: 'tool-message-malformed', message: expect.stringMatching(said), context: { server: 'calc' } },
    ]);
  });
});

describe('ToolServers.stop()', () => {
  it('waits at most toolCloseMs for the servers to close', async () => {
    const closing = vi.fn(() => new Promise<void>(() => {}));
    const closed = vi.fn();
    const server = { ...wired((transport) => (transport.onclose = closed)), close: closing };
    const hosted = host({ calc: server }, { limits: { toolCloseMs: 20 } });
    await hosted.servers.open();
    await hosted.servers.stop();
    expect(closing).toHaveBeenCalledOnce();
    expect(closed).toHaveBeenCalledOnce();
    expect(hosted.warnings).toMatchObject([{ code: 'tool-server-failed', message: expect.stringContaining('20 ms') }]);
  });

  it('handles a server that fails to close, one without close(), and a second call', async () => {
    const angry = { ...wired(() => {}), close: () => Promise.reject(new Error('not now')) };
    const closed = vi.fn();
    const hosted = host({ angry, plain: wired((transport) => (transport.onclose = closed)) });
    await hosted.servers.open();
    await hosted.servers.stop();
    await hosted.servers.stop();
    expect(closed).toHaveBeenCalledOnce();
    expect(hosted.warnings).toMatchObject([{ message: expect.stringMatching(/"angry".*not now/) }]);
  });

  it('closes a server that connects later', async () => {
    let made = (_server: ConnectableServer): void => {};
    const create = (): Promise<ConnectableServer> => new Promise((resolve) => (made = resolve));
    const hosted = host({ calc: { create } }, { limits: { toolCloseMs: 10 } });
    const pending = hosted.client('calc').request('initialize');
    await hosted.servers.stop();
    expect(await pending).toMatchObject({ error: { code: -32000 } });
    const close = vi.fn(async () => {});
    made({ ...wired(() => {}), close });
    await vi.waitFor(() => expect(close).toHaveBeenCalledOnce(), 10_000);
  });

  it('does not create a server that was never used', async () => {
    const create = vi.fn(() => v2Server());
    const hosted = host({ calc: { create } });
    await hosted.servers.stop();
    expect(create).not.toHaveBeenCalled();
  });
});

describe('the host of the servers', () => {
  it('receives an event for every tool call, with its end and duration', async () => {
    await using hosted = host({ 'my calc': ownServer() }, { limits: { toolCallTimeoutMs: 20 } });
    const client = hosted.client('my calc');
    await client.handshake();
    await client.call('add', { a: 1, b: 1 }, { toolUseId: 'toolu_1' });
    await client.call('boom', {}, { toolUseId: 'toolu_2' });
    await client.call('slow', {}, { toolUseId: 'toolu_3' });
    await client.call('no such', {});

    const head = { kind: 'tool', name: 'my calc', event: null };
    const calls = [
      ['toolu_1', 'mcp__my_calc__add', 'ok'],
      ['toolu_2', 'mcp__my_calc__boom', 'error'],
      ['toolu_3', 'mcp__my_calc__slow', 'timeout'],
      ['my calc#5', 'mcp__my_calc__no_such', 'error'],
    ] as const;
    expect(hosted.events).toEqual(
      calls.flatMap(([id, tool, decision]) => [
        { type: 'callback-started', ...head, id, tool },
        { type: 'callback-ended', ...head, id, tool, decision, ms: expect.any(Number) },
      ]),
    );
  });
});

/** A hand-written server. */
function wired(connect: (transport: McpTransportLike) => unknown): ConnectableServer {
  return {
    async connect(transport) {
      connect(transport);
      await transport.start();
    },
  };
}

/** Adds each connected server to a list. */
function remembering(source: SdkMcpServer, made: ConnectableServer[]): SdkMcpServer {
  if (typeof source === 'function') throw new Error('not for raw handlers');
  if (!('create' in source)) {
    made.push(source);
    return source;
  }
  return {
    async create() {
      const server = await source.create();
      if (typeof server !== 'function') made.push(server);
      return server;
    },
  };
}

function circular(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

function mcpMessagesOf(recording: string): { id?: number; method?: string }[] {
  return linesOf(recording)
    .map((line) => JSON.parse(line))
    .filter(({ type, request }) => type === 'control_request' && request.subtype === 'mcp_message')
    .map(({ request }) => request.message);
}
