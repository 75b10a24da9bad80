import { describe, expect, it } from 'vitest';
import { type AssembledAssistantMessage, assemblePartials } from '../../src/messages/assemble-partials.ts';
import { textOf } from '../../src/messages/content.ts';
import type { Message } from '../../src/wire/messages.ts';
import { all, messagesOf, streamOf } from './recordings.ts';
import { assistant, close, event, more, odd, open, start, stop, text } from './samples.ts';

describe('assemblePartials on a recorded run', () => {
  const name = 'H-partial-text-thinking-tool.325';

  it('[M-5] ends each answer with the complete answer', async () => {
    const whole = (await assembled(messagesOf(name))).filter((message) => !message.is_partial);
    expect(
      whole.map(({ message }) => [message.id, message.content.map(({ type }) => type), message.stop_reason]),
    ).toEqual([
      ['msg_fake0822', ['thinking', 'text', 'tool_use'], 'tool_use'],
      ['msg_fake0823', ['text'], 'end_turn'],
      ['msg_fake0824', ['redacted_thinking', 'text'], 'end_turn'],
    ]);
    expect(whole[0]?.message.usage.output_tokens).toBe(5);
  });

  it('[M-5] uses the original blocks of the CLI in the complete answer', async () => {
    const messages = messagesOf(name);
    const sent = messages.flatMap((message) => (message.type === 'assistant' ? message.message.content : []));
    const whole = (await assembled(messages)).filter((message) => !message.is_partial);
    const blocks = whole.flatMap(({ message }) => message.content);
    expect(blocks.length).toBe(sent.length);
    blocks.forEach((block, i) => {
      expect(block).toBe(sent[i]);
    });
  });

  it('[M-5] yields a longer snapshot for each delta', async () => {
    const texts = (await assembled(messagesOf(name)))
      .filter((message) => message.message.id === 'msg_fake0823')
      .map((message) => `${message.is_partial ? '…' : '.'}${textOf(message)}`);
    expect(texts).toEqual([
      '…',
      '…',
      '…Hello ',
      '…Hello from ',
      '…Hello from fake ',
      '…Hello from fake API ',
      '…Hello from fake API #823',
      '…Hello from fake API #823',
      '.Hello from fake API #823',
    ]);
  });

  it('[M-5] includes thinking and tool input while they are streamed', async () => {
    const snapshots = (await assembled(messagesOf(name))).filter((message) => message.message.id === 'msg_fake0822');
    const blocks = snapshots.flatMap(({ message }) => message.content);
    expect(blocks).toContainEqual({ type: 'thinking', thinking: 'Let me ', signature: '' });
    expect(blocks).toContainEqual({
      type: 'tool_use',
      id: 'toolu_fake0822_2',
      name: 'Bash',
      input: {},
      partial_json: '{"command":',
    });
    expect(snapshots.at(-1)?.message.content.at(-1)).toEqual({
      type: 'tool_use',
      id: 'toolu_fake0822_2',
      name: 'Bash',
      input: { command: 'echo hi' },
    });
  });

  it('[M-5] passes all other messages through, unchanged and in order', async () => {
    const messages = messagesOf(name);
    const others = (message: { type: string }) => message.type !== 'assistant' && message.type !== 'stream_event';
    const passed = (await all(assemblePartials(streamOf(messages)))).filter((message) => message.type !== 'assistant');
    expect(passed.length).toBe(messages.filter(others).length);
    messages.filter(others).forEach((message, i) => {
      expect(passed[i]).toBe(message);
    });
  });

  it('[M-5] leaves an interrupted answer partial and completes the next one', async () => {
    const answers = await assembled(messagesOf('F-interrupt-streaming.325'));
    const cut = answers.filter((message) => message.message.id === 'msg_fake0636');
    expect(cut.map((message) => message.is_partial)).not.toContain(false);
    expect(textOf(cut.at(-1) ?? odd(null))).toBe('Hello ');
    expect(answers.at(-1)).toMatchObject({ is_partial: false, message: { id: 'msg_fake0638' } });
  });
});

