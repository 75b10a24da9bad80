import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, vi } from 'vitest';
import { currentContext } from '../../src/timing/caller.ts';
import { calculators, neverEnding } from './calculators.ts';
import { host } from './cli-side.ts';

describe.each(calculators)('%s', (_what, calculator) => {
  it('[T-1, T-3] replies to the handshake with the id 0 and lists its tools', async () => {
    await using hosted = host({ calc: calculator() });
    const client = hosted.client('calc');

    expect(await client.handshake()).toMatchObject({
      jsonrpc: '2.0',
      id: 0,
      result: { protocolVersion: '2025-11-25', serverInfo: { name: 'calc' }, capabilities: { tools: {} } },
    });
    const { id, result } = await client.request('tools/list');
    expect(id).toBe(1);
    expect(result?.tools).toMatchObject([
      {
        name: 'add',
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'number' }, b: { type: 'number' } },
          required: ['a', 'b'],
        },
      },
      { name: 'boom' },
      { name: 'slow' },
    ]);
    expect(hosted.warnings).toEqual([]);
  });

  it('[T-3] handles concurrent calls, and every reply matches its call', async () => {
    await using hosted = host({ calc: calculator() });
    const client = hosted.client('calc');
    await client.handshake();

    const replies = await Promise.all([1, 2, 3, 4].map((n) => client.call('add', { a: n, b: 10 })));
    expect(replies).toMatchObject(
      [1, 2, 3, 4].map((n) => ({ id: n, result: { content: [{ type: 'text', text: String(n + 10) }] } })),
    );
  });

  it('[T-2, T-3] keeps replying while a slow call runs', async () => {
    let finish = (_text: string): void => {};
    const slow = (): Promise<string> => new Promise((resolve) => (finish = resolve));
    await using hosted = host({ calc: calculator({ slow }) });
    const client = hosted.client('calc');
    await client.handshake();

    const pending = client.call('slow');
    expect(await client.call('add', { a: 1, b: 1 })).toMatchObject({ result: { content: [{ text: '2' }] } });
    finish('at last');
    expect(await pending).toMatchObject({ id: 1, result: { content: [{ text: 'at last' }] } });
  });

  it('[T-2, T-3] reports an error of a tool as a failed call', async () => {
    await using hosted = host({ calc: calculator() });
    const client = hosted.client('calc');
    await client.handshake();
    expect(await client.call('boom')).toMatchObject({
      result: {
        isError: true,
        content: [{ type: 'text', text: expect.stringMatching(/^(no such luck|The tool failed)/) }],
      },
    });
  });

  it('reports invalid input to the model', async () => {
    await using hosted = host({ calc: calculator() });
    const client = hosted.client('calc');
    await client.handshake();
    const { result } = await client.call('add', { a: 'one', b: 2 });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/expected number, received string/) }],
    });
  });

  it.each([0, 7])('[T-3] aborts the signal of the cancelled call with the id %s and sends an answer', async (id) => {
    const { slow, running } = neverEnding();
    await using hosted = host({ calc: calculator({ slow }) });
    const client = hosted.client('calc');

    const pending = client.call('slow', {}, { id });
    const signal = await running;
    expect(signal.aborted).toBe(false);
    const acknowledged = client.notify('notifications/cancelled', { requestId: id, reason: 'Request timed out' });
    expect(await acknowledged).toEqual({ jsonrpc: '2.0', id: 0, result: {} });
    expect(await pending).toEqual({ jsonrpc: '2.0', id, error: { code: -32800, message: 'Request timed out' } });
    await vi.waitFor(() => expect(signal.aborted).toBe(true), 10_000);
    expect(await client.call('add', { a: 1, b: 2 })).toMatchObject({ result: { content: [{ text: '3' }] } });
  });

  it('[T-3] handles two concurrent handshakes with the same ids', async () => {
    await using hosted = host({ calc: calculator() });
    const [first, second] = [hosted.client('calc'), hosted.client('calc')];

    const early = first.request('tools/list', {}, { id: 1 });
    const shaken = await Promise.all([first.handshake(), second.handshake()]);
    const listed = await Promise.all([early, second.request('tools/list', {}, { id: 1 })]);
    for (const reply of shaken) expect(reply).toMatchObject({ id: 0, result: { serverInfo: { name: 'calc' } } });
    for (const reply of listed) expect(reply).toMatchObject({ id: 1, result: { tools: [{ name: 'add' }, {}, {}] } });

    const sums = [first.call('add', { a: 1, b: 1 }, { id: 2 }), second.call('add', { a: 2, b: 2 }, { id: 2 })];
    expect(await Promise.all(sums)).toMatchObject([
      { id: 2, result: { content: [{ text: '2' }] } },
      { id: 2, result: { content: [{ text: '4' }] } },
    ]);
    expect(hosted.warnings).toEqual([]);
  });

  it('[T-3] replies to an unknown method and an unknown tool with the errors of the library', async () => {
    await using hosted = host({ calc: calculator() });
    const client = hosted.client('calc');
    await client.handshake();
    expect(await client.request('resources/list')).toMatchObject({ error: { code: -32601 } });
    const { result, error } = await client.call('divide');
    expect(error?.code ?? result?.isError).toBeOneOf([-32602, true]);
  });

  it('runs tools in the async context of the session', async () => {
    const store = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const slow = async (): Promise<string> => {
      seen.push(store.getStore());
      await Promise.resolve();
      seen.push(store.getStore());
      return 'done';
    };
    let turn = 'start';
    await using hosted = host({ calc: calculator({ slow }) }, { context: () => store.run(turn, currentContext) });
    const client = hosted.client('calc');
    await client.handshake();
    turn = 'second turn';
    await client.call('slow');
    expect(seen).toEqual(['second turn', 'second turn']);
  });

  it('[T-3] aborts open requests and replies to them immediately when the session ends', async () => {
    const { slow, running } = neverEnding();
    const hosted = host({ calc: calculator({ slow }) });
    const client = hosted.client('calc');
    await client.handshake();
    const pending = client.call('slow');
    const signal = await running;

    const stopped = hosted.servers.stop();
    expect(await pending).toMatchObject({ id: 1, error: { code: -32000 } });
    expect(await client.call('add', { a: 1, b: 1 })).toMatchObject({ error: { code: -32000 } });
    await stopped;
    expect(signal.aborted).toBe(true);
    expect(hosted.warnings).toEqual([]);
  });
});
