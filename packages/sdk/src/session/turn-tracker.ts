import { textOf } from '../messages/text.ts';
import { toolResultsOf } from '../messages/tools.ts';
import type { Message } from '../wire/messages.ts';

/** Whose turn the CLI is at, as far as the frames have told. `track` never changes one, it returns the next. */
export interface TurnTracker {
  /** The turn whose prompt was sent and which has not ended. */
  readonly sent: string | undefined;
  /** The CLI has begun with it. */
  readonly begun: boolean;
  /** What was added to it while it ran, by uuid. Until the CLI has taken it up it does not end. */
  readonly added: ReadonlyMap<string, Addition>;
  /** Its result has come, and only what was added keeps it from ending. */
  readonly resulted: boolean;
  /** A turn has begun of which it is not known yet whose it is. */
  readonly undecided: boolean;
  /** The CLI is at a turn that nobody sent. */
  readonly other: boolean;
  /** Background tasks that have not been reported as over. */
  readonly tasks: ReadonlySet<string>;
  /** Tasks that are over and of which the CLI has yet to tell the model, each with the tool call that began it. */
  readonly owed: ReadonlyMap<string, string | undefined>;
  /** A task was reported as over: the CLI will begin a turn of its own to deal with it. */
  readonly notified: boolean;
}

/** How far something that was added has come; `due` is what the CLI goes on with, now that the turn has had a result. */
export type Addition = 'waiting' | 'due' | 'taken';

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
  readonly undecidedTo: 'turn' | 'background' | undefined;
  readonly began: boolean;
  readonly ended: boolean;
}

const NOTHING_ADDED: TurnTracker['added'] = new Map();

/** A session in which nothing has happened. */
export const idleTracker: TurnTracker = {
  sent: undefined,
  begun: false,
  added: NOTHING_ADDED,
  resulted: false,
  undecided: false,
  other: false,
  tasks: new Set(),
  owed: new Map(),
  notified: false,
};

/** A prompt was sent. */
export function promptSent(tracker: TurnTracker, id: string): TurnTracker {
  return changed(tracker, { sent: id, begun: false, added: NOTHING_ADDED, resulted: false });
}

/** Something was sent that belongs to the turn which runs. */
export function promptAdded(tracker: TurnTracker, id: string): TurnTracker {
  return changed(tracker, { added: new Map([...tracker.added, [id, 'waiting']]) });
}

/** The CLI has taken up what was added, or will not do so any more. */
export function additionSettled(tracker: TurnTracker, id: string): TurnTracker {
  return tracker.added.has(id) ? changed(tracker, { added: new Map([...tracker.added, [id, 'taken']]) }) : tracker;
}

/** The turn was given up without a result. */
export function turnDropped(tracker: TurnTracker): TurnTracker {
  return changed(tracker, { sent: undefined, begun: false, added: NOTHING_ADDED, resulted: false });
}

/** The turn of which it was not known whose it is has said too much to be waited for any longer. */
export function takenForOther(tracker: TurnTracker): TurnTracker {
  return changed(tracker, { undecided: false, other: true });
}

/** True when the turn has had its result and nothing more will come of what was added to it. */
export function isThrough({ resulted, added }: TurnTracker): boolean {
  return resulted && allTaken(added);
}

/** True when no turn runs or is about to, and no background task is open. */
export function isQuiet(tracker: TurnTracker): boolean {
  const { sent, tasks, owed, undecided, other } = tracker;
  return sent === undefined && tasks.size === 0 && owed.size === 0 && !undecided && !other;
}

/** True for what is said within a turn and tells nothing of it, as nearly all messages are. */
export function decidesNothing({ type }: Message): boolean {
  return type === 'assistant' || type === 'stream_event';
}

/** Where a frame that decides nothing goes: where the turn around it goes. */
export function around({ sent, undecided, other }: TurnTracker): Destination {
  if (undecided) return 'undecided';
  return sent === undefined || other ? 'background' : 'turn';
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
      return trackUser(tracker, message);
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
  if (tracker.added.has(message.command_uuid)) return trackAddition(tracker, message.command_uuid, message.state);
  // `completed` of the turn before comes when the next prompt is on its way already.
  return begun || undecided ? plain(tracker) : step(tracker, 'background');
}

/** One that a hook refuses is begun and over without an echo, in the turn that runs or in one of its own. */
function trackAddition(tracker: TurnTracker, id: string, state: string): TrackStep {
  if (state === 'queued') return plain(tracker);
  const settled = additionSettled(tracker, id);
  return state === 'started' ? begin(settled, 'turn') : plain(settled);
}

function trackUser(tracker: TurnTracker, message: Extract<Message, { type: 'user' }>): TrackStep {
  const { uuid } = message;
  if (message.isReplay !== true) return plain(tasksAnswered(tracker, message));
  if (uuid !== undefined && uuid === tracker.sent) return begin(tracker, 'echo');
  if (uuid !== undefined && tracker.added.has(uuid)) return begin(additionSettled(tracker, uuid), 'echo');
  return plain(tasksTold(tracker, message));
}

/** A task in the foreground is reported as over just before the result of its tool call, which is all that comes of it. */
function tasksAnswered(tracker: TurnTracker, message: Message): TurnTracker {
  if (tracker.owed.size === 0) return tracker;
  const answered = toolResultsOf(message).map((result) => result.tool_use_id);
  return changed(tracker, { owed: new Map([...tracker.owed].filter(([, call]) => !answered.includes(call ?? ''))) });
}

