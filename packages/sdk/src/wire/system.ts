import type { JsonObject, Open, UnknownKind } from './kinds.ts';
import type { KnownSystemEvent } from './system-events.ts';

/** A message of the CLI about itself, discriminated by `subtype`. */
export type SystemMessage = KnownSystemMessage | UnknownSystemMessage;

/** The system messages these types know. */
export type KnownSystemMessage = SystemInit | KnownSystemEvent | KnownSystemTask;

/** The fields of every system message. */
export interface SystemBase {
  readonly type: 'system';
  readonly uuid: string;
  readonly session_id: string;
}

/** A system message with a subtype these types do not know; all its fields are kept. */
export interface UnknownSystemMessage {
  readonly type: 'system';
  readonly subtype: UnknownKind;
  readonly uuid?: string;
  readonly session_id?: string;
  readonly [field: string]: unknown;
}

/** The state of the session at the start of a turn; sent for every turn, never before the first prompt. */
export interface SystemInit extends SystemBase {
  readonly subtype: 'init';
  readonly cwd: string;
  readonly model: string;
  readonly permissionMode: ReportedPermissionMode;
  readonly claude_code_version: string;
  readonly tools: readonly string[];
  readonly mcp_servers: readonly McpServerState[];
  readonly slash_commands: readonly string[];
  readonly output_style: string;
  readonly apiKeySource: string;
  readonly plugins: readonly LoadedPlugin[];
  readonly skills: readonly string[];
  readonly agents?: readonly string[];
  readonly plugin_errors?: readonly JsonObject[];
  readonly terminal_slash_commands?: readonly string[];
  /** Optional features of the protocol that this CLI supports. */
  readonly capabilities?: readonly string[];
  readonly original_cwd?: string;
  readonly additional_directories?: readonly string[];
  readonly memory_paths?: Readonly<Record<string, string>>;
  readonly messaging_socket_path?: string;
  readonly analytics_disabled?: boolean;
  readonly product_feedback_disabled?: boolean;
  readonly fast_mode_state?: string;
  readonly fast_mode_disabled_reason?: string;
  readonly per_turn_effort_active?: boolean;
  readonly ultrathink_available?: boolean;
  readonly ultrathink_typed_raises?: boolean;
  readonly view_mode?: string;
  readonly betas?: readonly string[];
  readonly user_message_uuids?: readonly string[];
}

/** The permission mode as the CLI names it. */
export type ReportedPermissionMode = Open<
  'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto' | 'manual'
>;

/** The state of an MCP server. */
export interface McpServerState {
  readonly name: string;
  readonly status: Open<'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled'>;
  readonly source?: string;
}

/** A loaded plugin. */
export interface LoadedPlugin {
  readonly name: string;
  readonly path: string;
  readonly source?: string;
}

/** The system messages about subagents and background commands. */
export type KnownSystemTask =
  | SystemTaskStarted
  | SystemTaskProgress
  | SystemTaskUpdated
  | SystemTaskNotification
  | SystemTaskSummary
  | SystemBackgroundTasksChanged;

/** A subagent or a background command was started. */
export interface SystemTaskStarted extends SystemBase {
  readonly subtype: 'task_started';
  readonly task_id: string;
  readonly description: string;
  readonly task_type?: TaskType;
  readonly run_id?: string;
  readonly tool_use_id?: string;
  readonly is_backgrounded?: boolean;
  readonly subagent_type?: string;
  readonly spawn_depth?: number;
  readonly prompt?: string;
  readonly workflow_name?: string;
}

/** A task is doing something. */
export interface SystemTaskProgress extends SystemBase {
  readonly subtype: 'task_progress';
  readonly task_id: string;
  readonly description: string;
  readonly usage: TaskUsage;
  readonly run_id?: string;
  readonly tool_use_id?: string;
  readonly subagent_type?: string;
  readonly last_tool_name?: string;
  readonly summary?: string;
}

/** Some fields of a task changed. */
export interface SystemTaskUpdated extends SystemBase {
  readonly subtype: 'task_updated';
  readonly task_id: string;
  readonly run_id?: string;
  readonly patch: {
    readonly status?: Open<'pending' | 'running' | 'completed' | 'failed' | 'killed' | 'stopped'>;
    readonly description?: string;
    /** Milliseconds since 1970. */
    readonly end_time?: number;
    readonly error?: string;
    readonly is_backgrounded?: boolean;
    readonly [field: string]: unknown;
  };
}

/** A task ended; the CLI may now start a turn to tell the model. */
export interface SystemTaskNotification extends SystemBase {
  readonly subtype: 'task_notification';
  readonly task_id: string;
  readonly status: Open<'completed' | 'failed' | 'stopped'>;
  readonly output_file: string;
  readonly summary: string;
  readonly run_id?: string;
  readonly tool_use_id?: string;
  readonly usage?: TaskUsage;
}

/** A summary of what a task is doing. */
export interface SystemTaskSummary extends SystemBase {
  readonly subtype: 'task_summary';
  readonly task_id?: string;
  readonly summary?: string;
}

/** All running background tasks; replaces the previous list. */
export interface SystemBackgroundTasksChanged extends SystemBase {
  readonly subtype: 'background_tasks_changed';
  readonly tasks: readonly BackgroundTask[];
}

/** A running background task. */
export interface BackgroundTask {
  readonly task_id: string;
  readonly task_type: TaskType;
  readonly description: string;
  readonly run_id?: string;
}

/** The kind of a task. */
export type TaskType = Open<'local_bash' | 'local_agent'>;

/** What a task has used so far. */
export interface TaskUsage {
  readonly total_tokens: number;
  readonly tool_uses: number;
  readonly duration_ms: number;
}

/** The subtypes these types know. */
export const knownSystemSubtypes: Readonly<Record<KnownSystemMessage['subtype'], true>> = {
  init: true,
  status: true,
  api_retry: true,
  model_fallback: true,
  model_refusal_fallback: true,
  model_refusal_no_fallback: true,
  compact_boundary: true,
  thinking_tokens: true,
  permission_denied: true,
  informational: true,
  notification: true,
  local_command_output: true,
  hook_started: true,
  hook_progress: true,
  hook_response: true,
  control_request_progress: true,
  session_state_changed: true,
  session_title_changed: true,
  session_metadata: true,
  session_writes_lost: true,
  mirror_error: true,
  commands_changed: true,
  plugin_install: true,
  files_persisted: true,
  memory_recall: true,
  elicitation_complete: true,
  worker_shutting_down: true,
  ui_invalidate: true,
  post_turn_summary: true,
  task_started: true,
  task_progress: true,
  task_updated: true,
  task_notification: true,
  task_summary: true,
  background_tasks_changed: true,
};
