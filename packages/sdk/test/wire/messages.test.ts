import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeLine } from '../../src/wire/decode.ts';
import {
  type ContentBlock,
  isUnknownBlock,
  isUnknownEvent,
  isUnknownMessage,
  type Message,
  type StreamEvent,
} from '../../src/wire/messages.ts';
import { linesOf, messagesOf, recordings } from '../messages/recordings.ts';

const everyMessage = recordings.flatMap(messagesOf);

describe('recorded messages', () => {
  it('[M-1] are the parsed JSON object itself, without lost or renamed fields', () => {
    let seen = 0;
    for (const line of recordings.flatMap(linesOf)) {
      decodeLine(line, {
        message: (message, rawJson) => {
          seen++;
          expect(message).toStrictEqual(JSON.parse(line));
          expect(JSON.stringify(message)).toBe(JSON.stringify(JSON.parse(line)));
          expect(rawJson).toBe(line);
        },
        // One recording is of --output-format json --verbose, which prints a single array.
        undecodable: () => expect(line).toMatch(/^\[/),
      });
    }
    expect(seen).toBeGreaterThan(1_000);
  });

  it('[M-1] have types and subtypes that are known', () => {
    const unknown = everyMessage.filter(isUnknownMessage).map(({ type, subtype }) => `${type}/${subtype}`);
    expect([...new Set(unknown)]).toEqual([]);
    expect(kindsOf(everyMessage)).toEqual(
      expect.arrayContaining([
        'assistant',
        'command_lifecycle',
        'conversation_reset',
        'result/error_during_execution',
        'result/error_max_budget_usd',
        'result/error_max_structured_output_retries',
        'result/error_max_turns',
        'result/success',
        'stream_event',
        'system/init',
        'system/task_notification',
        'tool_progress',
        'user',
      ]),
    );
  });

  it('[M-2] have content blocks that are known', () => {
    const blocks = everyMessage.flatMap(blocksIn);
    expect(blocks.filter(isUnknownBlock)).toEqual([]);
    expect([...new Set(blocks.map(({ type }) => type))].sort()).toEqual([
      'redacted_thinking',
      'text',
      'thinking',
      'tool_result',
      'tool_use',
    ]);
  });

  it('[M-1] have stream events that are known', () => {
    const events = everyMessage.flatMap((message) => (message.type === 'stream_event' ? [message.event] : []));
    expect(events.filter(isUnknownEvent)).toEqual([]);
    expect(events.length).toBeGreaterThan(50);
  });
});

describe('isUnknownMessage', () => {
  it.each([
    ['a new type', { type: 'brand_new' }],
    ['a new system subtype', { type: 'system', subtype: 'brand_new' }],
    ['a system message without a subtype', { type: 'system' }],
    ['a new result subtype', { type: 'result', subtype: 'error_brand_new' }],
    ['a name every object has', { type: 'constructor' }],
    ['a subtype every object has', { type: 'system', subtype: '__proto__' }],
  ])('[W-6] is true for %s', (_, message) => {
    expect(isUnknownMessage(message as Message)).toBe(true);
  });

  it.each([
    'assistant',
    'user',
    'stream_event',
    'tool_progress',
    'rate_limit_event',
    'command_lifecycle',
    'prompt_suggestion',
    'conversation_reset',
    'auth_status',
    'tool_use_summary',
    'transcript_mirror',
    'active_goal',
    'keep_alive',
  ])('[M-1] is false for %s', (type) => {
    expect(isUnknownMessage({ type } as Message)).toBe(false);
  });

  it.each([
    'init',
    'status',
    'api_retry',
    'control_request_progress',
    'model_fallback',
    'model_refusal_fallback',
    'model_refusal_no_fallback',
    'local_command_output',
    'hook_started',
    'hook_progress',
    'hook_response',
    'plugin_install',
    'compact_boundary',
    'task_started',
    'task_progress',
    'task_updated',
    'task_notification',
    'background_tasks_changed',
    'thinking_tokens',
    'session_state_changed',
    'worker_shutting_down',
    'commands_changed',
    'notification',
    'files_persisted',
    'memory_recall',
    'elicitation_complete',
    'permission_denied',
    'mirror_error',
    'informational',
    'session_writes_lost',
    'session_title_changed',
    'post_turn_summary',
    'task_summary',
    'session_metadata',
    'ui_invalidate',
  ])('[M-1] is false for system/%s', (subtype) => {
    expect(isUnknownMessage({ type: 'system', subtype } as Message)).toBe(false);
  });
});

describe('isUnknownBlock', () => {
  it.each([
    'text',
    'thinking',
    'redacted_thinking',
    'tool_use',
    'tool_result',
    'image',
    'document',
    'server_tool_use',
    'web_search_tool_result',
  ])('[M-2] is false for %s', (type) => {
    expect(isUnknownBlock({ type } as ContentBlock)).toBe(false);
  });

  it('[M-2, W-6] is true for a new kind of block', () => {
    expect(isUnknownBlock({ type: 'hologram' } as unknown as ContentBlock)).toBe(true);
  });
});

it('[W-6] the checks for unknown kinds never throw, for any JSON', () => {
  fc.assert(
    fc.property(fc.constantFrom('system', 'result', 'user'), fc.jsonValue(), (type, value) => {
      for (const odd of [value, { type: value }, { type, subtype: value }]) {
        isUnknownMessage(odd as Message);
        isUnknownBlock(odd as ContentBlock);
        isUnknownEvent(odd as StreamEvent);
      }
    }),
  );
});

function kindsOf(messages: readonly Message[]): string[] {
  const kinds = messages.map((message) => ('subtype' in message ? `${message.type}/${message.subtype}` : message.type));
  return [...new Set(kinds)].sort();
}

function blocksIn(message: Message): ContentBlock[] {
  if (message.type === 'stream_event') {
    return message.event.type === 'content_block_start' ? [message.event.content_block] : [];
  }
  if (message.type !== 'assistant' && message.type !== 'user') return [];
  const { content } = message.message;
  return typeof content === 'string' ? [] : content.flatMap((block) => [block, ...innerBlocks(block)]);
}

function innerBlocks(block: ContentBlock): readonly ContentBlock[] {
  return block.type === 'tool_result' && block.content !== undefined && typeof block.content !== 'string'
    ? block.content
    : [];
}
