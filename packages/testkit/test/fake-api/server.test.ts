import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ApiScript,
  apiError,
  cutMidStream,
  delay,
  type FakeApi,
  startFakeApi,
  streamError,
  text,
  toolUse,
  until,
} from '../../src/index.ts';

const open: FakeApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.close();
});

describe('startFakeApi', () => {
  it('[K-2] streams server-sent events with unique ids', async () => {
    const api = await start([[text('hi'), toolUse('Bash', { command: 'ls' })], toolUse('Read', {})]);
    const response = await ask(api);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const first = parseEvents(await response.text());
    expect(first[0]?.type).toBe('message_start');
    expect(first.at(-1)?.type).toBe('message_stop');
    const second = parseEvents(await (await ask(api)).text());
    const ids = [first, second]
      .flat()
      .flatMap((event) => [event.message?.id, event.content_block?.id])
      .filter(Boolean);
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => /^(msg|toolu)_\w{24}$/.test(String(id)))).toBe(true);
  });

  it('[K-2] answers with one JSON object if the request does not stream', async () => {
    const api = await start([text('hi')]);
    expect(await (await ask(api, { stream: false })).json()).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
  });

  it('[K-2] sends errors in the form of the API', async () => {
    const api = await start([apiError(529, { retryAfterSeconds: 3 }), apiError(413, { message: 'too big' })]);
    const overloaded = await ask(api);
    expect([overloaded.status, overloaded.headers.get('retry-after')]).toEqual([529, '3']);
    expect(await overloaded.json()).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
    expect(await (await ask(api)).json()).toMatchObject({ error: { type: 'request_too_large', message: 'too big' } });
  });

  it('[K-2] cuts the connection in either mode after the earlier output', async () => {
    const api = await start([
      [text('half'), cutMidStream()],
      [text('half'), cutMidStream()],
    ]);
    for (const stream of [true, false]) {
      const response = await ask(api, { stream });
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
    }
    expect(api.requests.map((request) => request.state)).toEqual(['cut', 'cut']);
  });

  it('[K-2] ends a stream with an error event', async () => {
    const api = await start([[text('half'), streamError('api_error', 'bang')], streamError()]);
    const events = parseEvents(await (await ask(api)).text());
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { message: 'bang' } });
    expect((await ask(api, { stream: false })).status).toBe(500);
  });

  it('[K-2] waits before the headers, and in the middle', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const api = await start([
      [delay(60), text('late')],
      [text('one'), until(gate), text('two')],
    ]);
    const before = performance.now();
    await (await ask(api)).text();
    expect(performance.now() - before).toBeGreaterThanOrEqual(55);
    const response = await ask(api);
    expect(api.requests[1]?.state).toBe('open');
    release();
    expect(await response.text()).toContain('two');
  });

  it('[K-2] reports a request without a scripted reply', async () => {
    const api = await start([]);
    const response = await ask(api);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('script has run out');
    expect(api.problems).toEqual([expect.stringContaining('request 1 (main, last user text "hello")')]);
  });

  it('[K-2] reports a script function that throws', async () => {
    const api = await start(() => {
      throw new Error('typo in the test');
    });
    expect((await ask(api)).status).toBe(500);
    expect(api.problems).toEqual(["The fake API's script failed: typo in the test"]);
  });

  it('[K-2] records requests that it does not serve', async () => {
    const api = await start([]);
    expect((await fetch(`${api.url}/v1/models?x=1`)).status).toBe(404);
    expect((await fetch(api.url, { method: 'HEAD' })).status).toBe(200);
    const count = await fetch(`${api.url}/v1/messages/count_tokens`, { method: 'POST', body: '{"messages":[]}' });
    expect(await count.json()).toEqual({ input_tokens: expect.any(Number) });
    expect(api.requests.map(({ seq, method, path, kind }) => [seq, method, path, kind])).toEqual([
      [1, 'GET', '/v1/models', 'other'],
      [2, 'HEAD', '/', 'other'],
      [3, 'POST', '/v1/messages/count_tokens', 'count-tokens'],
    ]);
    expect(api.conversation).toEqual([]);
    expect(api.problems).toEqual([]);
  });

  it('[K-2] finds a past request, and waits for a future one', async () => {
    const api = await start([text('a'), text('b')]);
    const coming = api.waitForRequest((request) => request.lastUserText === 'second');
    await (await ask(api, { prompt: 'first' })).text();
    expect((await api.waitForRequest((request) => request.lastUserText === 'first')).seq).toBe(1);
    await (await ask(api, { prompt: 'second' })).text();
    expect((await coming).seq).toBe(2);
    await expect(api.waitForRequest((request) => request.seq === 9, { timeoutMs: 20 })).rejects.toThrow(
      'none came within 20 ms. Seen: POST /v1/messages (main), POST /v1/messages (main).',
    );
  });

  it('[K-2] tolerates a client that disconnects just before its answer', async () => {
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const api = await start(async () => {
      await asked;
      return text('hi');
    });
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] });
    socket.write(`POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await api.waitForRequest(() => true);
    // The server writes in the same tick, before it can detect this.
    socket.resetAndDestroy();
    answer();
    await expect.poll(() => api.requests[0]?.state).toBe('aborted');
    expect(api.problems).toEqual([]);
  });

  it('[K-2] detects the disconnection of a client', async () => {
    const api = await start([[text('one'), until(new Promise(() => {}))]]);
    const hangUp = new AbortController();
    const response = await ask(api, { signal: hangUp.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    hangUp.abort();
    await expect.poll(() => api.requests[0]?.state).toBe('aborted');
    expect(api.problems).toEqual([]);
  });

  it('[K-2] closes immediately with open replies, waits and timers', async () => {
    const api = await startFakeApi([[text('one'), delay(600_000)], delay(600_000), until(new Promise(() => {}))]);
    const streaming = await ask(api);
    const silent = [ask(api), ask(api)];
    const failures = Promise.allSettled([streaming.text(), ...silent, api.waitForRequest(() => false)]);
    await api.waitForRequest((request) => request.seq === 3);
    await Promise.all([api.close(), api.close(), api[Symbol.asyncDispose]()]);
    expect((await failures).map((outcome) => outcome.status)).toEqual(Array(4).fill('rejected'));
    await expect(fetch(api.url)).rejects.toThrow();
    await expect(api.waitForRequest(() => false)).rejects.toThrow('closed');
  });
});

async function start(script: ApiScript): Promise<FakeApi> {
  const api = await startFakeApi(script);
  open.push(api);
  return api;
}

function ask(
  api: FakeApi,
  { stream = true, prompt = 'hello', signal }: { stream?: boolean; prompt?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const body = JSON.stringify({ model: 'claude-x', stream, messages: [{ role: 'user', content: prompt }] });
  return fetch(`${api.url}/v1/messages`, { method: 'POST', body, ...(signal && { signal }) });
}

interface Event {
  readonly type: string;
  readonly message?: { readonly id: string };
  readonly content_block?: { readonly id?: string };
}

function parseEvents(stream: string): Event[] {
  const blocks = stream.split('\n\n').filter((block) => block !== '');
  return blocks.map((block) => {
    const [, name, data] = /^event: (\w+)\ndata: (.+)$/.exec(block) ?? [];
    const event: Event = JSON.parse(data ?? 'null');
    expect(event.type).toBe(name);
    return event;
  });
}
