import type { JsonObject, Open, UnknownKind } from '../wire/kinds.ts';
import type { PermissionMode } from '../wire/permission-mode.ts';
import type { PermissionUpdate } from './permission-update.ts';
import type { KnownTool, OtherTool, ToolInputOf } from './tool-inputs.ts';

/** The input of a hook by its event, with the field names of the wire. Use declaration merging to add newer events. */
export interface HookInputs {
  PreToolUse: PreToolUseInput;
  PostToolUse: PostToolUseInput;
  PostToolUseFailure: PostToolUseFailureInput;
  PostToolBatch: PostToolBatchInput;
  PermissionRequest: PermissionRequestInput;
  PermissionDenied: PermissionDeniedInput;
  UserPromptSubmit: UserPromptSubmitInput;
  UserPromptExpansion: UserPromptExpansionInput;
  SessionStart: SessionStartInput;
  SessionEnd: SessionEndInput;
  Setup: SetupInput;
  Stop: StopInput;
  StopFailure: StopFailureInput;
  SubagentStart: SubagentStartInput;
  SubagentStop: SubagentStopInput;
  PreCompact: PreCompactInput;
  PostCompact: PostCompactInput;
  PreModelSwitch: PreModelSwitchInput;
  PostModelSwitch: PostModelSwitchInput;
  Notification: NotificationInput;
  Elicitation: ElicitationInput;
  ElicitationResult: ElicitationResultInput;
  ConfigChange: ConfigChangeInput;
  InstructionsLoaded: InstructionsLoadedInput;
  WorktreeCreate: WorktreeCreateInput;
  WorktreeRemove: WorktreeRemoveInput;
  CwdChanged: CwdChangedInput;
  FileChanged: FileChangedInput;
  DirectoryAdded: DirectoryAddedInput;
  TeammateIdle: TeammateIdleInput;
  TaskCreated: TaskCreatedInput;
  TaskCompleted: TaskCompletedInput;
  MessageDisplay: MessageDisplayInput;
}

/** The input of an event that has no type here; all its fields are kept. */
export interface UnknownHookInput extends HookInputBase<UnknownKind> {
  readonly [field: string]: unknown;
}

/** The input of any hook, discriminated by `hook_event_name`. */
export type HookInput = HookInputs[keyof HookInputs] | UnknownHookInput;

/** The fields that every hook input has. */
export interface HookInputBase<Event extends string = string> {
  readonly hook_event_name: Event;
  readonly session_id: string;
  /** The transcript file of the conversation. */
  readonly transcript_path: string;
  readonly cwd: string;
  readonly prompt_id?: string;
  readonly permission_mode?: PermissionMode;
  /** The subagent that triggered the event. */
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly effort?: { readonly level: string };
}

/** A tool is about to run. */
export type PreToolUseInput = HookInputBase<'PreToolUse'> & ToolCall & { readonly tool_use_id: string };

/** A tool has run. */
export type PostToolUseInput = HookInputBase<'PostToolUse'> &
  ToolCall & {
    readonly tool_use_id: string;
    /** What the tool returned, in the structure of that tool. */
    readonly tool_response: unknown;
    readonly duration_ms?: number;
  };

/** A tool has failed. A denied tool call does not trigger this event. */
export type PostToolUseFailureInput = HookInputBase<'PostToolUseFailure'> &
  ToolCall & {
    readonly tool_use_id: string;
    readonly error: string;
    readonly is_interrupt?: boolean;
    readonly duration_ms?: number;
  };

/** The CLI is about to ask for a permission. */
export type PermissionRequestInput = HookInputBase<'PermissionRequest'> &
  ToolCall & {
    readonly permission_suggestions?: readonly PermissionUpdate[];
    readonly tool_use_id?: string;
  };

/** The CLI refused a permission without asking. */
export type PermissionDeniedInput = HookInputBase<'PermissionDenied'> &
  ToolCall & { readonly tool_use_id: string; readonly reason: string };

/** Discriminated by `tool_name`. */
type ToolCall = { [T in KnownTool]: ToolCallOf<T> }[KnownTool] | ToolCallOf<OtherTool>;

type ToolCallOf<T extends string> = {
  readonly tool_name: T;
  readonly tool_input: ToolInputOf<T>;
  /** The server of an MCP tool. */
  readonly mcp_server?: { readonly name: string; readonly source: string };
};

/** All tool calls of one message have finished. */
export type PostToolBatchInput = HookInputBase<'PostToolBatch'> & {
  readonly tool_calls: readonly {
    readonly tool_name: string;
    readonly tool_input: JsonObject;
    readonly tool_use_id: string;
    readonly tool_response?: unknown;
  }[];
};

/** A prompt is about to be sent to the model. */
export type UserPromptSubmitInput = HookInputBase<'UserPromptSubmit'> & {
  readonly prompt: string;
  readonly source?: string;
  readonly session_title?: string;
};

/** A slash command is about to be expanded to its text. */
export type UserPromptExpansionInput = HookInputBase<'UserPromptExpansion'> & {
  readonly expansion_type: string;
  readonly command_name: string;
  readonly command_args: string;
  readonly command_source?: string;
  readonly prompt: string;
};

/** A conversation starts. A session triggers it only after a clear or a compaction, never when it opens. */
export type SessionStartInput = HookInputBase<'SessionStart'> & {
  readonly source: Open<'startup' | 'resume' | 'clear' | 'compact' | 'fork'>;
  readonly model?: string;
  readonly session_title?: string;
  readonly seconds_since_last_response?: number;
  readonly context_tokens?: number;
  readonly prompt_cache_likely_expired?: boolean;
  readonly estimated_cache_write_usd?: number;
};

