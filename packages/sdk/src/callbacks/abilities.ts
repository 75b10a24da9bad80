import type { KnownHookEvent } from './hook-events.ts';
import type { HookInputBase, HookInputs } from './hook-inputs.ts';

/** What the CLI accepts as the result of a hook of one event. */
export interface EventAbilities {
  /** True when a hook of this event can prevent something. If such a hook cannot answer, the action is blocked. */
  readonly guard: boolean;
  readonly deny: DenyForm;
  readonly stop: StopEffect;
  /** Whether `stopTurn()` also denies: the action has not happened yet, and the end of the turn does not prevent it. */
  readonly stopDenies: boolean;
  /** Whether `additionalContext` reaches the model. */
  readonly context: boolean;
  /** Whether `hookSpecificOutput` is allowed. Where it is not, the CLI drops the whole result. */
  readonly specific: boolean;
}

/** How a deny is encoded. */
export type DenyForm =
  /** `hookSpecificOutput.permissionDecision`. */
  | 'permission-decision'
  /** `hookSpecificOutput.decision`. */
  | 'permission-request'
  /** `decision: 'block'`. */
  | 'decision'
  /** `hookSpecificOutput.action: 'decline'`. */
  | 'action'
  /** Every general field that could express a deny. */
  | 'all'
  /** Every general field as well, although no result is known to prevent the action. */
  | 'unheeded';

/** What `continue: false` does to the turn. */
export type StopEffect =
  /** Ends it. */
  | 'ends'
  /** Ends it in releases that support `stop`, see {@link SUPPORTED_SINCE}. */
  | 'ends-since'
  /** Nothing: the turn must be interrupted. */
  | 'nothing'
  /** There is no turn to end. */
  | 'no-turn';

const quiet: EventAbilities = {
  guard: false,
  deny: 'unheeded',
  stop: 'nothing',
  stopDenies: false,
  context: false,
  specific: false,
};
const specific: EventAbilities = { ...quiet, specific: true };
const telling: EventAbilities = { ...specific, context: true };
const preventing: EventAbilities = { ...specific, guard: true, stopDenies: true };
const blocking: EventAbilities = { ...quiet, deny: 'decision' };

/** The fields of every input, and those that several events share; `?` marks an optional one. */
const BASE = 'hook_event_name session_id transcript_path cwd prompt_id? permission_mode? agent_id? agent_type? effort?';
const CALL = 'tool_name tool_input mcp_server?';
const ASKED_CALL = `${CALL} tool_use_id? permission_suggestions?` as const;
const EXPANSION = 'expansion_type command_name command_args command_source? prompt';
const START =
  'source model? session_title? seconds_since_last_response? context_tokens? prompt_cache_likely_expired? estimated_cache_write_usd?';
const STOP = 'stop_hook_active last_assistant_message? background_tasks? session_crons?';
const SWITCH =
  'from_model to_model requested_model source context_tokens? prompt_cache_warm? cache_ttl? estimated_cache_write_usd? pricing?';
const ELICITED = 'mcp_server_name mode? elicitation_id?';
const INSTRUCTIONS = 'file_path memory_type load_reason globs? trigger_file_path? parent_file_path?';
const TASK = 'task_id task_subject task_description? teammate_name? team_name?';

/**
 * What each event can decide, and the fields of its input beyond those of every event. The abilities are measured on releases
 * 2.1.197 and 2.1.325 where the event could be triggered, otherwise taken from the CLI's documentation.
 */
const EVENTS = {
  PreToolUse: {
    ...preventing,
    context: true,
    deny: 'permission-decision',
    stop: 'ends-since',
    fields: `${CALL} tool_use_id`,
  },
  PostToolUse: { ...telling, deny: 'decision', stop: 'ends', fields: `${CALL} tool_use_id tool_response duration_ms?` },
  PostToolUseFailure: { ...telling, deny: 'decision', fields: `${CALL} tool_use_id error is_interrupt? duration_ms?` },
  PostToolBatch: { ...telling, deny: 'decision', stop: 'ends', fields: 'tool_calls' },
  PermissionRequest: { ...preventing, deny: 'permission-request', stop: 'ends-since', fields: ASKED_CALL },
  PermissionDenied: { ...specific, fields: `${CALL} tool_use_id reason` },
  UserPromptSubmit: {
    ...telling,
    guard: true,
    deny: 'decision',
    stop: 'ends',
    fields: 'prompt source? session_title?',
  },
  UserPromptExpansion: { ...telling, deny: 'decision', fields: EXPANSION },
  SessionStart: { ...telling, fields: START },
  SessionEnd: { ...quiet, fields: 'reason' },
  Setup: { ...telling, fields: 'trigger' },
  Stop: { ...telling, deny: 'decision', stop: 'ends', fields: STOP },
  StopFailure: { ...quiet, fields: 'error error_details? last_assistant_message?' },
  SubagentStart: { ...telling, fields: '' },
  SubagentStop: { ...telling, deny: 'decision', fields: `${STOP} agent_transcript_path` },
  PreCompact: { ...blocking, stopDenies: true, fields: 'trigger custom_instructions' },
  PostCompact: { ...quiet, fields: 'trigger compact_summary' },
  PreModelSwitch: { ...preventing, deny: 'permission-decision', stop: 'no-turn', fields: SWITCH },
  PostModelSwitch: { ...telling, stop: 'no-turn', fields: SWITCH },
  Notification: { ...telling, fields: 'message title? notification_type' },
  Elicitation: { ...specific, deny: 'action', stopDenies: true, fields: `${ELICITED} message url? requested_schema?` },
  ElicitationResult: { ...specific, deny: 'action', fields: `${ELICITED} action content?` },
  ConfigChange: { ...blocking, fields: 'source file_path?' },
  InstructionsLoaded: { ...quiet, fields: INSTRUCTIONS },
  WorktreeCreate: { ...specific, fields: 'name' },
  WorktreeRemove: { ...quiet, fields: 'worktree_path' },
  CwdChanged: { ...specific, fields: 'old_cwd new_cwd' },
  FileChanged: { ...specific, fields: 'file_path event' },
  DirectoryAdded: { ...quiet, fields: 'directory source' },
  TeammateIdle: { ...quiet, deny: 'all', fields: 'teammate_name team_name?' },
  TaskCreated: { ...quiet, deny: 'all', fields: TASK },
  TaskCompleted: { ...quiet, deny: 'all', fields: TASK },
  MessageDisplay: { ...specific, fields: 'turn_id message_id index final delta' },
} as const;

