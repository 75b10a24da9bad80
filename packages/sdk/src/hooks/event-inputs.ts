import type { JsonObject, Open } from '../wire/kinds.ts';
import type { HookInputBase } from './input-base.ts';

/** A prompt is about to be given to the model. */
export interface UserPromptSubmitInput extends HookInputBase {
  readonly hook_event_name: 'UserPromptSubmit';
  readonly prompt: string;
  readonly source?: string;
  readonly session_title?: string;
}

/** A slash command is about to be replaced by its text. */
export interface UserPromptExpansionInput extends HookInputBase {
  readonly hook_event_name: 'UserPromptExpansion';
  readonly expansion_type: string;
  readonly command_name: string;
  readonly command_args: string;
  readonly command_source?: string;
  readonly prompt: string;
}

/** A conversation begins; in a session only after a clear or a compaction, never at its start. */
export interface SessionStartInput extends HookInputBase {
  readonly hook_event_name: 'SessionStart';
  readonly source: Open<'startup' | 'resume' | 'clear' | 'compact' | 'fork'>;
  readonly model?: string;
  readonly session_title?: string;
  readonly seconds_since_last_response?: number;
  readonly context_tokens?: number;
  readonly prompt_cache_likely_expired?: boolean;
  readonly estimated_cache_write_usd?: number;
}

/** A conversation ends; in a session only by a clear. */
export interface SessionEndInput extends HookInputBase {
  readonly hook_event_name: 'SessionEnd';
  readonly reason: Open<'clear' | 'logout' | 'prompt_input_exit' | 'other'>;
}

/** The CLI sets itself up. */
export interface SetupInput extends HookInputBase {
  readonly hook_event_name: 'Setup';
  readonly trigger: Open<'init' | 'maintenance'>;
}

/** The model is about to end its turn. */
export interface StopInput extends HookInputBase {
  readonly hook_event_name: 'Stop';
  /** True when a hook has already made it go on; after 9 times in a row the CLI stops asking. */
  readonly stop_hook_active: boolean;
  readonly last_assistant_message?: string;
  readonly background_tasks?: readonly JsonObject[];
  readonly session_crons?: readonly JsonObject[];
}

/** A turn ended by a failure of the API; comes instead of Stop. */
export interface StopFailureInput extends HookInputBase {
  readonly hook_event_name: 'StopFailure';
  readonly error: string;
  readonly error_details?: unknown;
  readonly last_assistant_message?: string;
}

/** A subagent begins. */
export interface SubagentStartInput extends HookInputBase {
  readonly hook_event_name: 'SubagentStart';
  readonly agent_id: string;
  readonly agent_type: string;
}

/** A subagent is about to end. */
export interface SubagentStopInput extends HookInputBase {
  readonly hook_event_name: 'SubagentStop';
  readonly stop_hook_active: boolean;
  readonly agent_id: string;
  readonly agent_type: string;
  readonly agent_transcript_path: string;
  readonly last_assistant_message?: string;
  readonly background_tasks?: readonly JsonObject[];
  readonly session_crons?: readonly JsonObject[];
}

/** The conversation is about to be summed up. */
export interface PreCompactInput extends HookInputBase {
  readonly hook_event_name: 'PreCompact';
  readonly trigger: Open<'manual' | 'auto'>;
  readonly custom_instructions: string | null;
}

/** The conversation was summed up. */
export interface PostCompactInput extends HookInputBase {
  readonly hook_event_name: 'PostCompact';
  readonly trigger: Open<'manual' | 'auto'>;
  readonly compact_summary: string;
}

/** The model is about to be changed. */
export interface PreModelSwitchInput extends ModelSwitch {
  readonly hook_event_name: 'PreModelSwitch';
}

/** The model was changed. */
export interface PostModelSwitchInput extends ModelSwitch {
  readonly hook_event_name: 'PostModelSwitch';
}

