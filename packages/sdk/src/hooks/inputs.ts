import type { UnknownKind } from '../wire/kinds.ts';
import type * as other from './event-inputs.ts';
import type { HookInputBase } from './input-base.ts';
import type * as tool from './tool-event-inputs.ts';

export type * from './event-inputs.ts';
export type * from './input-base.ts';
export type * from './tool-event-inputs.ts';

/** The input of a hook by its event, with the wire's field names. Open to declaration merging for newer events. */
export interface HookInputs {
  PreToolUse: tool.PreToolUseInput;
  PostToolUse: tool.PostToolUseInput;
  PostToolUseFailure: tool.PostToolUseFailureInput;
  PostToolBatch: tool.PostToolBatchInput;
  PermissionRequest: tool.PermissionRequestInput;
  PermissionDenied: tool.PermissionDeniedInput;
  UserPromptSubmit: other.UserPromptSubmitInput;
  UserPromptExpansion: other.UserPromptExpansionInput;
  SessionStart: other.SessionStartInput;
  SessionEnd: other.SessionEndInput;
  Setup: other.SetupInput;
  Stop: other.StopInput;
  StopFailure: other.StopFailureInput;
  SubagentStart: other.SubagentStartInput;
  SubagentStop: other.SubagentStopInput;
  PreCompact: other.PreCompactInput;
  PostCompact: other.PostCompactInput;
  PreModelSwitch: other.PreModelSwitchInput;
  PostModelSwitch: other.PostModelSwitchInput;
  Notification: other.NotificationInput;
  Elicitation: other.ElicitationInput;
  ElicitationResult: other.ElicitationResultInput;
  ConfigChange: other.ConfigChangeInput;
  InstructionsLoaded: other.InstructionsLoadedInput;
  WorktreeCreate: other.WorktreeCreateInput;
  WorktreeRemove: other.WorktreeRemoveInput;
  CwdChanged: other.CwdChangedInput;
  FileChanged: other.FileChangedInput;
  DirectoryAdded: other.DirectoryAddedInput;
  TeammateIdle: other.TeammateIdleInput;
  TaskCreated: other.TaskCreatedInput;
  TaskCompleted: other.TaskCompletedInput;
  MessageDisplay: other.MessageDisplayInput;
}

/** The input of an event these types do not know; all its fields are kept. */
export interface UnknownHookInput extends HookInputBase {
  readonly hook_event_name: UnknownKind;
  readonly [field: string]: unknown;
}

/** The input of any hook, told apart by `hook_event_name`. */
export type HookInput = HookInputs[keyof HookInputs] | UnknownHookInput;
