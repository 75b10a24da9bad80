import { InMemoryTransport } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import { ToolServerBusyError, ToolServerStartError } from '../../src/errors/tool.ts';
import type { ConnectableServer } from '../../src/options/sdk-server.ts';
import { calculators, ownServer, v1Server, v2Server } from './calculators.ts';
import { host } from './cli-side.ts';

describe('a server object', () => {
  it.each([
    ['McpServer of MCP SDK 1', () => v1Server()],
    ['Server of MCP SDK 1', () => v1Server().server],
    ['McpServer of MCP SDK 2', () => v2Server()],
    ['Server of MCP SDK 2', () => v2Server().server],
    ['a custom object', (): ConnectableServer => ({ connect: async () => {} })],
  ])('[T-1] (%s) serves one session at a time, and the next one afterwards', async (_what, make) => {
    const calc = make();
    const first = host({ calc });
    await first.servers.open();
    const second = host({ calc });
    await expect(second.servers.open()).rejects.toThrow(ToolServerBusyError);
    expect(await second.client('calc').request('tools/list')).toHaveProperty('error');
    await second.servers.stop();

    const third = host({ calc });
    await expect(third.servers.open()).rejects.toMatchObject({ code: 'tool-server-busy', server: 'calc' });
    await third.servers.stop();
    await first.servers.stop();
    await using fourth = host({ calc });
    await fourth.servers.open();
  });

  it('[T-1] is claimed before the first await: if two sessions start at the same time, one fails', async () => {
    const calc = v2Server();
    const sessions = [host({ calc }), host({ calc })];
    const opened = await Promise.allSettled(sessions.map(({ servers }) => servers.open()));
    expect(opened).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'tool-server-busy' } },
    ]);
    await Promise.all(sessions.map(({ servers }) => servers.stop()));
  });

  it('[T-1] is busy while it is connected to a transport of the caller', async () => {
    const calc = v2Server();
    const [transport] = InMemoryTransport.createLinkedPair();
    await calc.connect(transport);
    await using hosted = host({ calc });
    await expect(hosted.servers.open()).rejects.toThrow(ToolServerBusyError);
    expect(calc.isConnected()).toBe(true);
    await calc.close();
  });

  it('[T-1] is busy under a second name, and if a factory returns it twice', async () => {
    const calc = v2Server();
    await using twice = host({ a: calc, b: calc });
    await expect(twice.servers.open()).rejects.toMatchObject({ server: 'b' });
    const shared = v2Server();
    const create = (): typeof shared => shared;
    await using first = host({ calc: { create } });
    await first.servers.open();
    await using second = host({ calc: { create } });
    await expect(second.servers.open()).rejects.toThrow(ToolServerBusyError);
  });

  it('[T-1] is free for the next session if it failed to connect', async () => {
    const calc = { connect: vi.fn(async () => {}).mockRejectedValueOnce(new Error('no socket')) };
    await using first = host({ calc });
    await expect(first.servers.open()).rejects.toThrow(ToolServerStartError);
    await using second = host({ calc });
    await second.servers.open();
  });

  it('has no mark after its use', async () => {
    const calc: ConnectableServer = { connect: async () => {} };
    const hosted = host({ calc });
    await hosted.servers.open();
    expect(Object.keys(calc)).toEqual(['connect']);
    await hosted.servers.stop();
    expect(Reflect.ownKeys(calc)).toEqual(['connect']);
  });
});

describe('a factory', () => {
  it('[T-1] creates a server for each session', async () => {
    const create = vi.fn(() => v2Server());
    const sessions = [host({ calc: { create } }), host({ calc: { create } })];
    await Promise.all(sessions.map(({ servers }) => servers.open()));
    expect(create).toHaveBeenCalledTimes(2);
    for (const hosted of sessions) {
      const client = hosted.client('calc');
      await client.handshake();
      expect(await client.call('add', { a: 1, b: 1 })).toHaveProperty('result');
      await hosted.servers.stop();
    }
  });

  it('[T-1] created by toolServer() serves any number of sessions at the same time', async () => {
    const calc = ownServer();
    const sessions = [1, 2, 3].map(() => host({ calc }));
    const replies = sessions.map(async (hosted, n) => {
      const client = hosted.client('calc');
      await client.handshake();
      return client.call('add', { a: n, b: n });
    });
    expect(await Promise.all(replies)).toMatchObject(
      [0, 2, 4].map((sum) => ({ result: { content: [{ text: String(sum) }] } })),
    );
    await Promise.all(sessions.map(({ servers }) => servers.stop()));
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('no database');
      },
      /"calc".*no database/,
    ],
    ['rejects', () => Promise.reject(new Error('no database')), /"calc".*no database/],
    ['returns something else', () => ({ command: 'npx' }), /"calc".*no connect\(\)/],
    [
      'creates a server that does not connect',
      () => ({ connect: () => Promise.reject(new Error('no socket')) }),
      /no socket/,
    ],
  ])('that %s fails the start with a typed error, and the CLI gets an error reply', async (_what, create, message) => {
    // An untyped caller could write this.
    const calc = { create: create as () => ConnectableServer };
    await using hosted = host({ calc });
    const error: unknown = await hosted.servers.open().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolServerStartError);
    expect(error).toMatchObject({ code: 'tool-server-start', server: 'calc', message: expect.stringMatching(message) });
    expect(await hosted.client('calc').request('tools/list')).toMatchObject({
      error: { code: -32000, message: expect.stringMatching(message) },
    });
    expect(hosted.warnings).toMatchObject([{ code: 'tool-server-failed' }]);
  });

  it('that failed is called again at the next handshake of the CLI', async () => {
    const create = vi.fn<() => ConnectableServer>().mockImplementationOnce(() => {
      throw new Error('not yet');
    });
    create.mockImplementation(() => v2Server());
    await using hosted = host({ calc: { create } });
    const client = hosted.client('calc');
    expect(await client.handshake()).toMatchObject({
      error: { code: -32603, message: expect.stringMatching('not yet') },
    });
    expect(await client.handshake()).toHaveProperty('result');
    expect(create).toHaveBeenCalledTimes(2);
  });

  it('that hangs fails the start within the limit', async () => {
    const create = (): Promise<ConnectableServer> => new Promise(() => {});
    await using hosted = host({ calc: { create } }, { limits: { toolRequestTimeoutMs: 20, toolCloseMs: 10 } });
    await expect(hosted.servers.open()).rejects.toThrow(/"calc".*not connected within 20 ms/);
    expect(await hosted.client('calc').request('initialize')).toMatchObject({ error: { code: -32001 } });
  });
});

describe('ToolServers.open()', () => {
  it.each(calculators)('connects %s before the first message of the CLI', async (_what, make) => {
    await using hosted = host({ calc: make() });
    await hosted.servers.open();
    await hosted.servers.open();
    expect(await hosted.client('calc').handshake()).toHaveProperty('result');
  });
});
