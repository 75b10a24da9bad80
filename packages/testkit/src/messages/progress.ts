import type { RateLimitEventMessage, RateLimitInfo, ToolProgressMessage } from 'coxswain/types';
import { type ToolUseRef, toolUseOf } from './blocks.ts';
import { envelope, type Fields } from './envelope.ts';

/** An update about the account's rate limits; `rejected` means that one is reached. */
export function rateLimitEvent(
  status: RateLimitInfo['status'] = 'allowed_warning',
  info: Partial<RateLimitInfo> = {},
  fields: Fields<RateLimitEventMessage> = {},
): RateLimitEventMessage {
  const rate_limit_info = { resetsAt: 1_798_761_600, rateLimitType: 'five_hour', utilization: 0.9, ...info, status };
  return {
    type: 'rate_limit_event',
    rate_limit_info,
    ...envelope(['rate_limit_event', rate_limit_info, fields]),
    ...fields,
  };
}

/** A tool is still running. */
export function toolProgress(
  toolUse: ToolUseRef,
  elapsedSeconds: number,
  fields: Fields<ToolProgressMessage> = {},
): ToolProgressMessage {
  const { id, name } = toolUseOf(toolUse);
  return {
    type: 'tool_progress',
    tool_use_id: id,
    tool_name: name,
    parent_tool_use_id: null,
    elapsed_time_seconds: elapsedSeconds,
    heartbeat: true,
    ...envelope(['tool_progress', id, elapsedSeconds, fields]),
    ...fields,
  };
}
