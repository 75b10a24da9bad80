import { describe, expect, it } from 'vitest';
import { textOf, toolResultsOf, toolUsesOf } from '../../src/messages/content.ts';
import { messagesOf, resultOf } from './recordings.ts';
import { assistant, odd, result, text } from './samples.ts';

const withTools = messagesOf('A-max-turns-1.325');

describe('textOf', () => {
  it('[M-4] returns the text of an assistant message', () => {
    const answers = messagesOf('A-oneshot-ok.325').filter((message) => message.type === 'assistant');
    expect(answers.map(textOf)).toEqual([expect.stringMatching(/^Hello from fake API #\d+$/)]);
    expect(answers.map(textOf)).toEqual([textOf(resultOf('A-oneshot-ok.325'))]);
  });

  it('[M-4] joins text blocks and skips all others', () => {
    const message = assistant('a', [text('one '), { type: 'thinking', thinking: 'hm' }, text('two')]);
    expect(textOf(message)).toBe('one two');
  });

  it('[M-4] returns the text of a user message, string or blocks', () => {
    expect(textOf(odd({ type: 'user', message: { role: 'user', content: 'plain' } }))).toBe('plain');
    expect(textOf(odd({ type: 'user', message: { role: 'user', content: [text('block')] } }))).toBe('block');
  });

  it('[M-4] returns the text of a result', () => {
    expect(textOf(result({ result: 'done' }))).toBe('done');
  });

  it.each([
    ['a failed result', result({ subtype: 'error_max_turns', errors: ['Reached maximum number of turns (1)'] })],
    ['a system message', odd({ type: 'system', subtype: 'init', message: 'x' })],
    ['a message without content', odd({ type: 'assistant', message: {} })],
    ['a message whose content is a number', odd({ type: 'assistant', message: { content: 5 } })],
    ['text that is not a string', odd({ type: 'assistant', message: { content: [{ type: 'text', text: 5 }, null] } })],
  ])('[M-4] is empty for %s', (_, message) => {
    expect(textOf(message)).toBe('');
  });
});

describe('toolUsesOf', () => {
  it('[M-4] returns the tool calls of a message', () => {
    const uses = withTools.flatMap(toolUsesOf);
    expect(uses).toEqual([{ type: 'tool_use', id: expect.any(String), name: 'Bash', input: { command: 'echo hi' } }]);
  });

  it('[M-4] returns the blocks themselves, not copies', () => {
    const block = { type: 'tool_use', id: 'a', name: 'Read', input: {} };
    expect(toolUsesOf(odd({ type: 'assistant', message: { content: [block] } }))[0]).toBe(block);
  });

  it('[M-4] skips blocks that are not complete tool calls', () => {
    const content = [
      { type: 'tool_use' },
      { type: 'tool_use', id: 1, name: 'Read', input: {} },
      { type: 'tool_use', id: 'a', name: 'Read', input: null },
      'tool_use',
    ];
    expect(toolUsesOf(odd({ type: 'assistant', message: { content } }))).toEqual([]);
    expect(toolUsesOf(odd({ type: 'assistant', message: null }))).toEqual([]);
    expect(toolUsesOf(odd({ type: 'system', message: { content } }))).toEqual([]);
  });
});

describe('toolResultsOf', () => {
  it('[M-4] returns the tool results of a message', () => {
    const [use] = withTools.flatMap(toolUsesOf);
    expect(withTools.flatMap(toolResultsOf)).toEqual([
      { type: 'tool_result', tool_use_id: use?.id, content: 'hi', is_error: false },
    ]);
  });

  it('[M-4] skips results that name no tool call', () => {
    const content = [{ type: 'tool_result', content: 'x' }, null];
    expect(toolResultsOf(odd({ type: 'user', message: { content } }))).toEqual([]);
    expect(toolResultsOf(odd({ type: 'user', message: { content: 'text' } }))).toEqual([]);
  });
});
