import { describe, expect, it } from 'vitest';
import { toolResultsOf, toolUsesOf } from '../../src/messages/tools.ts';
import { messagesOf } from './recordings.ts';
import { odd } from './samples.ts';

const recorded = messagesOf('A-max-turns-1.325');

describe('toolUsesOf', () => {
  it('[M-4] gives the tool calls of a message', () => {
    const uses = recorded.flatMap(toolUsesOf);
    expect(uses).toEqual([{ type: 'tool_use', id: expect.any(String), name: 'Bash', input: { command: 'echo hi' } }]);
  });

  it('[M-4] gives the blocks themselves', () => {
    const block = { type: 'tool_use', id: 'a', name: 'Read', input: {} };
    expect(toolUsesOf(odd({ type: 'assistant', message: { content: [block] } }))[0]).toBe(block);
  });

  it('[M-4] leaves out what is not a whole tool call', () => {
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
  it('[M-4] gives the tool results of a message', () => {
    const [use] = recorded.flatMap(toolUsesOf);
    expect(recorded.flatMap(toolResultsOf)).toEqual([
      { type: 'tool_result', tool_use_id: use?.id, content: 'hi', is_error: false },
    ]);
  });

  it('[M-4] leaves out what names no tool call', () => {
    const content = [{ type: 'tool_result', content: 'x' }, null];
    expect(toolResultsOf(odd({ type: 'user', message: { content } }))).toEqual([]);
    expect(toolResultsOf(odd({ type: 'user', message: { content: 'text' } }))).toEqual([]);
  });
});