/** A conversation ends. A session triggers it only on a clear. */
export type SessionEndInput = HookInputBase<'SessionEnd'> & {
  readonly reason: Open<'clear' | 'logout' | 'prompt_input_exit' | 'other'>;
};

/** The CLI runs its setup. */
export type SetupInput = HookInputBase<'Setup'> & {
  readonly trigger: Open<'init' | 'maintenance'>;
};

/** The model is about to end its turn. */
export type StopInput = HookInputBase<'Stop'> & {
  /** True when a hook has already made the model continue. After 9 times in a row the CLI no longer asks. */
  readonly stop_hook_active: boolean;
  readonly last_assistant_message?: string;
  readonly background_tasks?: readonly JsonObject[];
  readonly session_crons?: readonly JsonObject[];
};

/** A turn ended because the API failed. Replaces Stop. */
export type StopFailureInput = HookInputBase<'StopFailure'> & {
  readonly error: string;
  readonly error_details?: unknown;
  readonly last_assistant_message?: string;
};

/** A subagent starts. */
export type SubagentStartInput = HookInputBase<'SubagentStart'> & {
  readonly agent_id: string;
  readonly agent_type: string;
};

/** A subagent is about to end. */
export type SubagentStopInput = HookInputBase<'SubagentStop'> & {
  readonly stop_hook_active: boolean;
  readonly agent_id: string;
  readonly agent_type: string;
  readonly agent_transcript_path: string;
  readonly last_assistant_message?: string;
  readonly background_tasks?: readonly JsonObject[];
  readonly session_crons?: readonly JsonObject[];
};

/** The conversation is about to be compacted. */
export type PreCompactInput = HookInputBase<'PreCompact'> & {
  readonly trigger: Open<'manual' | 'auto'>;
  readonly custom_instructions: string | null;
};

/** The conversation was compacted. */
export type PostCompactInput = HookInputBase<'PostCompact'> & {
  readonly trigger: Open<'manual' | 'auto'>;
  readonly compact_summary: string;
};

/** The model is about to be changed. */
export type PreModelSwitchInput = ModelSwitch<'PreModelSwitch'>;

/** The model has changed. */
export type PostModelSwitchInput = ModelSwitch<'PostModelSwitch'>;

type ModelSwitch<Event extends string> = HookInputBase<Event> & {
  readonly from_model: string;
  readonly to_model: string;
  /** `null` for the default model. */
  readonly requested_model: string | null;
  readonly source: string;
  readonly context_tokens?: number;
  readonly prompt_cache_warm?: boolean;
  readonly cache_ttl?: string;
  readonly estimated_cache_write_usd?: number;
  readonly pricing?: unknown;
};

/** The CLI notifies the user. */
export type NotificationInput = HookInputBase<'Notification'> & {
  readonly message: string;
  readonly title?: string;
  readonly notification_type: string;
};

/** An MCP server asks the user for input. */
export type ElicitationInput = HookInputBase<'Elicitation'> & {
  readonly mcp_server_name: string;
  readonly message: string;
  readonly mode?: Open<'form' | 'url'>;
  readonly url?: string;
  readonly elicitation_id?: string;
  readonly requested_schema?: JsonObject;
};

/** The user answered an MCP server. */
export type ElicitationResultInput = HookInputBase<'ElicitationResult'> & {
  readonly mcp_server_name: string;
  readonly action: Open<'accept' | 'decline' | 'cancel'>;
  readonly content?: JsonObject;
  readonly mode?: Open<'form' | 'url'>;
  readonly elicitation_id?: string;
};

/** The settings changed. */
export type ConfigChangeInput = HookInputBase<'ConfigChange'> & {
  readonly source: string;
  readonly file_path?: string;
};

/** An instructions file was loaded. */
export type InstructionsLoadedInput = HookInputBase<'InstructionsLoaded'> & {
  readonly file_path: string;
  readonly memory_type: string;
  readonly load_reason: string;
  readonly globs?: readonly string[];
  readonly trigger_file_path?: string;
  readonly parent_file_path?: string;
};

/** A worktree is needed. The hook creates it and returns its path; otherwise there is none. */
export type WorktreeCreateInput = HookInputBase<'WorktreeCreate'> & {
  readonly name: string;
};

/** A worktree is being removed. */
export type WorktreeRemoveInput = HookInputBase<'WorktreeRemove'> & {
  readonly worktree_path: string;
};

/** The working directory changed. */
export type CwdChangedInput = HookInputBase<'CwdChanged'> & {
  readonly old_cwd: string;
  readonly new_cwd: string;
};

/** A watched file changed. */
export type FileChangedInput = HookInputBase<'FileChanged'> & {
  readonly file_path: string;
  readonly event: string;
};

/** A directory was added to the allowed directories. */
export type DirectoryAddedInput = HookInputBase<'DirectoryAdded'> & {
  readonly directory: string;
  readonly source: string;
};

/** A teammate is idle. */
export type TeammateIdleInput = HookInputBase<'TeammateIdle'> & {
  readonly teammate_name: string;
  readonly team_name?: string;
};

/** A task was added to the task list. */
export type TaskCreatedInput = TaskEvent<'TaskCreated'>;

/** A task is about to be marked as completed. */
export type TaskCompletedInput = TaskEvent<'TaskCompleted'>;

type TaskEvent<Event extends string> = HookInputBase<Event> & {
  readonly task_id: string;
  readonly task_subject: string;
  readonly task_description?: string;
  readonly teammate_name?: string;
  readonly team_name?: string;
};

/** Text of the model is about to be displayed. */
export type MessageDisplayInput = HookInputBase<'MessageDisplay'> & {
  readonly turn_id: string;
  readonly message_id: string;
  readonly index: number;
  readonly final: boolean;
  readonly delta: string;
};
