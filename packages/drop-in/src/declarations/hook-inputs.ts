import type { EXIT_REASONS } from '../constants.ts';
import type { SDKAssistantMessageError } from './envelope.ts';
import type { PermissionUpdate } from './permissions.ts';
import type { BackgroundTaskSummary, SessionCronSummary } from './reports.ts';

export type ExitReason = (typeof EXIT_REASONS)[number];

/** The fields of every hook input. */
export type BaseHookInput = {
  session_id: string;
  transcript_path: string;
  cwd: string;
  prompt_id?: string;
  permission_mode?: string;
  agent_id?: string;
  agent_type?: string;
  effort?: { level: string };
};

type Input<Event extends string, Fields = unknown> = BaseHookInput & { hook_event_name: Event } & Fields;
type ToolCall = { tool_name: string; tool_input: unknown; mcp_server?: { name: string; source: string } };

export type PreToolUseHookInput = Input<'PreToolUse', ToolCall & { tool_use_id: string }>;
export type PostToolUseHookInput = Input<
  'PostToolUse',
  ToolCall & { tool_response: unknown; tool_use_id: string; duration_ms?: number }
>;
export type PostToolUseFailureHookInput = Input<
  'PostToolUseFailure',
  ToolCall & { tool_use_id: string; error: string; is_interrupt?: boolean; duration_ms?: number }
>;
export type PostToolBatchToolCall = {
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  tool_response?: unknown;
};
export type PostToolBatchHookInput = Input<'PostToolBatch', { tool_calls: PostToolBatchToolCall[] }>;
export type PermissionRequestHookInput = Input<
  'PermissionRequest',
  ToolCall & { permission_suggestions?: PermissionUpdate[] }
>;
export type PermissionDeniedHookInput = Input<'PermissionDenied', ToolCall & { tool_use_id: string; reason: string }>;

export type NotificationHookInput = Input<
  'Notification',
  { message: string; title?: string; notification_type: string }
>;
export type UserPromptSubmitHookInput = Input<
  'UserPromptSubmit',
  {
    prompt: string;
    session_title?: string;
    source?: 'user' | 'system' | 'sdk' | 'loop_wakeup' | 'schedule_wakeup' | 'poll_event';
  }
>;
export type UserPromptExpansionHookInput = Input<
  'UserPromptExpansion',
  {
    expansion_type: 'slash_command' | 'mcp_prompt';
    command_name: string;
    command_args: string;
    command_source?: string;
    prompt: string;
  }
>;

export type SessionStartHookInput = Input<
  'SessionStart',
  {
    source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork';
    model?: string;
    session_title?: string;
    seconds_since_last_response?: number;
    context_tokens?: number;
    prompt_cache_likely_expired?: boolean;
    estimated_cache_write_usd?: number;
  }
>;
export type SessionEndHookInput = Input<'SessionEnd', { reason: ExitReason }>;
export type SetupHookInput = Input<'Setup', { trigger: 'init' | 'maintenance' }>;

type Stop = {
  stop_hook_active: boolean;
  last_assistant_message?: string;
  background_tasks?: BackgroundTaskSummary[];
  session_crons?: SessionCronSummary[];
};
export type StopHookInput = Input<'Stop', Stop>;
export type StopFailureHookInput = Input<
  'StopFailure',
  { error: SDKAssistantMessageError; error_details?: string; last_assistant_message?: string }
>;
export type SubagentStartHookInput = Input<'SubagentStart', { agent_id: string; agent_type: string }>;
export type SubagentStopHookInput = Input<
  'SubagentStop',
  Stop & { agent_id: string; agent_type: string; agent_transcript_path: string }
>;

export type PreCompactHookInput = Input<
  'PreCompact',
  { trigger: 'manual' | 'auto'; custom_instructions: string | null }
>;
export type PostCompactHookInput = Input<'PostCompact', { trigger: 'manual' | 'auto'; compact_summary: string }>;

