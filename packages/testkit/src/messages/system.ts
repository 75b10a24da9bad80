import type { SystemMessage } from 'coxswain';
import { PINNED_VERSION } from 'coxswain/cli';
import type {
  SystemApiRetry,
  SystemInit,
  SystemPermissionDenied,
  SystemTaskNotification,
  SystemTaskStarted,
  UnknownSystemMessage,
} from 'coxswain/types';
import { retryReason } from './api-failure.ts';
import { type ToolUseRef, toolUseOf } from './blocks.ts';
import { envelope, type Fields, MODEL } from './envelope.ts';
import { INIT_CONSTANTS } from './init-constants.ts';

type KnownSystemMessage = Exclude<SystemMessage, UnknownSystemMessage>;

type Subtype = KnownSystemMessage['subtype'];

// Not Extract: one of the types has two subtypes.
type OfSubtype<S extends Subtype, M = KnownSystemMessage> = M extends { readonly subtype: infer Own }
  ? S extends Own
    ? M
    : never
  : never;

type Envelope = 'uuid' | 'session_id';

/** The fields of a system message besides `type` and `subtype`; session and uuid are generated. */
export type SystemFields<S extends Subtype> = Omit<OfSubtype<S>, 'type' | 'subtype' | Envelope> &
  Partial<Pick<OfSubtype<S>, Envelope>>;

/** Any system message: `systemMessage('session_state_changed', { state: 'idle' })`. */
export function systemMessage<S extends Subtype>(subtype: S, fields: SystemFields<S>): OfSubtype<S> {
  const message = { type: 'system', subtype, ...envelope(['system', subtype, fields]), ...fields };
  // The compiler cannot infer that the parts of a generic type make up the whole.
  return message as unknown as OfSubtype<S>;
}

/** The start of a turn. */
export function systemInit(fields: Fields<SystemInit> = {}): SystemInit {
  const cwd = fields.cwd ?? '/home/user/project';
  return {
    type: 'system',
    subtype: 'init',
    cwd,
    tools: ['Task', 'Bash', 'Edit', 'Read', 'Skill', 'WebFetch', 'WebSearch', 'Write'],
    mcp_servers: [],
    model: MODEL,
    permissionMode: 'default',
    slash_commands: ['clear', 'compact', 'context', 'init', 'model'],
    terminal_slash_commands: ['doctor', 'color'],
    apiKeySource: 'ANTHROPIC_API_KEY',
    claude_code_version: PINNED_VERSION,
    agents: ['claude', 'Explore', 'general-purpose', 'Plan'],
    skills: ['debug', 'simplify'],
    memory_paths: { auto: '/home/user/.claude/projects/-home-user-project/memory/' },
    original_cwd: cwd,
    additional_directories: [],
    messaging_socket_path: '/tmp/cc-socks/1.sock',
    ...INIT_CONSTANTS,
    ...envelope(['init', fields]),
    ...fields,
  };
}

/** The API failed and the CLI retries. */
export function apiRetry(status: number | null = 529, fields: Fields<SystemApiRetry> = {}): SystemApiRetry {
  const about = {
    attempt: 1,
    max_retries: 10,
    retry_delay_ms: 1_000,
    error_status: status,
    error: retryReason(status),
  };
  return { type: 'system', subtype: 'api_retry', ...about, ...envelope(['api_retry', about, fields]), ...fields };
}

/** A tool call was denied because no permission callback is available; sent directly before its result. */
export function permissionDenied(
  toolUse: ToolUseRef,
  message = "Claude requested permissions to use a tool, but you haven't granted it yet.",
  fields: Fields<SystemPermissionDenied> = {},
): SystemPermissionDenied {
  const { id, name } = toolUseOf(toolUse);
  const about = { tool_name: name, tool_use_id: id, message };
  return {
    type: 'system',
    subtype: 'permission_denied',
    ...about,
    ...envelope(['permission_denied', about, fields]),
    ...fields,
  };
}

/** A subagent or a background command was started. */
export function taskStarted(description: string, fields: Fields<SystemTaskStarted> = {}): SystemTaskStarted {
  return {
    type: 'system',
    subtype: 'task_started',
    task_id: 'b0test',
    run_id: 'b0test',
    tool_use_id: 'toolu_01Test',
    description,
    is_backgrounded: true,
    task_type: 'local_bash',
    ...envelope(['task_started', description, fields]),
    ...fields,
  };
}

/** A task has ended. */
export function taskNotification(summary: string, fields: Fields<SystemTaskNotification> = {}): SystemTaskNotification {
  return {
    type: 'system',
    subtype: 'task_notification',
    task_id: 'b0test',
    run_id: 'b0test',
    tool_use_id: 'toolu_01Test',
    status: 'completed',
    output_file: '/tmp/claude/tasks/b0test.output',
    summary,
    ...envelope(['task_notification', summary, fields]),
    ...fields,
  };
}
