import type { Message } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { showsAction } from '../../src/turn/acted.ts';

/** The messages are not checked when they are read, so a test may pass any. */
const message = (fields: object): Message => fields as Message;
const assistant = (...content: unknown[]): Message => message({ type: 'assistant', message: { content } });
const user = (content: unknown, more: object = {}): Message => message({ type: 'user', message: { content }, ...more });

describe('what a message shows of the agent', () => {
  it.each<[string, Message]>([
    ['text and thinking', assistant({ type: 'thinking', thinking: 'x' }, { type: 'text', text: 'x' })],
    ['the echo of a prompt', user('x', { isReplay: true })],
    ['a note of the CLI', user([{ type: 'text', text: 'x' }])],
    ['a failure of the API', message({ type: 'system', subtype: 'api_retry' })],
    [
      'the beginning of a text',
      message({ type: 'stream_event', event: { type: 'content_block_start', content_block: { type: 'text' } } }),
    ],
    ['a part of an answer', message({ type: 'stream_event', event: { type: 'content_block_delta' } })],
    ['a result', message({ type: 'result', subtype: 'success' })],
    ['a message that is not known', message({ type: 'tomorrow' })],
  ])('[F-44] %s is no call of a tool', (_, given) => {
    expect(showsAction(given)).toBe(false);
  });

  it.each<[string, Message]>([
    ['a call', assistant({ type: 'text', text: 'x' }, { type: 'tool_use', id: '1', name: 'Bash', input: {} })],
    ['a call that the API runs', assistant({ type: 'server_tool_use' })],
    ['a block that is not known', assistant({ type: 'tomorrow' })],
    ['a block without a type', assistant('x')],
    ['content that is not a list', message({ type: 'assistant', message: {} })],
    ['the result of a tool', user([{ type: 'tool_result', tool_use_id: '1' }])],
    [
      'the beginning of a call',
      message({ type: 'stream_event', event: { type: 'content_block_start', content_block: { type: 'tool_use' } } }),
    ],
    ['a tool that runs', message({ type: 'tool_progress' })],
    ['the output of a command', message({ type: 'system', subtype: 'local_command_output' })],
    ['a task', message({ type: 'system', subtype: 'task_started' })],
  ])('[F-44] %s is, or may be', (_, given) => {
    expect(showsAction(given)).toBe(true);
  });
});
