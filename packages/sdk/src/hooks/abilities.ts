/** How an event is told "no". */
export type DenyForm =
  /** `hookSpecificOutput.permissionDecision`. */
  | 'permission-decision'
  /** `hookSpecificOutput.decision`. */
  | 'permission-request'
  /** `decision: 'block'`. */
  | 'decision'
  /** `hookSpecificOutput.action: 'decline'`. */
  | 'action'
  /** All general fields that could mean it. */
  | 'all';

/** What `continue: false` does to the turn. */
export type StopEffect =
  /** Ends it. */
  | 'ends'
  /** Ends it in newer releases. */
  | 'ends-since'
  /** Nothing: the turn must be interrupted. */
  | 'nothing'
  /** There is no turn to end. */
  | 'no-turn';

/** What the CLI understands as the answer to a hook of one event. */
export interface EventAbilities {
  /** Whether something is about to happen that a hook is there to prevent. */
  readonly guard: boolean;
  readonly deny: DenyForm;
  /** False when nothing is known to prevent what the event is about. */
  readonly obeysDeny: boolean;
  readonly stop: StopEffect;
  /** Whether `additionalContext` reaches the model. */
  readonly context: boolean;
  /** Whether `hookSpecificOutput` may be there at all; where it may not, the CLI drops the whole answer. */
  readonly specific: boolean;
}

const quiet: EventAbilities = {
  guard: false,
  deny: 'all',
  obeysDeny: false,
  stop: 'nothing',
  context: false,
  specific: false,
};
const specific: EventAbilities = { ...quiet, specific: true };
const telling: EventAbilities = { ...specific, context: true };
const blocking: EventAbilities = { ...quiet, deny: 'decision', obeysDeny: true };

/** Measured on releases 2.1.197 and 2.1.325 where the event could be brought about, else taken from the CLI's documentation. */
const abilities: Readonly<Record<string, EventAbilities>> = {
  PreToolUse: { ...telling, guard: true, deny: 'permission-decision', obeysDeny: true, stop: 'ends-since' },
  PostToolUse: { ...telling, deny: 'decision', obeysDeny: true, stop: 'ends' },
  PostToolUseFailure: { ...telling, deny: 'decision', obeysDeny: true },
  PostToolBatch: { ...telling, deny: 'decision', obeysDeny: true, stop: 'ends' },
  PermissionRequest: { ...specific, guard: true, deny: 'permission-request', obeysDeny: true, stop: 'ends-since' },
  PermissionDenied: specific,
  UserPromptSubmit: { ...telling, guard: true, deny: 'decision', obeysDeny: true, stop: 'ends' },
  UserPromptExpansion: { ...telling, deny: 'decision', obeysDeny: true },
  SessionStart: telling,
  SessionEnd: quiet,
  Setup: telling,
  Stop: { ...telling, deny: 'decision', obeysDeny: true, stop: 'ends' },
  StopFailure: quiet,
  SubagentStart: telling,
  SubagentStop: { ...telling, deny: 'decision', obeysDeny: true },
  PreCompact: blocking,
  PostCompact: quiet,
  PreModelSwitch: { ...specific, guard: true, deny: 'permission-decision', obeysDeny: true, stop: 'no-turn' },
  PostModelSwitch: { ...telling, stop: 'no-turn' },
  Notification: telling,
  Elicitation: { ...specific, deny: 'action', obeysDeny: true },
  ElicitationResult: { ...specific, deny: 'action', obeysDeny: true },
  ConfigChange: blocking,
  InstructionsLoaded: quiet,
  WorktreeCreate: specific,
  WorktreeRemove: quiet,
  CwdChanged: specific,
  FileChanged: specific,
  DirectoryAdded: quiet,
  TeammateIdle: { ...quiet, obeysDeny: true },
  TaskCreated: { ...quiet, obeysDeny: true },
  TaskCompleted: { ...quiet, obeysDeny: true },
  MessageDisplay: specific,
};

/** An event nobody knows yet gets the benefit of the doubt: everything general is tried, without a warning. */
const unknownEvent: EventAbilities = { ...telling, obeysDeny: true };

/** What the answer to a hook of this event can say. */
export function abilitiesOf(event: string): EventAbilities {
  return Object.hasOwn(abilities, event) ? (abilities[event] ?? unknownEvent) : unknownEvent;
}

/** True for events whose hooks are there to prevent something: their failure must not let it happen. */
export function isGuardEvent(event: string): boolean {
  return abilitiesOf(event).guard;
}

/** The events whose matcher is compared with a tool's name. */
export const toolEvents: readonly string[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
];