interface ModelSwitch extends HookInputBase {
  readonly from_model: string;
  readonly to_model: string;
  readonly requested_model: string;
  readonly source: string;
  readonly context_tokens?: number;
  readonly prompt_cache_warm?: boolean;
  readonly cache_ttl?: string;
  readonly estimated_cache_write_usd?: number;
  readonly pricing?: unknown;
}

/** The CLI has something to say to the user. */
export interface NotificationInput extends HookInputBase {
  readonly hook_event_name: 'Notification';
  readonly message: string;
  readonly title?: string;
  readonly notification_type: string;
}

/** An MCP server asks the user for something. */
export interface ElicitationInput extends HookInputBase {
  readonly hook_event_name: 'Elicitation';
  readonly mcp_server_name: string;
  readonly message: string;
  readonly mode?: Open<'form' | 'url'>;
  readonly url?: string;
  readonly elicitation_id?: string;
  readonly requested_schema?: JsonObject;
}

/** What the user told an MCP server. */
export interface ElicitationResultInput extends HookInputBase {
  readonly hook_event_name: 'ElicitationResult';
  readonly mcp_server_name: string;
  readonly action: Open<'accept' | 'decline' | 'cancel'>;
  readonly content?: JsonObject;
  readonly mode?: Open<'form' | 'url'>;
  readonly elicitation_id?: string;
}

/** Settings were changed. */
export interface ConfigChangeInput extends HookInputBase {
  readonly hook_event_name: 'ConfigChange';
  readonly source: string;
  readonly file_path?: string;
}

/** A file of instructions was read. */
export interface InstructionsLoadedInput extends HookInputBase {
  readonly hook_event_name: 'InstructionsLoaded';
  readonly file_path: string;
  readonly memory_type: string;
  readonly load_reason: string;
  readonly globs?: readonly string[];
  readonly trigger_file_path?: string;
  readonly parent_file_path?: string;
}

/** A worktree is needed: the hook makes it and gives back its path, else there is none. */
export interface WorktreeCreateInput extends HookInputBase {
  readonly hook_event_name: 'WorktreeCreate';
  readonly name: string;
}

/** A worktree is removed. */
export interface WorktreeRemoveInput extends HookInputBase {
  readonly hook_event_name: 'WorktreeRemove';
  readonly worktree_path: string;
}

/** The working directory was changed. */
export interface CwdChangedInput extends HookInputBase {
  readonly hook_event_name: 'CwdChanged';
  readonly old_cwd: string;
  readonly new_cwd: string;
}

/** A watched file was changed. */
export interface FileChangedInput extends HookInputBase {
  readonly hook_event_name: 'FileChanged';
  readonly file_path: string;
  readonly event: string;
}

/** A directory was added to those the tools may work in. */
export interface DirectoryAddedInput extends HookInputBase {
  readonly hook_event_name: 'DirectoryAdded';
  readonly directory: string;
  readonly source: string;
}

/** A teammate has nothing to do. */
export interface TeammateIdleInput extends HookInputBase {
  readonly hook_event_name: 'TeammateIdle';
  readonly teammate_name: string;
  readonly team_name?: string;
}

/** A task was put on the list. */
export interface TaskCreatedInput extends TaskNote {
  readonly hook_event_name: 'TaskCreated';
}

/** A task of the list is about to be marked as done. */
export interface TaskCompletedInput extends TaskNote {
  readonly hook_event_name: 'TaskCompleted';
}

interface TaskNote extends HookInputBase {
  readonly task_id: string;
  readonly task_subject: string;
  readonly task_description?: string;
  readonly teammate_name?: string;
  readonly team_name?: string;
}

/** A text of the model is about to be shown. */
export interface MessageDisplayInput extends HookInputBase {
  readonly hook_event_name: 'MessageDisplay';
  readonly turn_id: string;
  readonly message_id: string;
  readonly index: number;
  readonly final: boolean;
  readonly delta: string;
}
