import type { Message } from '../wire/messages.ts';

/** Whose turn the CLI is at, as far as the frames have told. `track` never changes one, it returns the next. */
export interface TurnTracker {
  /** The turn whose prompt was sent and which has not ended. */
  readonly sent: string | undefined;
  /** The CLI has begun with it. */
  readonly begun: boolean;
  /** A turn has begun of which it is not known yet whose it is. */
  readonly undecided: boolean;
  /** The CLI is at a turn that nobody sent. */
  readonly other: boolean;
  /** Background tasks that have not been reported as over. */
  readonly tasks: ReadonlySet<string>;
  /** A task was reported as over: the CLI will begin a turn of its own to deal with it. */
  readonly notified: boolean;
}

/** Where a frame belongs. */
export type Destination =
  /** To the turn that was sent. */
  | 'turn'
  /** To nobody's turn: something the CLI does by itself. */
  | 'background'
  /** To one of the two; the next decisive frame tells. */
  | 'undecided'
  /** To nobody: the echo of a prompt of ours. */
  | 'echo';

/** One step: where this frame belongs, where the undecided ones before it do, and whether the turn is over. */
export interface TrackStep {
  readonly tracker: TurnTracker;
  readonly to: Destination;
  readonly undecidedTo?: 'turn' | 'background';
  readonly began?: boolean;
  readonly ended?: boolean;
}

/** A session in which nothing has happened. */
export const idleTracker: TurnTracker = {
  sent: undefined,
  begun: false,
  undecided: false,
  other: false,
  tasks: new Set(),
  notified: false,
};

/** A prompt was sent. */
export function promptSent(tracker: TurnTracker, id: string): TurnTracker {
  return { ...tracker, sent: id, begun: false };
}

/** The turn was given up without a result. */
export function turnDropped(tracker: TurnTracker): TurnTracker {
  return { ...tracker, sent: undefined, begun: false };
}

/** True when no turn runs and no background task is open. */
export function isQuiet(tracker: TurnTracker): boolean {
  return tracker.sent === undefined && tracker.tasks.size === 0 && !tracker.undecided && !tracker.other;
}

/**
 * Decides frame by frame where a message belongs. A turn begins when a frame names its uuid, or with the first `init`
 * when nothing else could have begun; it ends at a result that names it, or that names nobody and comes from nobody else.
 */
export function track(tracker: TurnTracker, message: Message): TrackStep {
  switch (message.type) {
    case 'system':
      return trackSystem(tracker, message);
    case 'command_lifecycle':
      return trackLifecycle(tracker, message);
    case 'user':
      if (message.isReplay !== true) return plain(tracker);
      if (message.uuid !== undefined && message.uuid === tracker.sent) return begin(tracker, 'echo');
      return plain(tracker);
    case 'result':
      return trackResult(tracker, message);
    default:
      return plain(tracker);
  }
}

function trackLifecycle(tracker: TurnTracker, message: Extract<Message, { type: 'command_lifecycle' }>): TrackStep {
  const { sent, begun, undecided } = tracker;
  if (message.command_uuid === sent && sent !== undefined) {
    return message.state === 'started' ? begin(tracker, 'turn') : plain(tracker);
  }
  // `completed` of the turn before comes when the next prompt is on its way already.
  return begun || undecided ? plain(tracker) : { tracker, to: 'background' };
}

function trackSystem(tracker: TurnTracker, message: Extract<Message, { type: 'system' }>): TrackStep {
  switch (message.subtype) {
    case 'init':
      return trackInit(tracker, namesOf(message));
    case 'task_started':
      if (typeof message.task_id !== 'string') return plain(tracker);
      return plain({ ...tracker, tasks: new Set([...tracker.tasks, message.task_id]) });
    case 'task_notification':
      if (typeof message.task_id !== 'string') return plain(tracker);
      return plain({
        ...tracker,
        tasks: new Set([...tracker.tasks].filter((id) => id !== message.task_id)),
        // One that ends while a turn runs is dealt with in that turn, or right after it.
        notified: true,
      });
    default:
      return plain(tracker);
  }
}

function trackInit(tracker: TurnTracker, names: readonly string[]): TrackStep {
  const { sent, tasks, notified, other } = tracker;
  const known = { ...tracker, notified: false };
  if (tracker.begun) return plain(known);
  if (sent === undefined) return { tracker: { ...known, other: true }, to: 'background' };
  if (names.includes(sent)) return begin(tracker, 'turn');
  const maybeNotOurs = names.length > 0 || notified || tasks.size > 0 || other;
  if (!maybeNotOurs) return begin(tracker, 'turn');
  return { tracker: { ...known, undecided: true, other: false }, to: 'undecided' };
}

function trackResult(tracker: TurnTracker, message: Extract<Message, { type: 'result' }>): TrackStep {
  const names = namesOf(message);
  const { sent, begun, other } = tracker;
  // A prompt that the CLI took into a turn of its own ends with it.
  const unnamed = names.length === 0 && (begun || !(other || hasOtherOrigin(message)));
  if (sent === undefined || !(names.includes(sent) || unnamed)) {
    const after = { ...tracker, undecided: false, other: false, notified: false };
    return { tracker: after, to: 'background', ...(tracker.undecided ? { undecidedTo: 'background' } : {}) };
  }
  return {
    tracker: { ...tracker, sent: undefined, begun: false, undecided: false, other: false },
    to: 'turn',
    ended: true,
    ...(tracker.undecided ? { undecidedTo: 'turn' } : {}),
    ...(begun ? {} : { began: true }),
  };
}

function begin(tracker: TurnTracker, to: 'turn' | 'echo'): TrackStep {
  return {
    tracker: { ...tracker, begun: true, undecided: false, other: false },
    to,
    ...(tracker.begun ? {} : { began: true }),
    ...(tracker.undecided ? { undecidedTo: 'turn' } : {}),
  };
}

/** A frame that decides nothing goes where the turn around it goes. */
function plain(tracker: TurnTracker): TrackStep {
  const { sent, undecided, other } = tracker;
  if (undecided) return { tracker, to: 'undecided' };
  return { tracker, to: sent === undefined || other ? 'background' : 'turn' };
}

/** The prompts a frame says it belongs to; releases before 2.1.325 do not say. */
function namesOf(message: object): readonly string[] {
  const many: unknown = Reflect.get(message, 'user_message_uuids');
  const one: unknown = Reflect.get(message, 'user_message_uuid');
  const names = Array.isArray(many) ? many : [one];
  return names.filter((name) => typeof name === 'string');
}

function hasOtherOrigin(message: object): boolean {
  const origin: unknown = Reflect.get(message, 'origin');
  if (typeof origin !== 'object' || origin === null) return false;
  const kind: unknown = Reflect.get(origin, 'kind');
  return kind !== undefined && kind !== 'user' && kind !== 'human';
}
