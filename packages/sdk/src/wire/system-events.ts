import type { Enveloped, JsonObject, Open } from './kinds.ts';

/** The system messages about events of the session. */
export type KnownSystemEvent =
  | SystemStatus
  | SystemApiRetry
  | SystemModelFallback
  | SystemModelRefusal
  | SystemCompactBoundary
  | SystemThinkingTokens
  | SystemPermissionDenied
  | SystemInformational
  | SystemNotification
  | SystemLocalCommandOutput
  | SystemHookStarted
  | SystemHookProgress
  | SystemHookResponse
  | SystemControlRequestProgress
  | SystemSessionStateChanged
  | SystemSessionTitleChanged
  | SystemSessionMetadata
  | SystemSessionWritesLost
  | SystemMirrorError
  | SystemCommandsChanged
  | SystemPluginInstall
  | SystemFilesPersisted
  | SystemMemoryRecall
  | SystemElicitationComplete
  | SystemWorkerShuttingDown
  | SystemUiInvalidate
  | SystemPostTurnSummary;

/** The fields of every system message. */
export interface SystemBase<Subtype extends string = string> extends Enveloped<'system'> {
  readonly subtype: Subtype;
}

/** A permission mode, by the CLI's name. */
export type ReportedPermissionMode = Open<
  'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto' | 'manual'
>;

/** The CLI's current activity, or a new permission mode. */
export interface SystemStatus extends SystemBase<'status'> {
  readonly status: Open<'compacting' | 'requesting'> | null;
  readonly permissionMode?: ReportedPermissionMode;
  readonly compact_result?: Open<'success' | 'failed'>;
  readonly compact_error?: string;
}

/** The API failed, and the CLI will retry the request after a delay. */
export interface SystemApiRetry extends SystemBase<'api_retry'> {
  readonly attempt: number;
  readonly max_retries: number;
  /** Not always an integer. */
  readonly retry_delay_ms: number;
  /** The HTTP status; null without a response. */
  readonly error_status: number | null;
  readonly error: ApiErrorKind;
  readonly no_response?: boolean;
}

/** The CLI's names for API failures. */
export type ApiErrorKind = Open<
  | 'authentication_failed'
  | 'oauth_org_not_allowed'
  | 'account_on_hold'
  | 'verification_required'
  | 'billing_error'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'max_output_tokens'
  | 'cloud_credential_error'
  | 'unknown'
>;

/** Another model answers from now on. */
export interface SystemModelFallback extends SystemBase<'model_fallback'> {
  readonly trigger: Open<'overloaded'>;
  readonly original_model: string;
  readonly fallback_model: string;
  readonly content: string;
}

/** The model refused to answer. With a fallback, another model takes over. */
export interface SystemModelRefusal extends SystemBase<'model_refusal_fallback' | 'model_refusal_no_fallback'> {
  readonly original_model?: string;
  readonly fallback_model?: string;
  readonly request_id?: string;
  readonly api_refusal_category?: string | null;
  readonly api_refusal_explanation?: string | null;
  readonly refused_user_message_uuid?: string;
  readonly retracted_message_uuids?: readonly string[];
  readonly content?: string;
}

/** The history before this point was replaced by a summary. */
export interface SystemCompactBoundary extends SystemBase<'compact_boundary'> {
  readonly compact_metadata: {
    readonly trigger: Open<'manual' | 'auto'>;
    readonly pre_tokens: number;
    readonly post_tokens?: number;
    readonly duration_ms?: number;
    readonly [field: string]: unknown;
  };
}

/** The estimated thinking tokens so far. */
export interface SystemThinkingTokens extends SystemBase<'thinking_tokens'> {
  readonly estimated_tokens: number;
  readonly estimated_tokens_delta: number;
}

/** A tool call was denied; the full list is `permission_denials` of the result. */
export interface SystemPermissionDenied extends SystemBase<'permission_denied'> {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly message: string;
  readonly decision_reason?: string;
  readonly decision_reason_type?: string;
  readonly agent_id?: string;
}

