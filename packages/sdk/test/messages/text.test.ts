import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/messages/text.ts';
import { messagesOf, resultOf } from './recordings.ts';
import { assistant, odd, result, text } from './samples.ts';

describe('textOf', () => {
  it('[M-4] gives the text of an assistant message', () => {
    const said = messagesOf('A-oneshot-ok.325').filter((message) => message.type === 'assistant');
    expect(said.map(textOf)).toEqual([expect.stringMatching(/^Hello from fake API #\d+$/)]);
    expect(said.map(textOf)).toEqual([textOf(resultOf('A-oneshot-ok.325'))]);
  });

  it('[M-4] joins text blocks and leaves out all others', () => {
    const message = assistant('a', [text('one '), { type: 'thinking', thinking: 'hm' }, text('two')]);
    expect(textOf(message)).toBe('one two');
  });

  it('[M-4] gives the text of a user message, string or blocks', () => {
    expect(textOf(odd({ type: 'user', message: { role: 'user', content: 'plain' } }))).toBe('plain');
    expect(textOf(odd({ type: 'user', message: { role: 'user', content: [text('block')] } }))).toBe('block');
  });

  it('[M-4] gives the text of a result', () => {
    expect(textOf(result({ result: 'done' }))).toBe('done');
  });

  it.each([
    ['a failed result', result({ subtype: 'error_max_turns', errors: ['Reached maximum number of turns (1)'] })],
    ['a system message', odd({ type: 'system', subtype: 'init', message: 'x' })],
    ['a message without content', odd({ type: 'assistant', message: {} })],
    ['a message whose content is no text', odd({ type: 'assistant', message: { content: 5 } })],
    ['text that is no string', odd({ type: 'assistant', message: { content: [{ type: 'text', text: 5 }, null] } })],
  ])('[M-4] is empty for %s', (_, message) => {
    expect(textOf(message)).toBe('');
  });
});
