import { describe, expect, it } from 'vitest';
import { textDeltaOf } from '../../src/messages/text-delta.ts';
import { messagesOf } from './recordings.ts';
import { assistant, event, more, open, start, text } from './samples.ts';

describe('textDeltaOf', () => {
  it('[M-5] returns the text that each message of a recorded run adds', () => {
    const deltas = messagesOf('H-partial-text-thinking-tool.325').map((message) => textDeltaOf(message));
    expect(deltas.filter((added) => added !== '')).toEqual([
      ...['Calling ', 'tool.'],
      ...['Hello ', 'from ', 'fake ', 'API ', '#823'],
      ...['Hello ', 'from ', 'fake ', 'API ', '#824'],
    ]);
  });

  it('[M-5] returns the initial text of a block, and no thinking', () => {
    const delta = { type: 'thinking_delta', thinking: 'hm' } as const;
    expect(textDeltaOf(event({ type: 'content_block_delta', index: 0, delta }))).toBe('');
    expect(textDeltaOf(open(0, text('Well, ')))).toBe('Well, ');
  });

  it('[M-5] returns nothing for a whole answer and for the start of one', () => {
    expect([assistant('a', [text('whole')]), start('a')].map((one) => textDeltaOf(one))).toEqual(['', '']);
  });

  it('[M-5] returns the text of a subagent only if it is requested', () => {
    const message = more(0, 'sub', { parent_tool_use_id: 'toolu_1' });
    expect([textDeltaOf(message), textDeltaOf(message, { subagents: true })]).toEqual(['', 'sub']);
  });
});
