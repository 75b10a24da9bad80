import { inMemoryCli, script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { StreamConsumedError } from '../../src/errors/stream.ts';
import { query } from '../../src/query/query.ts';
import type { StreamItem } from '../../src/stream/items.ts';
import { inMemory } from '../support/memory-transport.ts';
import { assistant, INIT, ORDINARY, result, type Step, say } from '../support/say.ts';

/** An undecodable line, an unknown type and a failing exit among ordinary messages. */
const MIXED: readonly Step[] = [
  { message: INIT },
  { out: 'not json\n' },
  { message: { type: 'novelty' } },
  { out: '[1]\n' },
  { message: result() },
  { exit: 7 },
];

const labelOf = (item: StreamItem): string =>
  item.kind === 'message' ? item.message.type : item.kind === 'warning' ? item.warning.code : item.error.code;

describe('iterating a query', () => {
  it('[Q-2] yields unchanged messages in a plain loop', async () => {
    const seen: unknown[] = [];
    for await (const message of say([...ORDINARY]).stream) seen.push(message);
    expect(seen).toEqual([INIT, assistant('hi'), result()]);
  });

  it('[Q-2, W-4, W-5, W-6, Q-4] yields messages, warnings and errors in order with items()', async () => {
    const items: StreamItem[] = [];
    for await (const item of say(MIXED).stream.items()) items.push(item);
    expect(items.map((item) => `${item.kind} ${labelOf(item)}`)).toEqual([
      'message system',
      'error json-decode',
      'warning unknown-message-type',
      'message novelty',
      'error unexpected-message',
      'message result',
      'warning non-zero-exit-after-result',
    ]);
  });

  it('[Q-2] yields items with a gapless seq from 0 and the time of reading', async () => {
    const before = Date.now();
    const { items } = await say(MIXED).stream.collect();
    expect(items.map(({ seq }) => seq)).toEqual(items.map((_, index) => index));
    for (const { at } of items) {
      expect(at).toBeGreaterThanOrEqual(before);
      expect(at).toBeLessThanOrEqual(Date.now());
    }
  });

  it('[Q-2] reports warnings and non-terminal errors to onWarning and stream.warnings in a plain loop', async () => {
    const run = say(MIXED);
    for await (const _ of run.stream);
    const codes = ['undecodable-line', 'unknown-message-type', 'undecodable-line', 'non-zero-exit-after-result'];
    expect(run.warnings.map(({ code }) => code)).toEqual(codes);
    expect(run.stream.warnings).toEqual(run.warnings);
    expect(run.warnings[0]?.context).toMatchObject({ error: { code: 'json-decode', line: 'not json' } });
  });

  it('[Q-2] reports warnings and non-terminal errors even if only a promise is awaited', async () => {
    const run = say(MIXED);
    await run.stream.result();
    expect(run.warnings.map(({ code }) => code)).toEqual([
      'undecodable-line',
      'unknown-message-type',
      'undecodable-line',
      'non-zero-exit-after-result',
    ]);
  });

  it('[Q-2] is done by collect(), which returns items, messages, warnings and errors', async () => {
    const collected = await say(MIXED).stream.collect();
    expect(collected.messages.map(({ type }) => type)).toEqual(['system', 'novelty', 'result']);
    expect(collected.warnings.map(({ code }) => code)).toEqual(['unknown-message-type', 'non-zero-exit-after-result']);
    expect(collected.errors.map(({ code }) => code)).toEqual(['json-decode', 'unexpected-message']);
    expect(collected).not.toHaveProperty('terminalError');
  });
});

describe('concurrent pulls', () => {
  it.each([2, 3, 4, 6])('[Q-2] are served in order without losing a message: %i', async (pulls) => {
    const { stream, transport } = inMemory();
    const iterator = stream[Symbol.asyncIterator]();
    const waiting = Array.from({ length: pulls }, () => iterator.next());
    const messages = [INIT, assistant('one'), assistant('two'), result()];
    transport.print(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    transport.end();
    const seen: string[] = (await Promise.all(waiting)).flatMap((pulled) => (pulled.done ? [] : [pulled.value.type]));
    for await (const { type } of { [Symbol.asyncIterator]: () => iterator }) seen.push(type);
    expect(seen).toEqual(['system', 'assistant', 'assistant', 'result']);
    expect(stream.results).toHaveLength(1);
  });
});

describe('the second reader of a query', () => {
  it('[Q-2] gets StreamConsumedError once and is done, without affecting the first', async () => {
    const { stream } = say([...ORDINARY]);
    const first = stream[Symbol.asyncIterator]();
    await first.next();
    const second = stream[Symbol.asyncIterator]();
    await expect(second.next()).rejects.toBeInstanceOf(StreamConsumedError);
    expect(await second.next()).toEqual({ value: undefined, done: true });
    await expect(stream.items()[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(StreamConsumedError);
    expect((await stream.collect()).terminalError).toBeInstanceOf(StreamConsumedError);
    expect((await first.next()).value).toEqual(assistant('hi'));
  });

  it.each([
    ['a query', {}],
    ['a query with callbacks', { canUseTool: () => allow() }],
  ])('[Q-2, O-7] gets StreamConsumedError after result() has read the messages of %s', async (_, options) => {
    const stream = query('go', {
      transport: inMemoryCli(script().otherwise((turn) => turn.say('hi'))).transport,
      ...options,
    });
    await stream.result();
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'stream-consumed' });
  });

  it('[Q-2] gets StreamConsumedError even after the first has ended', async () => {
    const { stream } = say([...ORDINARY]);
    await stream.collect();
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      name: 'StreamConsumedError',
      code: 'stream-consumed',
    });
  });
});

describe('the terminal error of a query', () => {
  it('[Q-2] is thrown once after all items, and then the iterator is done', async () => {
    const iterator = say([{ message: INIT }, { exit: 3 }])
      .stream.items()
      [Symbol.asyncIterator]();
    expect(await iterator.next()).toMatchObject({ done: false, value: { kind: 'message' } });
    await expect(iterator.next()).rejects.toMatchObject({ code: 'process', exitCode: 3 });
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  });

  it('[Q-2] rejects one of two pending pulls', async () => {
    const iterator = say([{ exit: 3 }]).stream[Symbol.asyncIterator]();
    const settled = await Promise.allSettled([iterator.next(), iterator.next()]);
    expect(settled).toMatchObject([
      { status: 'rejected', reason: { code: 'process' } },
      { status: 'fulfilled', value: { done: true } },
    ]);
  });

  it('[Q-2, Q-10] is in terminalError of collect(), together with the earlier items', async () => {
    const collected = await say([{ message: INIT }, { out: 'oops\n' }, { exit: 3 }]).stream.collect();
    expect(collected.messages).toEqual([INIT]);
    expect(collected.errors.map(({ code }) => code)).toEqual(['json-decode']);
    expect(collected.terminalError).toMatchObject({ code: 'process', lastNonJsonLine: 'oops' });
  });
});