/** A note for the user, for example that a hook failed. */
export interface SystemInformational extends SystemBase<'informational'> {
  readonly content: string;
  readonly level: Open<'info' | 'notice' | 'suggestion' | 'warning' | 'error'>;
  readonly tag?: Open<'hook_callback_failed'>;
  readonly prevent_continuation?: boolean;
  readonly prompt_submit_outcome?: JsonObject;
  readonly tool_use_id?: string;
}

/** A notification, as the terminal shows it. */
export interface SystemNotification extends SystemBase<'notification'> {
  readonly key: string;
  readonly text: string;
  readonly priority: Open<'low' | 'medium' | 'high' | 'immediate'>;
  readonly color?: string;
  readonly timeout_ms?: number;
}

/** The output of a slash command. */
export interface SystemLocalCommandOutput extends SystemBase<'local_command_output'> {
  readonly content: string;
}

interface SystemHookBase<Subtype extends string> extends SystemBase<Subtype> {
  readonly hook_id: string;
  readonly hook_name: string;
  readonly hook_event: string;
}

/** A command hook from the settings started. */
export interface SystemHookStarted extends SystemHookBase<'hook_started'> {}

/** A command hook printed something. */
export interface SystemHookProgress extends SystemHookBase<'hook_progress'> {
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
}

/** A command hook ended. */
export interface SystemHookResponse extends SystemHookBase<'hook_response'> {
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
  readonly exit_code?: number;
  readonly outcome: Open<'success' | 'error' | 'cancelled'>;
}

/** The CLI is working on a control request. */
export interface SystemControlRequestProgress extends SystemBase<'control_request_progress'> {
  readonly request_id: string;
  readonly status: Open<'started' | 'api_retry'>;
}

/** The session became idle or busy. */
export interface SystemSessionStateChanged extends SystemBase<'session_state_changed'> {
  readonly state: Open<'idle' | 'running' | 'requires_action'>;
}

/** The session has a new title. */
export interface SystemSessionTitleChanged extends SystemBase<'session_title_changed'> {
  readonly title: string;
}

/** Metadata of the session; its shape is not stable. */
export interface SystemSessionMetadata extends SystemBase<'session_metadata'>, JsonObject {}

/** Parts of the transcript could not be written. */
export interface SystemSessionWritesLost extends SystemBase<'session_writes_lost'> {
  readonly error_code: Open<'ENOSPC' | 'EDQUOT'>;
  readonly lost: readonly unknown[];
}

/** The CLI could not mirror the transcript. */
export interface SystemMirrorError extends SystemBase<'mirror_error'> {
  readonly error: string;
  readonly key?: JsonObject;
}

/** The slash commands have changed. */
export interface SystemCommandsChanged extends SystemBase<'commands_changed'> {
  readonly commands: readonly {
    readonly name: string;
    readonly description: string;
    readonly argumentHint: string;
    readonly aliases?: readonly string[];
  }[];
}

/** The progress of a plugin installation. */
export interface SystemPluginInstall extends SystemBase<'plugin_install'> {
  readonly status: Open<'started' | 'installed' | 'failed' | 'completed'>;
  readonly name?: string;
  readonly error?: string;
}

/** Files were saved outside the session. */
export interface SystemFilesPersisted extends SystemBase<'files_persisted'> {
  readonly files: readonly JsonObject[];
  readonly failed: readonly JsonObject[];
}

/** Notes from earlier sessions were recalled. */
export interface SystemMemoryRecall extends SystemBase<'memory_recall'> {
  readonly mode: string;
  readonly memories: readonly JsonObject[];
}

/** The user answered a request of an MCP server. */
export interface SystemElicitationComplete extends SystemBase<'elicitation_complete'> {
  readonly mcp_server_name: string;
  readonly elicitation_id: string;
}

/** The process is about to exit. */
export interface SystemWorkerShuttingDown extends SystemBase<'worker_shutting_down'> {
  readonly reason: string;
}

/** Cached data of a user interface is out of date. */
export interface SystemUiInvalidate extends SystemBase<'ui_invalidate'>, JsonObject {}

/** A summary of the turn; its shape is not stable. */
export interface SystemPostTurnSummary extends SystemBase<'post_turn_summary'>, JsonObject {}
