import type { HookInputs } from 'coxswain';
import type { HookInputBase } from 'coxswain/types';
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

/** Hooks for the tools whose name matches. */
export interface HookCallbackMatcher {
  matcher?: string;
  hooks: HookCallback[];
  /** In seconds. */
  timeout?: number;
  onFailure?: 'continue' | 'block';
}

export type BaseHookInput = Omit<Mutable<HookInputBase>, 'hook_event_name'>;

export type PreToolUseHookInput = Mutable<HookInputs['PreToolUse']>;
export type PostToolUseHookInput = Mutable<HookInputs['PostToolUse']>;
export type PostToolUseFailureHookInput = Mutable<HookInputs['PostToolUseFailure']>;
export type PostToolBatchHookInput = Mutable<HookInputs['PostToolBatch']>;
export type PostToolBatchToolCall = PostToolBatchHookInput['tool_calls'][number];
export type PermissionRequestHookInput = Mutable<HookInputs['PermissionRequest']>;
export type PermissionDeniedHookInput = Mutable<HookInputs['PermissionDenied']>;
export type NotificationHookInput = Mutable<HookInputs['Notification']>;
export type UserPromptSubmitHookInput = Mutable<HookInputs['UserPromptSubmit']>;
export type UserPromptExpansionHookInput = Mutable<HookInputs['UserPromptExpansion']>;
export type SessionStartHookInput = Mutable<HookInputs['SessionStart']>;
export type SessionEndHookInput = Mutable<HookInputs['SessionEnd']>;
export type SetupHookInput = Mutable<HookInputs['Setup']>;
export type StopHookInput = Mutable<HookInputs['Stop']>;
export type StopFailureHookInput = Mutable<HookInputs['StopFailure']>;
export type SubagentStartHookInput = Mutable<HookInputs['SubagentStart']>;
export type SubagentStopHookInput = Mutable<HookInputs['SubagentStop']>;
export type PreCompactHookInput = Mutable<HookInputs['PreCompact']>;
export type PostCompactHookInput = Mutable<HookInputs['PostCompact']>;
export type PreModelSwitchHookInput = Mutable<HookInputs['PreModelSwitch']>;
export type PostModelSwitchHookInput = Mutable<HookInputs['PostModelSwitch']>;
export type TeammateIdleHookInput = Mutable<HookInputs['TeammateIdle']>;
export type TaskCreatedHookInput = Mutable<HookInputs['TaskCreated']>;
export type TaskCompletedHookInput = Mutable<HookInputs['TaskCompleted']>;
export type ElicitationHookInput = Mutable<HookInputs['Elicitation']>;
export type ElicitationResultHookInput = Mutable<HookInputs['ElicitationResult']>;
export type ConfigChangeHookInput = Mutable<HookInputs['ConfigChange']>;
export type InstructionsLoadedHookInput = Mutable<HookInputs['InstructionsLoaded']>;
export type WorktreeCreateHookInput = Mutable<HookInputs['WorktreeCreate']>;
export type WorktreeRemoveHookInput = Mutable<HookInputs['WorktreeRemove']>;
export type CwdChangedHookInput = Mutable<HookInputs['CwdChanged']>;
export type FileChangedHookInput = Mutable<HookInputs['FileChanged']>;
export type DirectoryAddedHookInput = Mutable<HookInputs['DirectoryAdded']>;
export type MessageDisplayHookInput = Mutable<HookInputs['MessageDisplay']>;

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

/** What a hook may return. It is passed to the CLI as it is. */
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

/** The hook goes on in the background. */
export type AsyncHookJSONOutput = { async: true; asyncTimeout?: number };

export type HookJSONOutput = AsyncHookJSONOutput | SyncHookJSONOutput;
