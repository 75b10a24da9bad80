/** User code that is compiled but never run. Lines that must not compile are marked. */
import {
  type AssembledMessage,
  type AssistantMessage,
  type ContentBlock,
  isUnknownBlock,
  isUnknownEvent,
  isUnknownMessage,
  type Message,
  type Outcome,
  type ResultMessage,
  type StreamEvent,
  type SystemMessage,
  type UnknownMessage,
  type UserContent,
} from './subject.ts';

export function byIf(m: Message): unknown {
  if (m.type === 'assistant') return m.message.content;
  if (m.type === 'user') return typeof m.message.content === 'string' ? m.message.content.length : m.message.content;
  if (m.type === 'system' && m.subtype === 'init') return m.tools.map((name) => name.toUpperCase());
  if (m.type === 'result') return m.total_cost_usd.toFixed(2);
  // @ts-expect-error The remaining types have no message.
  return m.message;
}

export function bySwitch(m: Message): string {
  switch (m.type) {
    case 'assistant':
      return m.message.id;
    case 'system':
      return m.subtype;
    case 'result':
      return m.subtype === 'success' ? m.result : 'failed';
    case 'stream_event':
      return m.event.type;
    case 'tool_progress':
      return `${m.tool_name} ${m.elapsed_time_seconds.toFixed(0)} s`;
    case 'rate_limit_event':
      return m.rate_limit_info.status;
    case 'command_lifecycle':
      return m.state;
    case 'prompt_suggestion':
      return m.suggestion;
    case 'conversation_reset':
      return m.new_conversation_id;
    case 'auth_status':
      return m.output.join('\n');
    case 'tool_use_summary':
      return m.summary;
    case 'transcript_mirror':
      return m.filePath;
    case 'user':
    case 'active_goal':
    case 'autocompact_state':
    case 'keep_alive':
      return m.type;
    default: {
      const unknown: UnknownMessage = m;
      const kind: string = unknown.type;
      const anything: unknown = unknown.some_new_field;
      return kind + String(anything);
    }
  }
}

export function byRejection(m: Message): AssistantMessage {
  if (m.type !== 'assistant') throw new Error(m.type);
  return m;
}

export function common(m: Message): readonly [string | undefined, string | undefined, string] {
  return [m.session_id, m.uuid, m.type];
}

export function unknownOnes(m: Message): string {
  if (!isUnknownMessage(m)) return m.type;
  if (m.type === 'system' || m.type === 'result') return m.subtype;
  return m.type;
}

export function blocks(block: ContentBlock): unknown {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'thinking':
      return block.thinking + (block.signature ?? '');
    case 'redacted_thinking':
      return block.data;
    case 'tool_use':
      return [block.id, block.name, block.input.command];
    case 'tool_result':
      return typeof block.content === 'string' ? block.content : block.content?.map(blocks);
    case 'image':
      return block.source.type === 'base64' ? block.source.data.length : block.source;
    case 'document':
      return block.title;
    case 'server_tool_use':
      return block.name;
    case 'web_search_tool_result':
      return block.content;
    default:
      return isUnknownBlock(block) ? block.some_new_field : block.type;
  }
}

export function events(event: StreamEvent): string {
  if (isUnknownEvent(event)) return event.type;
  if (event.type === 'message_start') return event.message.model;
  if (event.type === 'message_delta') return `${event.delta.stop_reason} ${event.usage.output_tokens}`;
  if (event.type === 'error') return event.error.message;
  if (event.type !== 'content_block_delta') return event.type;
  switch (event.delta.type) {
    case 'text_delta':
      return event.delta.text;
    case 'thinking_delta':
      return event.delta.thinking;
    case 'signature_delta':
      return event.delta.signature;
    case 'input_json_delta':
      return event.delta.partial_json;
    default:
      return event.delta.type;
  }
}

export function systems(m: SystemMessage): unknown {
  switch (m.subtype) {
    case 'init':
      return m.claude_code_version.split('.');
    case 'api_retry':
      return m.retry_delay_ms / 1000;
    case 'compact_boundary':
      return m.compact_metadata.pre_tokens;
    case 'task_notification':
      return m.summary;
    case 'task_updated':
      return m.patch.status;
    case 'background_tasks_changed':
      return m.tasks.length;
    case 'status':
      return m.status?.length;
    default:
      return isUnknownMessage(m) ? m.some_new_field : m.session_id;
  }
}

export function results(m: ResultMessage): string {
  if (m.subtype === 'success') return m.result;
  if (m.subtype === 'error_max_turns') return m.errors.join('; ');
  if (isUnknownMessage(m)) return String(m.some_new_field);
  return m.errors[0] ?? m.subtype;
}

export function outcomes(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'completed':
      return outcome.text;
    case 'rate-limit':
      return new Date(outcome.resetsAt ?? 0).toISOString();
    case 'api-error':
      return `${outcome.status} ${outcome.type}`;
    case 'deferred':
      return outcome.toolUse?.name ?? outcome.message;
    case 'max-turns':
    case 'budget':
    case 'interrupted':
    case 'stopped-by-hook':
    case 'tool-unavailable':
    case 'refused':
    case 'context-full':
    case 'no-such-session':
    case 'auth':
    case 'structured-output':
    case 'execution-error':
    case 'unknown':
      return outcome.message;
  }
}

export function guards(m: Message): number {
  if (m.type === 'assistant') return m.message.content.length;
  if (m.type === 'result') return m.num_turns;
  return m.type === 'system' && m.subtype === 'init' ? m.tools.length : 0;
}

export function partials(m: AssembledMessage): boolean {
  return m.type === 'assistant' ? m.is_partial : false;
}

export const prompts: readonly UserContent[] = [
  'text',
  [{ type: 'text', text: 'text' }],
  [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } }],
  [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: '' }, title: 'notes' }],
];

export function mustNotCompile(m: Message, block: ContentBlock, outcome: Outcome): unknown[] {
  return [
    // @ts-expect-error Not every message has content.
    m.message,
    // @ts-expect-error Not every system message has tools.
    m.type === 'system' && m.tools,
    // @ts-expect-error An assistant message has no subtype.
    m.type === 'assistant' && m.subtype,
    // @ts-expect-error A misspelt type can never match.
    m.type === 'asistant',
    // @ts-expect-error A misspelt subtype can never match.
    m.type === 'system' && m.subtype === 'initt',
    // @ts-expect-error A misspelt block can never match.
    block.type === 'txt',
    // @ts-expect-error A failed result has no text.
    m.type === 'result' && m.subtype === 'error_max_turns' && m.result,
    // @ts-expect-error Only some outcomes have a status.
    outcome.status,
    // @ts-expect-error A misspelt field of a known message is not an unknown field.
    m.type === 'assistant' && m.mesage,
  ];
}

export function readOnly(m: AssistantMessage, other: AssistantMessage): void {
  // @ts-expect-error All readers share the messages.
  m.message = other.message;
  // @ts-expect-error The content of messages is also shared.
  m.message.content.push({ type: 'text', text: '' });
}

// @ts-expect-error A prompt cannot contain the model's thinking.
export const notAPrompt: UserContent = [{ type: 'thinking', thinking: '' }];

// @ts-expect-error An unknown message can only come from the wire, not from a literal.
export const misspelt: Message = { type: 'asistant', uuid: '', session_id: '' };