describe('assemblePartials', () => {
  it('[M-5] separates the answers of subagents', async () => {
    const sub = { parent_tool_use_id: 'toolu_1' };
    const answers = await assembled([
      start('a'),
      open(0, text('')),
      start('b', sub),
      open(0, text(''), sub),
      more(0, 'main', {}),
      more(0, 'sub', sub),
      assistant('a', [text('main')]),
      assistant('b', [text('sub')], sub),
      ...stop('end_turn', sub),
      ...stop(),
    ]);
    expect(answers.filter((message) => !message.is_partial)).toMatchObject([
      { parent_tool_use_id: 'toolu_1', message: { id: 'b', content: [text('sub')] } },
      { parent_tool_use_id: null, message: { id: 'a', content: [text('main')] } },
    ]);
  });

  it('[M-5] never changes a snapshot after it was yielded', async () => {
    const messages = [start('a'), open(0, text('')), more(0, 'one'), more(0, ' two'), close(0), ...stop()];
    const answers = await assembled(messages);
    expect(answers.map(textOf)).toEqual(['', '', 'one', 'one two', 'one two']);
  });

  it('[M-5] omits blocks without content from the complete answer, like the CLI', async () => {
    const answers = await assembled([
      start('a'),
      open(0, text('')),
      close(0),
      open(1, text('')),
      more(1, 'Calling'),
      assistant('a', [text('Calling')]),
      close(1),
      ...stop(),
    ]);
    expect(answers.at(-1)).toMatchObject({ is_partial: false, message: { content: [text('Calling')] } });
  });

  it('[M-5] leaves an answer with abandoned blocks partial, and treats its replacement as complete', async () => {
    const abandoned_blocks = { api_message_id: 'a', from_block_index: 0 };
    const answers = await assembled([
      start('a'),
      open(0, text('')),
      more(0, 'Hel'),
      close(0),
      event({ type: 'message_stop' }, { abandoned_blocks }),
      assistant('b', [text('Hello')]),
    ]);
    expect(answers.map(({ message, is_partial }) => [message.id, is_partial])).toEqual([
      ['a', true],
      ['a', true],
      ['a', true],
      ['b', false],
    ]);
  });

  it('[M-5] leaves an answer partial if its stream stops', async () => {
    const answers = await assembled([start('a'), open(0, text('')), more(0, 'Hel'), assistant('a', [text('Hel')])]);
    expect(answers.map((message) => message.is_partial)).toEqual([true, true, true, true]);
  });

  it('[M-5] uses the last stop reason of the answer', async () => {
    const [interim] = stop(null);
    if (interim === undefined) throw new Error('a message_delta expected');
    const answers = await assembled([start('a'), open(0, text('')), more(0, 'Hi'), interim, close(0), ...stop()]);
    expect(answers.at(-1)).toMatchObject({ is_partial: false, message: { stop_reason: 'end_turn' } });
    expect(await assembled([start('a'), ...stop(null)])).toMatchObject([{ is_partial: true }]);
  });

  it('[M-5] treats answers that were not streamed as complete, and aborted ones as partial', async () => {
    expect(await assembled([assistant('a', [text('x')])])).toEqual([
      { ...assistant('a', [text('x')]), is_partial: false },
    ]);
    expect(await assembled([assistant('a', [text('x')], { aborted: true })])).toMatchObject([{ is_partial: true }]);
  });

  it('[M-5] accepts a block that arrives after the end of its answer', async () => {
    const answers = await assembled([
      start('a'),
      open(0, text('')),
      more(0, 'one'),
      close(0),
      open(1, text('')),
      more(1, 'two'),
      close(1),
      ...stop(),
      assistant('a', [text('one'), text('two')]),
    ]);
    expect(answers.at(-1)).toMatchObject({ is_partial: false, message: { content: [text('one'), text('two')] } });
  });

  it('[M-5] parses the input of a tool call that never arrives as a complete block', async () => {
    const call = { type: 'tool_use', id: 't', name: 'Read', input: {} } as const;
    const json = (partial_json: string) =>
      event({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } });
    const answers = await assembled([
      start('a'),
      open(0, call),
      json('{"file'),
      json('":"x"}'),
      close(0),
      ...stop('tool_use'),
    ]);
    expect(answers.at(-1)?.message.content).toEqual([{ ...call, input: { file: 'x' } }]);
  });

  it('[M-5, W-6] passes through stream events that belong to no answer', async () => {
    const unplaced: Message[] = [
      more(0, 'without a beginning'),
      event({ type: 'ping' }),
      odd({ type: 'stream_event', event: { type: 'brand_new' }, parent_tool_use_id: null }),
      odd({ type: 'stream_event', parent_tool_use_id: null }),
    ];
    expect(await all(assemblePartials(streamOf(unplaced)))).toEqual(unplaced);

    const newDelta = odd({
      ...open(0, text('')),
      event: { type: 'content_block_delta', index: 0, delta: { type: 'brand_new_delta' } },
    });
    const passed = await all(assemblePartials(streamOf([start('a'), open(0, text('')), newDelta])));
    expect(passed.at(-1)).toBe(newDelta);
  });

  it('[M-5] takes constant time per delta, however long the answer is', async () => {
    const cost = async (pieces: number): Promise<number> => {
      const begin = performance.now();
      let last: unknown;
      for await (const message of assemblePartials(streamOf(longAnswer(pieces)))) last = message;
      expect(textOf(odd(last)).length).toBe(pieces * 5);
      return (performance.now() - begin) / pieces;
    };
    await cost(10_000);
    const short = Math.max(await cost(10_000), await cost(10_000));
    // Ten times the text: linear time per delta would be ten times as long.
    expect(Math.min(await cost(100_000), await cost(100_000))).toBeLessThan(short * 5);
  });
});

async function assembled(messages: readonly Message[]): Promise<AssembledAssistantMessage[]> {
  return (await all(assemblePartials(streamOf(messages)))).filter((message) => message.type === 'assistant');
}

function* longAnswer(pieces: number): Generator<Message> {
  yield start('a');
  yield open(0, text(''));
  for (let i = 0; i < pieces; i++) yield more(0, 'word ');
  yield close(0);
  yield* stop();
}
