import type { ContentBlock, UnknownBlock } from './content.ts';
import { isJsonObject } from './kinds.ts';
import type { Message, UnknownMessage } from './messages.ts';
import type { UnknownResult } from './result.ts';
import type { StreamEvent, UnknownStreamEvent } from './stream-event.ts';
import type { UnknownSystemMessage } from './system.ts';

/** True for an unknown `type`, and for an unknown `subtype` of a system message or a result. */
export function isUnknownMessage(message: Message): message is UnknownMessage | UnknownSystemMessage | UnknownResult {
  if (!hasKnownKind(message, 'type', knownTypes)) return true;
  if (message.type === 'system') return !hasKnownKind(message, 'subtype', knownSystemSubtypes);
  return message.type === 'result' && !hasKnownKind(message, 'subtype', knownResultSubtypes);
}

/** True for a content block with an unknown `type`. */
export function isUnknownBlock(block: ContentBlock): block is UnknownBlock {
  return !hasKnownKind(block, 'type', knownBlocks);
}

/** True for a stream event with an unknown `type`. */
export function isUnknownEvent(event: StreamEvent): event is UnknownStreamEvent {
  return !hasKnownKind(event, 'type', knownEvents);
}

/** Accepts any value, because only `type` was checked before. */
function hasKnownKind(value: unknown, name: 'type' | 'subtype', known: ReadonlySet<unknown>): boolean {
  return isJsonObject(value) && known.has(value[name]);
}

const knownTypes = kinds(`
  assistant user system result stream_event tool_progress tool_use_summary rate_limit_event command_lifecycle
  conversation_reset prompt_suggestion auth_status transcript_mirror active_goal autocompact_state keep_alive
`);

const knownSystemSubtypes = kinds(`
  init status api_retry model_fallback model_refusal_fallback model_refusal_no_fallback compact_boundary thinking_tokens
  permission_denied informational notification local_command_output hook_started hook_progress hook_response
  control_request_progress session_state_changed session_title_changed session_metadata session_writes_lost mirror_error
  commands_changed plugin_install files_persisted memory_recall elicitation_complete worker_shutting_down ui_invalidate
  post_turn_summary task_started task_progress task_updated task_notification task_summary background_tasks_changed
`);

const knownResultSubtypes = kinds(
  'success error_max_turns error_max_budget_usd error_during_execution error_max_structured_output_retries',
);

const knownBlocks = kinds(`
  text thinking redacted_thinking tool_use tool_result image document search_result tool_reference server_tool_use
  web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result
  text_editor_code_execution_tool_result tool_search_tool_result advisor_tool_result mcp_tool_use mcp_tool_result
  container_upload compaction fallback
`);

const knownEvents = kinds(
  'message_start content_block_start content_block_delta content_block_stop message_delta message_stop ping error',
);

function kinds(names: string): ReadonlySet<unknown> {
  return new Set(names.trim().split(/\s+/));
}
