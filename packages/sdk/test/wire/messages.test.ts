import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeLine } from '../../src/wire/decode.ts';
import type {
  ContentBlock,
  KnownBlock,
  KnownMessage,
  KnownResult,
  KnownStreamEvent,
  KnownSystemMessage,
  Message,
  StreamEvent,
} from '../../src/wire/messages.ts';
import { isUnknownBlock, isUnknownEvent, isUnknownMessage } from '../../src/wire/unknown.ts';
import { linesOf, messagesOf, recordings } from '../messages/recordings.ts';

const everyMessage = recordings.flatMap(messagesOf);

// The compiler checks that these lists contain every kind in the types; the tests check that the code contains them all.
const types: Record<KnownMessage['type'], true> = {
  assistant: true,
  user: true,
  system: true,
  result: true,
  stream_event: true,
  tool_progress: true,
  tool_use_summary: true,
  rate_limit_event: true,
  command_lifecycle: true,
  conversation_reset: true,
  prompt_suggestion: true,
  auth_status: true,
  transcript_mirror: true,
  active_goal: true,
  autocompact_state: true,
  keep_alive: true,
};
const systemSubtypes: Record<KnownSystemMessage['subtype'], true> = {
  init: true,
  status: true,
  api_retry: true,
  control_request_progress: true,
  model_fallback: true,
  model_refusal_fallback: true,
  model_refusal_no_fallback: true,
  local_command_output: true,
  hook_started: true,
  hook_progress: true,
  hook_response: true,
  plugin_install: true,
  compact_boundary: true,
  task_started: true,
  task_progress: true,
  task_updated: true,
  task_notification: true,
  background_tasks_changed: true,
  thinking_tokens: true,
  session_state_changed: true,
  worker_shutting_down: true,
  commands_changed: true,
  notification: true,
  files_persisted: true,
  memory_recall: true,
  elicitation_complete: true,
  permission_denied: true,
  mirror_error: true,
  informational: true,
  session_writes_lost: true,
  session_title_changed: true,
  post_turn_summary: true,
  task_summary: true,
  session_metadata: true,
  ui_invalidate: true,
};
const resultSubtypes: Record<KnownResult['subtype'], true> = {
  success: true,
  error_max_turns: true,
  error_max_budget_usd: true,
  error_during_execution: true,
  error_max_structured_output_retries: true,
};
const blocks: Record<KnownBlock['type'], true> = {
  text: true,
  thinking: true,
  redacted_thinking: true,
  tool_use: true,
  tool_result: true,
  image: true,
  document: true,
  search_result: true,
  tool_reference: true,
  server_tool_use: true,
  web_search_tool_result: true,
  web_fetch_tool_result: true,
  code_execution_tool_result: true,
  bash_code_execution_tool_result: true,
  text_editor_code_execution_tool_result: true,
  tool_search_tool_result: true,
  advisor_tool_result: true,
  mcp_tool_use: true,
  mcp_tool_result: true,
  container_upload: true,
  compaction: true,
  fallback: true,
};
const events: Record<KnownStreamEvent['type'], true> = {
  message_start: true,
  content_block_start: true,
  content_block_delta: true,
  content_block_stop: true,
  message_delta: true,
  message_stop: true,
  ping: true,
  error: true,
};

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
        // One recording used --output-format json --verbose, which prints a single array.
        undecodable: () => expect(line).toMatch(/^\[/),
      });
    }
    expect(seen).toBeGreaterThan(1_000);
  });

  it('[M-1] have known types and subtypes', () => {
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

  it('[M-2] have known content blocks', () => {
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

  it('[M-1] have known stream events', () => {
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
    ['a type named like an inherited property', { type: 'constructor' }],
    ['a subtype named like an inherited property', { type: 'system', subtype: '__proto__' }],
  ])('[W-6] is true for %s', (_, message) => {
    expect(isUnknownMessage(message as Message)).toBe(true);
  });

  it.each(Object.keys(types))('[M-1] is false for %s', (type) => {
    expect(isUnknownMessage({ type, subtype: type === 'system' ? 'init' : 'success' } as Message)).toBe(false);
  });

  it.each(Object.keys(systemSubtypes))('[M-1] is false for system/%s', (subtype) => {
    expect(isUnknownMessage({ type: 'system', subtype } as Message)).toBe(false);
  });

  it.each(Object.keys(resultSubtypes))('[M-1] is false for result/%s', (subtype) => {
    expect(isUnknownMessage({ type: 'result', subtype } as Message)).toBe(false);
  });
});

describe('isUnknownBlock', () => {
  it.each(Object.keys(blocks))('[M-2] is false for %s', (type) => {
    expect(isUnknownBlock({ type } as ContentBlock)).toBe(false);
  });

  it('[M-2, W-6] is true for a new kind of block', () => {
    expect(isUnknownBlock({ type: 'hologram' } as unknown as ContentBlock)).toBe(true);
  });
});

it.each(Object.keys(events))('[M-1] isUnknownEvent is false for %s', (type) => {
  expect(isUnknownEvent({ type } as StreamEvent)).toBe(false);
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
