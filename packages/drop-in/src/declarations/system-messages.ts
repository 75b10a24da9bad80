import type { UUID } from 'node:crypto';
import type { ApiKeySource, FastModeDisabledReason, FastModeState, SlashCommand } from './control.ts';
import type { Envelope, SDKAssistantMessageError } from './envelope.ts';
import type { EffortLevel, PermissionMode } from './options.ts';
import type { SessionKey } from './sessions.ts';

type System<Subtype extends string> = Envelope<'system'> & { subtype: Subtype };

/** The state of the session at the start of a turn. */
export type SDKSystemMessage = System<'init'> & {
  agents?: string[];
  apiKeySource: ApiKeySource;
  betas?: string[];
  claude_code_version: string;
  cwd: string;
  tools: string[];
  mcp_servers: { name: string; status: string; source?: string }[];
  model: string;
  permissionMode: PermissionMode;
  slash_commands: string[];
  terminal_slash_commands?: string[];
  output_style: string;
  skills: string[];
  plugins: { name: string; path: string; version?: string }[];
  plugin_errors?: {
    plugin: string;
    type: string;
    message: string;
    path?: string;
    managed_lock?: { plugin_enabled: boolean; name: string; marketplace?: string };
  }[];
  fast_mode_state?: FastModeState;
  fast_mode_disabled_reason?: FastModeDisabledReason;
  effort?: EffortLevel | null;
  view_mode?: 'default' | 'focus';
  capabilities?: string[];
};

export type SDKStatus = 'compacting' | 'requesting' | null;

export type SDKStatusMessage = System<'status'> & {
  status: SDKStatus;
  permissionMode?: PermissionMode;
  compact_result?: 'success' | 'failed';
  compact_error?: string;
};

/** The API failed, and the CLI will retry the request after a delay. */
export type SDKAPIRetryMessage = System<'api_retry'> & {
  attempt: number;
  max_retries: number;
  retry_delay_ms: number;
  /** The HTTP status; `null` without a response. */
  error_status: number | null;
  error: SDKAssistantMessageError;
  no_response?: { waited_ms: number; retry_wait_ms: number };
};

/** The model refused to answer, and another one takes over. */
export type SDKModelRefusalFallbackMessage = System<'model_refusal_fallback'> & {
  trigger: 'refusal';
  direction: 'retry' | 'revert' | 'sticky';
  scope?: 'local' | 'session';
  original_model: string;
  fallback_model: string;
  request_id: string | null;
  api_refusal_category?: string | null;
  api_refusal_explanation?: string | null;
  retracted_message_uuids?: string[];
  refused_user_message_uuid?: string | null;
  content: string;
};

export type SDKModelRefusalNoFallbackMessage = System<'model_refusal_no_fallback'> & {
  original_model: string;
  request_id: string | null;
  api_refusal_category?: string | null;
  api_refusal_explanation?: string | null;
  refused_user_message_uuid?: string | null;
  content: string;
};

/** The history before this point was replaced by a summary. */
export type SDKCompactBoundaryMessage = System<'compact_boundary'> & {
  compact_metadata: {
    trigger: 'manual' | 'auto';
    pre_tokens: number;
    post_tokens?: number;
    duration_ms?: number;
    preserved_segment?: { head_uuid: UUID; anchor_uuid: UUID; tail_uuid: UUID };
    preserved_messages?: { anchor_uuid: UUID; uuids: UUID[] };
  };
};

export type SDKThinkingTokensMessage = System<'thinking_tokens'> & {
  estimated_tokens: number;
  estimated_tokens_delta: number;
  user_message_uuid?: string;
};

export type SDKPermissionDeniedMessage = System<'permission_denied'> & {
  tool_name: string;
  tool_use_id: string;
  agent_id?: string;
  decision_reason_type?: string;
  decision_reason?: string;
  message: string;
};

export type SDKInformationalMessage = System<'informational'> & {
  content: string;
  level: 'info' | 'notice' | 'suggestion' | 'warning';
  tag?: string;
  tool_use_id?: string;
  prevent_continuation?: boolean;
};

export type SDKNotificationMessage = System<'notification'> & {
  key: string;
  text: string;
  priority: 'low' | 'medium' | 'high' | 'immediate';
  color?: string;
  timeout_ms?: number;
};

export type SDKLocalCommandOutputMessage = System<'local_command_output'> & { content: string };

type Hook = { hook_id: string; hook_name: string; hook_event: string };
type HookOutput = { stdout: string; stderr: string; output: string };
export type SDKHookStartedMessage = System<'hook_started'> & Hook;
export type SDKHookProgressMessage = System<'hook_progress'> & Hook & HookOutput;
export type SDKHookResponseMessage = System<'hook_response'> &
  Hook &
  HookOutput & { exit_code?: number; outcome: 'success' | 'error' | 'cancelled' };

export type SDKControlRequestProgressMessage = System<'control_request_progress'> & {
  request_id: string;
  status: 'started' | 'api_retry';
  attempt?: number;
  max_retries?: number;
  retry_delay_ms?: number;
  error_status?: number | null;
};

export type SDKSessionStateChangedMessage = System<'session_state_changed'> & {
  state: 'idle' | 'running' | 'requires_action';
};

/** Parts of the transcript could not be written. */
export type SDKSessionWritesLostMessage = System<'session_writes_lost'> & {
  error_code: 'ENOSPC' | 'EDQUOT';
  lost: ('transcript' | 'global_config')[];
  transcript_session_ids?: string[];
};

/** Entries could not be added to the session store. */
export type SDKMirrorErrorMessage = System<'mirror_error'> & { error: string; key: SessionKey };

export type SDKCommandsChangedMessage = System<'commands_changed'> & { commands: SlashCommand[] };

export type SDKPluginInstallMessage = System<'plugin_install'> & {
  status: 'started' | 'installed' | 'failed' | 'completed';
  name?: string;
  error?: string;
};

export type SDKFilesPersistedEvent = System<'files_persisted'> & {
  files: { filename: string; file_id: string }[];
  failed: { filename: string; error: string }[];
  processed_at: string;
};

export type SDKMemoryRecallMessage = System<'memory_recall'> & {
  mode: 'select' | 'synthesize';
  memories: { path: string; scope: 'personal' | 'team' | 'organization'; content?: string }[];
};

export type SDKElicitationCompleteMessage = System<'elicitation_complete'> & {
  mcp_server_name: string;
  elicitation_id: string;
};

export type SDKWorkerShuttingDownMessage = System<'worker_shutting_down'> & { reason: string };
