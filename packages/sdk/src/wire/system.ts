import type { JsonObject, Open, UnknownKind } from './kinds.ts';
import type { KnownSystemEvent } from './system-events.ts';
import type { KnownSystemTask } from './system-tasks.ts';

/** A message of the CLI about itself, told apart by `subtype`. */
export type SystemMessage = KnownSystemMessage | UnknownSystemMessage;

/** The system messages these types know. */
export type KnownSystemMessage = SystemInit | KnownSystemEvent | KnownSystemTask;

/** What every system message has in common. */
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

/** The state of the session as a turn begins; sent again for every turn, never before the first prompt. */
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
  /** What this CLI's side of the protocol can do beyond the basics. */
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

/** How an MCP server stands. */
export interface McpServerState {
  readonly name: string;
  readonly status: Open<'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled'>;
  readonly source?: string;
}

/** A plugin that is loaded. */
export interface LoadedPlugin {
  readonly name: string;
  readonly path: string;
  readonly source?: string;
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
