import { readdirSync } from 'node:fs';
import { type Message, outcomeOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/json.ts';
import { apiErrorMessage, assistantMessage, thinkingMessage, toolUseMessage } from '../../src/messages/assistant.ts';
import { textBlock, thinkingBlock, toolUseBlock } from '../../src/messages/blocks.ts';
import { outcomeResult } from '../../src/messages/outcome-result.ts';
import { partialMessages } from '../../src/messages/partials.ts';
import { toolProgress } from '../../src/messages/progress.ts';
import { apiRetry, permissionDenied, systemInit, taskNotification, taskStarted } from '../../src/messages/system.ts';
import { refusedToolMessage, toolResultMessage, userMessage } from '../../src/messages/user.ts';
import { missingFields } from '../scripted/missing-fields.ts';
import { recording } from '../scripted/recording.ts';

/** Fields that only some messages of their kind have, and why the factory leaves them to the caller. */
const OCCASIONAL: readonly { readonly path: RegExp; readonly why: string }[] = [
  { path: /\.user_message_uuids?$/, why: 'only for prompts with a uuid' },
  { path: /\.(request_sent_wall_ms|first_request_\w+)$/, why: 'only for prompts with a uuid' },
  { path: /\.(agent_id|subagent_type|task_description|spawn_depth|prompt)$/, why: 'only for subagents' },
  { path: /\.(aborted|abandoned_blocks\b.*)$/, why: 'only after an interrupt' },
  { path: /^assistant\.tool_use_meta/, why: 'only for tools of MCP servers' },
  { path: /^user\.tool_use_result/, why: 'the structure depends on the tool' },
  { path: /^user\.(isReplay|isSynthetic)$/, why: 'set by the test' },
  { path: /^user\.tool_result_meta.*\.reason_type$/, why: 'only with a reason' },
  { path: /^user\.tool_result_meta.*\.non_execution_kind$/, why: 'only for calls that did not run' },
  { path: /^system task_notification\.usage/, why: 'only for subagents' },
  { path: /^system permission_denied\.decision_reason/, why: 'only with a reason' },
  { path: /^result\.(origin|structured_output)\b/, why: 'only for such turns' },
  { path: /^result\.(modelUsage|model_usage_since_last_result)\./, why: 'the names of models are keys' },
  { path: /^result\.subagent_stats\.by_type\./, why: 'the names of agents are keys' },
  { path: /^stream_event\.thinking_display$/, why: 'only for thinking' },
  {
    path: /^stream_event\.event\.(usage\.|context_management$|delta\.(container|stop_details)$)/,
    why: 'only if the CLI wrote the end of an interrupted message',
  },
  { path: /^result\.permission_denials\[\]/, why: 'only for turns with refusals' },
];

const partials = partialMessages(
  assistantMessage([
    thinkingBlock('Hm.'),
    { type: 'redacted_thinking', data: 'eA==' },
    textBlock('Hi.'),
    toolUseBlock('Bash', { command: 'ls' }),
  ]),
);

const all = recordings();

describe('the messages of the factories', () => {
  it('[K-4] omit no field that the real CLI sends', () => {
    const compared = all.flatMap((frame) => {
      const ours = madeLike(frame);
      return ours === undefined ? [] : [missingFields(frame, json(ours), nameOf(frame))];
    });
    expect(compared.length).toBeGreaterThan(250);
    const missing = compared.flat().filter((path) => !OCCASIONAL.some((each) => each.path.test(path)));
    expect([...new Set(missing)]).toEqual([]);
  });

  it('[K-4] have no field that the real CLI never sends', () => {
    const known = new Set(all.flatMap((frame) => pathsIn(frame, nameOf(frame))));
    const made = all
      .flatMap((frame) => madeLike(frame) ?? [])
      .flatMap((ours) => pathsIn(json(ours), nameOf(json(ours))));
    const invented = made.filter((path) => !known.has(path) && !/\.modelUsage|_last_result|memory_paths/.test(path));
    expect([...new Set(invented)]).toEqual([]);
  });

  it('[K-4] cover every kind of message in a turn', () => {
    const uncovered = all.filter((frame) => madeLike(frame) === undefined).map(nameOf);
    expect(new Set(uncovered)).toEqual(
      new Set([
        'command_lifecycle',
        // What `systemMessage(subtype, fields)` makes, field by field.
        'system background_tasks_changed',
        'system informational',
        'system status',
        'system task_progress',
        'system task_updated',
        'system thinking_tokens',
      ]),
    );
  });
});

/** The message that a user would create for this one; undefined if it has no factory. */
function madeLike(frame: JsonObject): Message | undefined {
  // The recordings are messages of the real CLI.
  const message = frame as unknown as Message;
  switch (message.type) {
    case 'assistant':
      return likeAssistant(message);
    case 'user':
      return likeUser(message);
    case 'result':
      return outcomeResult(outcomeOf(message).kind);
    case 'stream_event':
      return partials.find(({ event }) => sameEvent(event, message.event));
    case 'tool_progress':
      return toolProgress(toolUseMessage(message.tool_name, {}), 1);
    case 'system':
      return likeSystem(message);
    default:
      return undefined;
  }
}

function likeAssistant({ message, error, api_error_status }: Extract<Message, { type: 'assistant' }>): Message {
  if (error !== undefined) return apiErrorMessage(api_error_status ?? null);
  const [block] = message.content;
  if (block?.type === 'tool_use') return toolUseMessage(block.name, block.input);
  if (block?.type === 'thinking') return thinkingMessage('Hm.');
  return assistantMessage(block ?? '');
}

function likeUser({ message, tool_result_meta }: Extract<Message, { type: 'user' }>): Message {
  const { content } = message;
  if (typeof content === 'string') return userMessage('Hi.', { isReplay: true });
  const [block] = content;
  if (block?.type !== 'tool_result') return userMessage([textBlock('Hi.')]);
  // `is_error` means Bash or a failure.
  const call = toolUseMessage(block.is_error === false ? 'Bash' : 'Read', {});
  const text = typeof block.content === 'string' ? 'x' : [textBlock('x')];
  if (tool_result_meta?.[0]?.non_execution_kind === undefined) {
    const meta = tool_result_meta === undefined ? [] : undefined;
    return toolResultMessage(call, text, {
      isError: block.is_error === true,
      ...(meta && { tool_result_meta: meta }),
    });
  }
  return refusedToolMessage(call, 'No.');
}

function likeSystem(message: Extract<Message, { type: 'system' }>): Message | undefined {
  switch (message.subtype) {
    case 'init':
      return systemInit();
    case 'api_retry':
      return apiRetry();
    case 'permission_denied':
      return permissionDenied(toolUseMessage('Bash', {}));
    case 'task_started':
      return taskStarted('x');
    case 'task_notification':
      return taskNotification('x');
    default:
      return undefined;
  }
}

type Event = Extract<Message, { type: 'stream_event' }>['event'];

function sameEvent(a: Event, b: Event): boolean {
  if (a.type === 'content_block_delta' && b.type === 'content_block_delta') return a.delta.type === b.delta.type;
  if (a.type === 'content_block_start' && b.type === 'content_block_start') {
    return a.content_block.type === b.content_block.type;
  }
  return a.type === b.type;
}

function recordings(): JsonObject[] {
  const files = readdirSync(new URL('../fixtures/recordings', import.meta.url));
  return files
    .filter((file) => file.endsWith('.ndjson'))
    .flatMap((file) => recording(file.replace('.325.ndjson', '')).lines)
    .filter(({ from, frame }) => from === 'cli' && !String(frame.type).startsWith('control_'))
    .map(({ frame }) => frame);
}

function nameOf(frame: JsonObject): string {
  return frame.type === 'system' ? `system ${frame.subtype}` : String(frame.type);
}

function pathsIn(value: JsonValue | undefined, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, `${path}[]`));
  if (value === null || typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([key, item]) => [path, ...pathsIn(item, `${path}.${key}`)]);
}

function json(message: Message): JsonObject {
  return JSON.parse(JSON.stringify(message));
}
