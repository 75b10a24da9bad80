import type { HOOK_EVENTS } from '../constants.ts';
import type { HookInput } from './hook-inputs.ts';
import type { PermissionUpdate } from './permissions.ts';

export type HookEvent = (typeof HOOK_EVENTS)[number];

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
export type PreModelSwitchHookSpecificOutput = Output<
  'PreModelSwitch',
  { permissionDecision?: 'allow' | 'deny' | 'ask'; permissionDecisionReason?: string }
>;
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
