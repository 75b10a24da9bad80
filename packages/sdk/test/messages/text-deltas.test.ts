import { describe, expect, it } from 'vitest';
import { textDeltaOf, textDeltas } from '../../src/messages/text-deltas.ts';
import { all, messagesOf, streamOf } from './recordings.ts';
import { assistant, close, event, more, open, start, stop, text } from './samples.ts';

describe('textDeltas', () => {
  it('[M-5] yields the text of a recorded run as it arrives', async () => {
    const deltas = await all(textDeltas(streamOf(messagesOf('H-partial-text-thinking-tool.325'))));
    expect(deltas).toEqual([
      ...['Calling ', 'tool.'],
      ...['Hello ', 'from ', 'fake ', 'API ', '#823'],
      ...['Hello ', 'from ', 'fake ', 'API ', '#824'],
    ]);
  });

  it('[M-5] yields a delta before it reads the next message', async () => {
    let asked = 0;
    async function* counted() {
      for (const message of [start('a'), open(0, text('')), more(0, 'one'), more(0, 'two')]) {
        asked++;
        yield message;
      }
    }
    const deltas = textDeltas(counted());
    expect(await deltas.next()).toEqual({ value: 'one', done: false });
    expect(asked).toBe(3);
  });

  it('[M-5] excludes subagents by default', async () => {
    const sub = { parent_tool_use_id: 'toolu_1' };
    const messages = [
      start('a'),
      start('b', sub),
      more(0, 'main ', {}),
      more(0, 'sub ', sub),
      assistant('b', [text('sub ')], sub),
      assistant('c', [text('sub whole')], sub),
      more(0, 'again'),
    ];
    expect(await all(textDeltas(streamOf(messages)))).toEqual(['main ', 'again']);
    expect(await all(textDeltas(streamOf(messages), { subagents: true }))).toEqual([
      'main ',
      'sub ',
      'sub whole',
      'again',
    ]);
  });

  it('[M-5] yields an answer that was not streamed as one delta', async () => {
    expect(await all(textDeltas(streamOf(messagesOf('A-oneshot-ok.325'))))).toEqual([
      expect.stringMatching(/^Hello from fake API/),
    ]);
  });

  it('[M-5] continues with the complete answer if a stream failed and the CLI retried', async () => {
    const messages = [start('a'), open(0, text('')), more(0, 'Hel'), assistant('b', [text('Hello there')])];
    expect(await all(textDeltas(streamOf(messages)))).toEqual(['Hel', 'Hello there']);
  });

  it('[M-5] repeats nothing if the stream starts in the middle of an answer', async () => {
    const messages = [more(0, 'one'), more(0, ' two'), assistant('a', [text('one two')]), close(0), ...stop()];
    expect(await all(textDeltas(streamOf(messages)))).toEqual(['one', ' two']);
  });

  it('[M-5] yields the initial text of a block, and no thinking', async () => {
    const thinking = event({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'thinking_delta', thinking: 'hm' },
    });
    expect(await all(textDeltas(streamOf([start('a'), thinking, open(1, text('Well, '))])))).toEqual(['Well, ']);
  });

  it('[M-5] excludes reports of an API failure', async () => {
    expect(await all(textDeltas(streamOf(messagesOf('A-err-400.325'))))).toEqual([]);
  });
});

describe('textDeltaOf', () => {
  it('[M-5] returns the text that one message of a recorded run adds', () => {
    const deltas = messagesOf('H-partial-text-thinking-tool.325').map((message) => textDeltaOf(message));
    expect(deltas.filter((added) => added !== '').join('')).toBe(
      'Calling tool.Hello from fake API #823Hello from fake API #824',
    );
  });

  it('[M-5] returns nothing for a complete answer, and the text of a subagent only on request', () => {
    const sub = { parent_tool_use_id: 'toolu_1' };
    expect([assistant('a', [text('whole')]), start('a'), more(0, 'sub', sub)].map((one) => textDeltaOf(one))).toEqual([
      '',
      '',
      '',
    ]);
    expect(textDeltaOf(open(0, text('first')))).toBe('first');
    expect(textDeltaOf(more(0, 'sub', sub), { subagents: true })).toBe('sub');
  });
});
