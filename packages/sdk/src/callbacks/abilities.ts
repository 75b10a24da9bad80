/** What the CLI accepts as the result of a hook of one event. */
export interface EventAbilities {
  /** True when a hook of this event can prevent something. If such a hook cannot answer, the action is blocked. */
  readonly guard: boolean;
  readonly deny: DenyForm;
  readonly stop: StopEffect;
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
  /** Every general field that could mean it. */
  | 'all'
  /** The same, although no result is known to prevent the action. */
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
  context: false,
  specific: false,
};
const specific: EventAbilities = { ...quiet, specific: true };
const telling: EventAbilities = { ...specific, context: true };
const blocking: EventAbilities = { ...quiet, deny: 'decision' };

/** Measured on releases 2.1.197 and 2.1.325 where the event could be triggered, otherwise taken from the CLI's documentation. */
const abilities: Readonly<Record<string, EventAbilities>> = {
  PreToolUse: { ...telling, guard: true, deny: 'permission-decision', stop: 'ends-since' },
  PostToolUse: { ...telling, deny: 'decision', stop: 'ends' },
  PostToolUseFailure: { ...telling, deny: 'decision' },
  PostToolBatch: { ...telling, deny: 'decision', stop: 'ends' },
  PermissionRequest: { ...specific, guard: true, deny: 'permission-request', stop: 'ends-since' },
  PermissionDenied: specific,
  UserPromptSubmit: { ...telling, guard: true, deny: 'decision', stop: 'ends' },
  UserPromptExpansion: { ...telling, deny: 'decision' },
  SessionStart: telling,
  SessionEnd: quiet,
  Setup: telling,
  Stop: { ...telling, deny: 'decision', stop: 'ends' },
  StopFailure: quiet,
  SubagentStart: telling,
  SubagentStop: { ...telling, deny: 'decision' },
  PreCompact: blocking,
  PostCompact: quiet,
  PreModelSwitch: { ...specific, guard: true, deny: 'permission-decision', stop: 'no-turn' },
  PostModelSwitch: { ...telling, stop: 'no-turn' },
  Notification: telling,
  Elicitation: { ...specific, deny: 'action' },
  ElicitationResult: { ...specific, deny: 'action' },
  ConfigChange: blocking,
  InstructionsLoaded: quiet,
  WorktreeCreate: specific,
  WorktreeRemove: quiet,
  CwdChanged: specific,
  FileChanged: specific,
  DirectoryAdded: quiet,
  TeammateIdle: { ...quiet, deny: 'all' },
  TaskCreated: { ...quiet, deny: 'all' },
  TaskCompleted: { ...quiet, deny: 'all' },
  MessageDisplay: specific,
};

/** An unknown event may support anything, so every general field is tried and no warning is given. */
const unknownEvent: EventAbilities = { ...telling, deny: 'all' };

/** Every event this release knows. */
export const knownHookEvents: readonly string[] = Object.keys(abilities);

export function isKnownHookEvent(event: string): boolean {
  return Object.hasOwn(abilities, event);
}

/** What the result of a hook of this event can express. */
export function abilitiesOf(event: string): EventAbilities {
  return (isKnownHookEvent(event) ? abilities[event] : undefined) ?? unknownEvent;
}

/** True for events whose hooks prevent something. When such a hook fails, the action must not happen. */
export function isGuardEvent(event: string): boolean {
  return abilitiesOf(event).guard;
}

/**
 * Decisions of hooks that older releases silently ignore, with the first release that supports each. Measured. The names
 * are those of the release table.
 */
export const SUPPORTED_SINCE = {
  'PreToolUse:allow:updatedInput': '2.0.10',
  'PreToolUse:modify': '2.1.2',
  'PreToolUse:context': '2.1.9',
  'PreToolUse:ask': '2.1.85',
  'PreToolUse:defer': '2.1.89',
  'PostToolUse:replaceOutput': '2.1.121',
  /** A deny with `continue: false`, or with `interrupt`, ends the turn without an interrupt. */
  stop: '2.1.325',
} as const;

/** A decision that older releases ignore. */
export type NewerDecision = keyof typeof SUPPORTED_SINCE;