/** Tasks of which the model is told in a turn that runs anyway; 2.1.197 then reports them in no other way. */
function tasksTold(tracker: TurnTracker, message: Message): TurnTracker {
  if (tracker.tasks.size === 0 && tracker.owed.size === 0) return tracker;
  const text = textOf(message);
  if (!text.startsWith('<task-notification>')) return tracker;
  const told = [...text.matchAll(/<task-id>([^<]*)<\/task-id>/g)].map(([, id = '']) => id);
  return changed(tracker, {
    tasks: without(tracker.tasks, told),
    owed: new Map([...tracker.owed].filter(([id]) => !told.includes(id))),
  });
}

function trackSystem(tracker: TurnTracker, message: Extract<Message, { type: 'system' }>): TrackStep {
  switch (message.subtype) {
    case 'init':
      return trackInit(tracker, namesOf(message));
    case 'task_started':
      if (typeof message.task_id !== 'string') return plain(tracker);
      return plain(changed(tracker, { tasks: new Set([...tracker.tasks, message.task_id]) }));
    case 'task_notification':
      if (typeof message.task_id !== 'string') return plain(tracker);
      return plain(
        changed(tracker, {
          tasks: without(tracker.tasks, [message.task_id]),
          owed: isOwed(message) ? new Map([...tracker.owed, [message.task_id, message.tool_use_id]]) : tracker.owed,
          // One that ends while a turn runs is dealt with in that turn, or right after it.
          notified: true,
        }),
      );
    default:
      return plain(tracker);
  }
}

function trackInit(tracker: TurnTracker, names: readonly string[]): TrackStep {
  const { sent, tasks, notified, other } = tracker;
  const known = changed(tracker, { notified: false });
  if (tracker.begun) return plain(known);
  if (sent === undefined) return step(changed(known, { other: true }), 'background');
  if (names.includes(sent)) return begin(tracker, 'turn');
  const maybeNotOurs = names.length > 0 || notified || tasks.size > 0 || other;
  if (!maybeNotOurs) return begin(tracker, 'turn');
  return step(changed(known, { undecided: true, other: false }), 'undecided');
}

function trackResult(tracker: TurnTracker, message: Extract<Message, { type: 'result' }>): TrackStep {
  const names = namesOf(message);
  const { sent, begun, added, other } = tracker;
  // A prompt that the CLI took into a turn of its own ends with it.
  const unnamed = names.length === 0 && (begun || !(other || hasOtherOrigin(message)));
  const ours = sent !== undefined && (unnamed || names.some((name) => name === sent || added.has(name)));
  // The CLI begins one turn for each task.
  const owed = ours && !hasOtherOrigin(message) ? tracker.owed : new Map([...tracker.owed].slice(1));
  if (!ours) {
    const after = changed(tracker, { owed, undecided: false, other: false, notified: false });
    return step(after, 'background', { undecidedTo: tracker.undecided ? 'background' : undefined });
  }
  // Up to 2.1.197 all that waits becomes one turn, and its result is all that is heard of what a hook refuses of it.
  const settled = names.length === 0 && !hasOtherOrigin(message) ? moved(added, 'due', 'taken') : added;
  const ended = allTaken(settled);
  // What was added and not taken up is what the CLI goes on with.
  const after = changed(tracker, { owed, undecided: false, other: false, added: moved(settled, 'waiting', 'due') });
  return step(ended ? turnDropped(after) : changed(after, { begun: true, resulted: true }), 'turn', {
    ended,
    undecidedTo: tracker.undecided ? 'turn' : undefined,
    began: !begun,
  });
}

function begin(tracker: TurnTracker, to: 'turn' | 'echo'): TrackStep {
  return step(changed(tracker, { begun: true, resulted: false, undecided: false, other: false }), to, {
    began: !tracker.begun,
    undecidedTo: tracker.undecided ? 'turn' : undefined,
  });
}

function plain(tracker: TurnTracker): TrackStep {
  return step(tracker, around(tracker));
}

function step(
  tracker: TurnTracker,
  to: Destination,
  { undecidedTo, began = false, ended = false }: Partial<TrackStep> = {},
): TrackStep {
  return { tracker, to, undecidedTo, began, ended };
}

/** All are made here, so that they are of one shape to the engine: each spread makes another, and reading many is slow. */
function changed(tracker: TurnTracker, change: Partial<TurnTracker>): TurnTracker {
  const { sent, begun, added, resulted, undecided, other, tasks, owed, notified } = { ...tracker, ...change };
  return { sent, begun, added, resulted, undecided, other, tasks, owed, notified };
}

function allTaken(added: TurnTracker['added']): boolean {
  return [...added.values()].every((state) => state === 'taken');
}

/** All that have come as far as `from` have come as far as `to`. */
function moved(added: TurnTracker['added'], from: Addition, to: Addition): TurnTracker['added'] {
  if (added.size === 0) return added;
  return new Map(Array.from(added, ([id, state]) => [id, state === from ? to : state]));
}

/** One that was stopped, or that had no output of its own, is not told to the model in a turn of its own. */
function isOwed(report: { readonly status?: unknown; readonly output_file?: unknown }): boolean {
  return report.status !== 'stopped' && typeof report.output_file === 'string' && report.output_file !== '';
}

/** The same set when nothing is taken out of it. */
function without(set: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> {
  return ids.some((id) => set.has(id)) ? new Set([...set].filter((id) => !ids.includes(id))) : set;
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