/** The compiler compares the fields with the input types. */
const checked: Readonly<Record<string, EventAbilities & { readonly fields: string }>> = EVENTS satisfies {
  readonly [E in KnownHookEvent]: {
    readonly fields: Same<Words<(typeof EVENTS)[E]['fields']>, Fields<Omit<HookInputs[E], keyof HookInputBase>>>;
  };
};
type Same<A, B> = [A, B] extends [B, A] ? string : never;
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Exclude<Text, ''>;
type Fields<T> = { [K in keyof T & string]-?: Record<never, never> extends Pick<T, K> ? `${K}?` : K }[keyof T & string];

/**
 * The field of the input that the CLI compares with a matcher; `null`: it ignores the matcher. Measured on 2.1.325 where the event
 * could be triggered, otherwise taken from the CLI's documentation; `undefined` where neither is known.
 */
const COMPARED: { readonly [E in KnownHookEvent]: (keyof HookInputs[E] & string) | null | undefined } = {
  PreToolUse: 'tool_name',
  PostToolUse: 'tool_name',
  PostToolUseFailure: 'tool_name',
  PostToolBatch: null,
  PermissionRequest: 'tool_name',
  PermissionDenied: 'tool_name',
  UserPromptSubmit: null,
  UserPromptExpansion: 'command_name',
  SessionStart: 'source',
  SessionEnd: 'reason',
  Setup: 'trigger',
  Stop: null,
  StopFailure: 'error',
  SubagentStart: 'agent_type',
  SubagentStop: 'agent_type',
  PreCompact: 'trigger',
  PostCompact: 'trigger',
  PreModelSwitch: 'to_model',
  PostModelSwitch: 'to_model',
  Notification: 'notification_type',
  Elicitation: 'mcp_server_name',
  ElicitationResult: 'mcp_server_name',
  ConfigChange: 'source',
  InstructionsLoaded: 'load_reason',
  WorktreeCreate: null,
  WorktreeRemove: null,
  CwdChanged: null,
  FileChanged: undefined,
  DirectoryAdded: undefined,
  TeammateIdle: null,
  TaskCreated: null,
  TaskCompleted: null,
  MessageDisplay: null,
};

/** An unknown event may support anything, so every general field is tried and no warning is given. */
const unknownEvent: EventAbilities = { ...telling, deny: 'all' };

/** Every event that this release supports. */
export const knownHookEvents: readonly string[] = Object.keys(EVENTS);

export function isKnownHookEvent(event: string): event is KnownHookEvent {
  return Object.hasOwn(EVENTS, event);
}

/** What the result of a hook of this event can express. */
export function abilitiesOf(event: string): EventAbilities {
  return (isKnownHookEvent(event) ? checked[event] : undefined) ?? unknownEvent;
}

/** The field of an event's input that the CLI compares with a matcher; `null` if it ignores the matcher. */
export function comparedField(event: string): string | null | undefined {
  return isKnownHookEvent(event) ? COMPARED[event] : undefined;
}

/** True for events whose hooks prevent something. When such a hook fails, the action must not happen. */
export function isGuardEvent(event: string): boolean {
  return abilitiesOf(event).guard;
}

/** The fields of an event's input. */
export interface ExpectedFields {
  readonly all: ReadonlySet<string>;
  /** The fields that every release sends. */
  readonly required: readonly string[];
}

/** The fields an event is known to have; `undefined` for an unknown event. */
export function expectedFields(event: string): ExpectedFields | undefined {
  return FIELDS.get(event);
}

const FIELDS: ReadonlyMap<string, ExpectedFields> = new Map(
  Object.entries(checked).map(([event, { fields }]) => {
    const names = `${BASE satisfies Same<Words<typeof BASE>, Fields<HookInputBase>>} ${fields}`.trim().split(' ');
    const all = new Set(names.map((name) => name.replace('?', '')));
    return [event, { all, required: names.filter((name) => !name.endsWith('?')) }];
  }),
);

/**
 * Decisions of hooks that older supported releases silently ignore, with the first release that supports each. Measured. The
 * names are those of the release table.
 */
export const SUPPORTED_SINCE = {
  'PostToolUse:replaceOutput': '2.1.121',
  /** A deny with `continue: false`, or with `interrupt`, ends the turn without an interrupt. */
  stop: '2.1.325',
} as const;

/** A decision that older releases ignore. */
export type NewerDecision = keyof typeof SUPPORTED_SINCE;
