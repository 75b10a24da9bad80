import type * as wire from 'coxswain';
import type { EXIT_REASONS, HOOK_EVENTS } from '../constants.ts';
import type { Mutable } from './mutable.ts';
import type { PermissionUpdate } from './permissions.ts';

export type HookEvent = (typeof HOOK_EVENTS)[number];
export type ExitReason = (typeof EXIT_REASONS)[number];

/** A hook. The input depends on the event: narrow it by `hook_event_name`. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookJSONOutput>;

/** Hooks for the tools with a matching name. */
export interface HookCallbackMatcher {
  matcher?: string;
  hooks: HookCallback[];
  /** In seconds. */
  timeout?: number;
  onFailure?: 'continue' | 'block';
}

export type BaseHookInput = Omit<Mutable<wire.HookInputBase>, 'hook_event_name'>;

export type PreToolUseHookInput = Mutable<wire.PreToolUseInput>;
export type PostToolUseHookInput = Mutable<wire.PostToolUseInput>;
export type PostToolUseFailureHookInput = Mutable<wire.PostToolUseFailureInput>;
export type PostToolBatchHookInput = Mutable<wire.PostToolBatchInput>;
export type PostToolBatchToolCall = PostToolBatchHookInput['tool_calls'][number];
export type PermissionRequestHookInput = Mutable<wire.PermissionRequestInput>;
export type PermissionDeniedHookInput = Mutable<wire.PermissionDeniedInput>;
export type NotificationHookInput = Mutable<wire.NotificationInput>;
export type UserPromptSubmitHookInput = Mutable<wire.UserPromptSubmitInput>;
export type UserPromptExpansionHookInput = Mutable<wire.UserPromptExpansionInput>;
export type SessionStartHookInput = Mutable<wire.SessionStartInput>;
export type SessionEndHookInput = Mutable<wire.SessionEndInput>;
export type SetupHookInput = Mutable<wire.SetupInput>;
export type StopHookInput = Mutable<wire.StopInput>;
export type StopFailureHookInput = Mutable<wire.StopFailureInput>;
export type SubagentStartHookInput = Mutable<wire.SubagentStartInput>;
export type SubagentStopHookInput = Mutable<wire.SubagentStopInput>;
export type PreCompactHookInput = Mutable<wire.PreCompactInput>;
export type PostCompactHookInput = Mutable<wire.PostCompactInput>;
export type PreModelSwitchHookInput = Mutable<wire.PreModelSwitchInput>;
export type PostModelSwitchHookInput = Mutable<wire.PostModelSwitchInput>;
export type TeammateIdleHookInput = Mutable<wire.TeammateIdleInput>;
export type TaskCreatedHookInput = Mutable<wire.TaskCreatedInput>;
export type TaskCompletedHookInput = Mutable<wire.TaskCompletedInput>;
export type ElicitationHookInput = Mutable<wire.ElicitationInput>;
export type ElicitationResultHookInput = Mutable<wire.ElicitationResultInput>;
export type ConfigChangeHookInput = Mutable<wire.ConfigChangeInput>;
export type InstructionsLoadedHookInput = Mutable<wire.InstructionsLoadedInput>;
export type WorktreeCreateHookInput = Mutable<wire.WorktreeCreateInput>;
export type WorktreeRemoveHookInput = Mutable<wire.WorktreeRemoveInput>;
export type CwdChangedHookInput = Mutable<wire.CwdChangedInput>;
export type FileChangedHookInput = Mutable<wire.FileChangedInput>;
export type DirectoryAddedHookInput = Mutable<wire.DirectoryAddedInput>;
export type MessageDisplayHookInput = Mutable<wire.MessageDisplayInput>;

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

export type HookPermissionDecision = 'allow' | 'deny' | 'ask' | 'defer';

type Output<Event extends HookEvent, Fields = unknown> = { hookEventName: Event } & Fields;
type Context = { additionalContext?: string };

export type PreToolUseHookSpecificOutput = Output<
  'PreToolUse',
  Context & {
    permissionDecision?: HookPermissionDecision;
    permissionDecisionReason?: string;
    updatedInput?: Record<string, unknown>;
  }
>;
export type PostToolUseHookSpecificOutput = Output<
  'PostToolUse',
  Context & { classifierContext?: string; updatedToolOutput?: unknown; updatedMCPToolOutput?: unknown }
