import { describe, expect, it, vi } from 'vitest';
import type { RawToolHandler } from '../../src/options/sdk-server.ts';
import { host } from './cli-side.ts';

describe('a raw handler', () => {
  it('[T-1] replies to requests without setting the id', async () => {
    const seen: string[] = [];
    const echo: RawToolHandler = (message) => {
      seen.push(message.method);
      if (!('id' in message)) return undefined;
      return message.method === 'ping'
        ? { jsonrpc: '2.0', id: message.id, result: {} }
        : { result: { method: message.method, params: message.params } };
    };
    await using hosted = host({ echo });
    const client = hosted.client('echo');
    expect(await client.request('initialize', { a: 1 })).toEqual({
      jsonrpc: '2.0',
      id: 0,
      result: { method: 'initialize', params: { a: 1 } },
    });
    expect(await client.notify('notifications/initialized')).toEqual({ jsonrpc: '2.0', id: 0, result: {} });
    expect(await client.request('ping', {}, { id: 'p' })).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    expect(seen).toEqual(['initialize', 'notifications/initialized', 'ping']);
  });

  it('[T-1] may reply later, in any order, and with custom errors', async () => {
    const waiting = new Map<string, (reply: { error: { code: number; message: string } }) => void>();
    const handler: RawToolHandler = ({ method }) => new Promise((resolve) => waiting.set(method, resolve));
    await using hosted = host({ handler });
    const client = hosted.client('handler');
    const replies = [client.request('one'), client.request('two')];
    await vi.waitFor(() => expect(waiting.size).toBe(2), 10_000);
    waiting.get('two')?.({ error: { code: 2, message: 'second' } });
    expect(await replies[1]).toEqual({ jsonrpc: '2.0', id: 1, error: { code: 2, message: 'second' } });
    waiting.get('one')?.({ error: { code: 1, message: 'first' } });
    expect(await replies[0]).toMatchObject({ id: 0, error: { code: 1 } });
  });

  it.each<[string, (message: object) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['returns nothing', () => undefined],
    ['returns something else', () => ({ content: [] })],
    ['returns a string', () => 'five'],
  ])('[T-3] that %s causes the reply −32603 and a warning', async (_what, crash) => {
    // An untyped caller could write this.
    await using hosted = host({ crash: crash as RawToolHandler });
    expect(await hosted.client('crash').call('add')).toMatchObject({
      id: 0,
      error: { code: -32603, message: expect.stringMatching(/^The tool failed/) },
    });
    expect(hosted.warnings).toMatchObject([{ code: 'tool-server-failed', context: { server: 'crash' } }]);
  });

  it('[T-3] may throw on a notification without a reply', async () => {
    const handler: RawToolHandler = (message) => {
      if (!('id' in message)) throw new Error('unexpected');
      return { result: {} };
    };
    await using hosted = host({ handler });
    const client = hosted.client('handler');
    await client.request('initialize');
    await client.notify('notifications/initialized');
    expect(await client.request('ping')).toHaveProperty('result');
    expect(hosted.warnings).toMatchObject([{ message: expect.stringContaining('unexpected') }]);
  });

  it('[T-3] is aborted by a cancellation and by the end of the session', async () => {
    const signals: AbortSignal[] = [];
    const handler: RawToolHandler = ({ method }, { signal }) => {
      if (method === 'tools/call') signals.push(signal);
      return new Promise(() => {});
    };
    const hosted = host({ handler });
    const client = hosted.client('handler');
    const replies = [client.call('a'), client.call('b')];
    await vi.waitFor(() => expect(signals).toHaveLength(2), 10_000);
    await client.notify('notifications/cancelled', { requestId: 0 });
    expect(await replies[0]).toMatchObject({ error: { code: -32800 } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await hosted.servers.stop();
    expect(await replies[1]).toMatchObject({ error: { code: -32000 } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('[T-1] can be created by a factory', async () => {
    const create = vi.fn((): RawToolHandler => () => ({ result: { from: 'factory' } }));
    await using hosted = host({ made: { create } });
    expect(await hosted.client('made').request('ping')).toMatchObject({ result: { from: 'factory' } });
    expect(create).toHaveBeenCalledOnce();
  });
});
