import type { JsonObject, LooselyEnveloped, Open, UnknownKind } from './kinds.ts';
import type { KnownSystemEvent, ReportedPermissionMode, SystemBase } from './system-events.ts';

/** A message about the CLI itself, discriminated by `subtype`. */
export type SystemMessage = KnownSystemMessage | UnknownSystemMessage;

/** The system messages with a known `subtype`. */
export type KnownSystemMessage = SystemInit | KnownSystemEvent | KnownSystemTask;

/** A system message with an unknown `subtype`; all fields are kept. */
export interface UnknownSystemMessage extends LooselyEnveloped<'system'>, JsonObject {
  readonly subtype: UnknownKind;
}

/** The state of the session at the start of a turn. Sent for every turn, never before the first prompt. */
export interface SystemInit extends SystemBase<'init'> {
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

interface SystemTask<Subtype extends string> extends SystemBase<Subtype> {
  readonly task_id: string;
  readonly run_id?: string;
}

/** A subagent or a background command was started. */
export interface SystemTaskStarted extends SystemTask<'task_started'> {
  readonly description: string;
  readonly task_type?: TaskType;
  readonly is_backgrounded?: boolean;
  readonly subagent_type?: string;
  readonly spawn_depth?: number;
  readonly prompt?: string;
  readonly workflow_name?: string;
  readonly tool_use_id?: string;
}

/** A task reports progress. */
export interface SystemTaskProgress extends SystemTask<'task_progress'> {
  readonly description: string;
  readonly usage: TaskUsage;
  readonly subagent_type?: string;
  readonly last_tool_name?: string;
  readonly summary?: string;
  readonly tool_use_id?: string;
}

/** Some fields of a task changed. */
export interface SystemTaskUpdated extends SystemTask<'task_updated'> {
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

/** A task ended. The CLI may now start a turn to inform the model. */
export interface SystemTaskNotification extends SystemTask<'task_notification'> {
  readonly status: Open<'completed' | 'failed' | 'stopped'>;
  readonly output_file: string;
  readonly summary: string;
  readonly usage?: TaskUsage;
  readonly tool_use_id?: string;
}

/** A summary of a task's activity. */
export interface SystemTaskSummary extends SystemBase<'task_summary'> {
  readonly task_id?: string;
  readonly summary?: string;
}

/** All running background tasks; replaces the previous list. */
export interface SystemBackgroundTasksChanged extends SystemBase<'background_tasks_changed'> {
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

/** The resources used by a task so far. */
export interface TaskUsage {
  readonly total_tokens: number;
  readonly tool_uses: number;
  readonly duration_ms: number;
}