>;
export type PostToolUseFailureHookSpecificOutput = Output<'PostToolUseFailure', Context>;
export type PostToolBatchHookSpecificOutput = Output<'PostToolBatch', Context>;
export type PermissionRequestHookSpecificOutput = Output<
  'PermissionRequest',
  {
    decision:
      | { behavior: 'allow'; updatedInput?: Record<string, unknown>; updatedPermissions?: PermissionUpdate[] }
      | { behavior: 'deny'; message?: string; interrupt?: boolean };
  }
>;
export type PermissionDeniedHookSpecificOutput = Output<'PermissionDenied', { retry?: boolean }>;
export type UserPromptSubmitHookSpecificOutput = Output<
  'UserPromptSubmit',
  Context & { sessionTitle?: string; suppressOriginalPrompt?: boolean }
>;
export type UserPromptExpansionHookSpecificOutput = Output<
  'UserPromptExpansion',
  Context & { suppressOriginalPrompt?: boolean }
>;
export type SessionStartHookSpecificOutput = Output<
  'SessionStart',
  Context & { initialUserMessage?: string; sessionTitle?: string; watchPaths?: string[]; reloadSkills?: boolean }
>;
export type SetupHookSpecificOutput = Output<'Setup', Context>;
export type PreModelSwitchHookSpecificOutput = Output<'PreModelSwitch', Context & Record<string, unknown>>;
export type PostModelSwitchHookSpecificOutput = Output<'PostModelSwitch', Context>;
export type SubagentStartHookSpecificOutput = Output<'SubagentStart', Context>;
export type StopHookSpecificOutput = Output<'Stop', Context>;
export type SubagentStopHookSpecificOutput = Output<'SubagentStop', Context>;
export type NotificationHookSpecificOutput = Output<'Notification', Context>;
export type ElicitationHookSpecificOutput = Output<
  'Elicitation',
  { action?: 'accept' | 'decline' | 'cancel'; content?: Record<string, unknown> }
>;
export type ElicitationResultHookSpecificOutput = Output<
  'ElicitationResult',
  { action?: 'accept' | 'decline' | 'cancel'; content?: Record<string, unknown> }
>;
export type CwdChangedHookSpecificOutput = Output<'CwdChanged', { watchPaths?: string[] }>;
export type FileChangedHookSpecificOutput = Output<'FileChanged', { watchPaths?: string[] }>;
export type WorktreeCreateHookSpecificOutput = Output<'WorktreeCreate', { worktreePath: string }>;
export type MessageDisplayHookSpecificOutput = Output<'MessageDisplay', { displayContent?: string }>;

/** The output of a hook. It is passed to the CLI unchanged. */
export type SyncHookJSONOutput = {
  continue?: boolean;
  suppressOutput?: boolean;
  stopReason?: string;
  decision?: 'approve' | 'block';
  systemMessage?: string;
  terminalSequence?: string;
  reason?: string;
  hookSpecificOutput?:
    | PreToolUseHookSpecificOutput
    | PostToolUseHookSpecificOutput
    | PostToolUseFailureHookSpecificOutput
    | PostToolBatchHookSpecificOutput
    | PermissionRequestHookSpecificOutput
    | PermissionDeniedHookSpecificOutput
    | UserPromptSubmitHookSpecificOutput
    | UserPromptExpansionHookSpecificOutput
    | SessionStartHookSpecificOutput
    | SetupHookSpecificOutput
    | PreModelSwitchHookSpecificOutput
    | PostModelSwitchHookSpecificOutput
    | SubagentStartHookSpecificOutput
    | StopHookSpecificOutput
    | SubagentStopHookSpecificOutput
    | NotificationHookSpecificOutput
    | ElicitationHookSpecificOutput
    | ElicitationResultHookSpecificOutput
    | CwdChangedHookSpecificOutput
    | FileChangedHookSpecificOutput
    | WorktreeCreateHookSpecificOutput
    | MessageDisplayHookSpecificOutput;
};

/** The hook continues in the background. */
export type AsyncHookJSONOutput = { async: true; asyncTimeout?: number };

export type HookJSONOutput = AsyncHookJSONOutput | SyncHookJSONOutput;