type ModelSwitch = {
  from_model: string;
  to_model: string;
  /** `null` for the default model. */
  requested_model: string | null;
  context_tokens: number;
  prompt_cache_warm: boolean;
  cache_ttl: '5m' | '1h';
  estimated_cache_write_usd: number;
  pricing: 'default' | 'configured' | 'catalog';
};
export type PreModelSwitchHookInput = Input<'PreModelSwitch', ModelSwitch & { source: 'command' | 'sdk' | 'picker' }>;
export type PostModelSwitchHookInput = Input<
  'PostModelSwitch',
  ModelSwitch & { source: 'command' | 'sdk' | 'picker' | 'auto' | 'resume' }
>;

type Task = {
  task_id: string;
  task_subject: string;
  task_description?: string;
  teammate_name?: string;
  team_name?: string;
};
export type TeammateIdleHookInput = Input<'TeammateIdle', { teammate_name: string; team_name: string }>;
export type TaskCreatedHookInput = Input<'TaskCreated', Task>;
export type TaskCompletedHookInput = Input<'TaskCompleted', Task>;

export type ElicitationHookInput = Input<
  'Elicitation',
  {
    mcp_server_name: string;
    message: string;
    mode?: 'form' | 'url';
    url?: string;
    elicitation_id?: string;
    requested_schema?: Record<string, unknown>;
  }
>;
export type ElicitationResultHookInput = Input<
  'ElicitationResult',
  {
    mcp_server_name: string;
    elicitation_id?: string;
    mode?: 'form' | 'url';
    action: 'accept' | 'decline' | 'cancel';
    content?: Record<string, unknown>;
  }
>;

export type ConfigChangeHookInput = Input<
  'ConfigChange',
  {
    source: 'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings' | 'skills';
    file_path?: string;
  }
>;
export type InstructionsLoadedHookInput = Input<
  'InstructionsLoaded',
  {
    file_path: string;
    memory_type: 'User' | 'Project' | 'Local' | 'Managed';
    load_reason: 'session_start' | 'nested_traversal' | 'path_glob_match' | 'include' | 'compact';
    globs?: string[];
    trigger_file_path?: string;
    parent_file_path?: string;
  }
>;
export type WorktreeCreateHookInput = Input<'WorktreeCreate', { name: string }>;
export type WorktreeRemoveHookInput = Input<'WorktreeRemove', { worktree_path: string }>;
export type CwdChangedHookInput = Input<'CwdChanged', { old_cwd: string; new_cwd: string }>;
export type FileChangedHookInput = Input<'FileChanged', { file_path: string; event: 'change' | 'add' | 'unlink' }>;
export type DirectoryAddedHookInput = Input<
  'DirectoryAdded',
  { directory: string; source: 'slash_command' | 'register_repo_root' }
>;
export type MessageDisplayHookInput = Input<
  'MessageDisplay',
  { turn_id: string; message_id: string; index: number; final: boolean; delta: string }
>;

/** The input of a hook, discriminated by `hook_event_name`. */
export type HookInput =
  | PreToolUseHookInput
  | PostToolUseHookInput
  | PostToolUseFailureHookInput
  | PostToolBatchHookInput
  | PermissionRequestHookInput
  | PermissionDeniedHookInput
  | NotificationHookInput
  | UserPromptSubmitHookInput
  | UserPromptExpansionHookInput
  | SessionStartHookInput
  | SessionEndHookInput
  | SetupHookInput
  | StopHookInput
  | StopFailureHookInput
  | SubagentStartHookInput
  | SubagentStopHookInput
  | PreCompactHookInput
  | PostCompactHookInput
  | PreModelSwitchHookInput
  | PostModelSwitchHookInput
  | TeammateIdleHookInput
  | TaskCreatedHookInput
  | TaskCompletedHookInput
  | ElicitationHookInput
  | ElicitationResultHookInput
  | ConfigChangeHookInput
  | InstructionsLoadedHookInput
  | WorktreeCreateHookInput
  | WorktreeRemoveHookInput
  | CwdChangedHookInput
  | FileChangedHookInput
  | DirectoryAddedHookInput
  | MessageDisplayHookInput;
