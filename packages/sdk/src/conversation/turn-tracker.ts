import type { Message } from '../wire/messages.ts';
import { type BackgroundTasks, hasOpenTasks, noTasks, tasksAfterRun, trackTasks } from './background-tasks.ts';
import { type Evidence, evidenceOf } from './turn-evidence.ts';

/** Which run the CLI is in, judging by the frames so far. */
export type Phase =
  /** In none, and nothing has been sent to it. */
  | 'idle'
  /** In none yet: it has a prompt that it has not taken up. */
  | 'sent'
  /** In a run of the current turn. */
  | 'ours'
  /** In a run that is not the current turn's: the CLI started it on its own, or for a pushed frame. */
  | 'other'
  /** In a run that may be either; the next decisive frame shows which. */
  | 'undecided';

/** A prompt that was written and that the CLI is not done with. */
export interface Prompt {
  /** A pushed prompt belongs to no turn. */
  readonly role: 'turn' | 'addition' | 'pushed';
  readonly state: PromptState;
}

/** How far the CLI is with a prompt. */
export type PromptState =
  /** Written while a run was under way; it joins that run or waits for the next. */
  | 'waiting'
  /** The next run that the CLI does not start on its own takes it up, or a hook refuses it there. */
  | 'due'
  /** The CLI has reported it, so it will also report when it takes it up: nothing is concluded from the order of frames. */
  | 'queued'
  | 'taken';

/** Where the frames belong. The functions below never change a tracker, they return the next one. */
export interface TurnTracker {
  readonly phase: Phase;
  /** The `init` of the run has arrived. A prompt is taken up before it, and its hooks are called before it. */
  readonly inRun: boolean;
  /** The turn whose prompt was sent and which has not ended. */
  readonly turn: string | undefined;
  /** The CLI has taken the turn up. */
  readonly begun: boolean;
  /** The turn has had a result; it ends once its additions are settled too. */
  readonly resulted: boolean;
  readonly prompts: ReadonlyMap<string, Prompt>;
  /** All additions to the turn: the CLI may report that it is done with one before the result that names it. */
  readonly additions: ReadonlySet<string>;
  readonly tasks: BackgroundTasks;
  /** The uuid of the last result: the CLI may repeat a result. */
  readonly lastResult: string | undefined;
  /** The last prompts that a result ended before the CLI had reported them: that result may have been of another run. */
  readonly unproven: readonly string[];
}

const MAX_UNPROVEN = 16;

/** Where a frame belongs. */
export type Destination =
  /** To the turn that was sent. */
  | 'turn'
  /** To no turn: the CLI does it on its own, or for a pushed frame. */
  | 'background'
  /** To one of the two; the next decisive frame shows which. */
  | 'undecided'
  /** To nothing: the echo of a prompt of the turn. */
  | 'echo';

/** One step: where this frame belongs, where the undecided ones before it do, and whether the turn has ended. */
export interface TrackStep {
  readonly tracker: TurnTracker;
  readonly to: Destination;
  readonly undecidedTo: 'turn' | 'background' | undefined;
  readonly began: boolean;
  readonly ended: boolean;
}

export const idleTracker: TurnTracker = {
  phase: 'idle',
  inRun: false,
  turn: undefined,
  begun: false,
  resulted: false,
  prompts: new Map(),
  additions: new Set(),
  tasks: noTasks,
  lastResult: undefined,
  unproven: [],
};

/** A prompt was written: that of a turn, an addition to the current turn, or a pushed frame. */
export function promptWritten(tracker: TurnTracker, role: Prompt['role'], id: string): TurnTracker {
  if (role === 'turn') {
    const next = { ...tracker, turn: id, begun: false, resulted: false, additions: new Set<string>() };
    return withPrompt(next, id, { role, state: 'due' });
  }
  if (role === 'addition') {
    const additions = new Set([...tracker.additions, id]);
    return withPrompt({ ...tracker, additions }, id, { role, state: 'waiting' });
  }
  return withPrompt(tracker, id, { role, state: tracker.phase === 'idle' ? 'due' : 'waiting' });
}

/** The CLI resumes a turn on its own when it starts: its first run that is not of a background task is that of the turn. */
export function turnResumed(tracker: TurnTracker, id: string): TurnTracker {
  return { ...promptWritten(tracker, 'turn', id), phase: 'ours' };
}

/** The CLI returned a prompt unread, or it could not be written. */
export function promptWithdrawn(tracker: TurnTracker, id: string): TurnTracker {
  return settle(tracker, (name) => name === id);
}

/** The turn has ended, or was abandoned and no result of it will arrive. A run of the CLI continues. */
export function turnDropped(tracker: TurnTracker): TurnTracker {
  const left = new Map([...tracker.prompts].filter(([, { role }]) => role === 'pushed'));
  const { phase, inRun, tasks, lastResult, unproven } = tracker;
  const next = { ...idleTracker, prompts: left, tasks, lastResult, unproven };
  return phase === 'other' ? { ...next, phase, inRun } : { ...next, phase: left.size > 0 ? 'sent' : 'idle' };
}

/** Prompts that were added to the turn and that the CLI has not taken up, by uuid. */
export function openAdditions({ prompts }: TurnTracker): readonly string[] {
  return [...prompts].filter(([, { role, state }]) => role === 'addition' && state !== 'taken').map(([id]) => id);
}

/** Prompts that the CLI would start at once if it still had them, and whose outcome it need not report. */
export function leftovers({ phase, turn, resulted, prompts }: TurnTracker): readonly string[] {
  if (phase !== 'sent' || (turn !== undefined && !resulted)) return [];
  return [...prompts].filter(([, prompt]) => isUnreported(prompt)).map(([id]) => id);
}

/** True while the CLI has a prompt of the turn and is not in a run of it yet: its hooks may be asked. */
export function isStarting({ phase, inRun, turn }: TurnTracker): boolean {
  return turn !== undefined && (phase === 'sent' || (phase === 'ours' && !inRun));
}

/** True when the turn has no more frames. */
export function isThrough(tracker: TurnTracker): boolean {
  if (tracker.turn === undefined || tracker.phase === 'ours' || tracker.phase === 'undecided') return false;
  return [...tracker.prompts.values()].every(({ role }) => role === 'pushed');
}

/** True when the CLI is in no other run and has no pushed frame left: a prompt sent now gets a separate run. */
export function isFree({ phase, prompts }: TurnTracker): boolean {
  return prompts.size === 0 && phase === 'idle';
}

/** True when no turn runs or is about to, and no background task is open. */
export function isQuiet(tracker: TurnTracker): boolean {
  return tracker.turn === undefined && isFree(tracker) && !hasOpenTasks(tracker.tasks);
}

/** True while the CLI may spend something that belongs to no turn: on a task, a run it started unasked or a pushed frame. */
export function worksByItself({ phase, prompts, tasks }: TurnTracker): boolean {
  const inOther = phase === 'other' || phase === 'undecided';
  return inOther || hasOpenTasks(tasks) || [...prompts.values()].some(({ role }) => role === 'pushed');
}

export function track(before: TurnTracker, message: Message): TrackStep {
  const tasks = trackTasks(before.tasks, message);
  const tracker = tasks === before.tasks ? before : { ...before, tasks };
  const evidence = evidenceOf(message);
  if (!evidence) return step(tracker, tracker, around(tracker));
  switch (evidence.kind) {
    case 'queued':
      return promptQueued(tracker, evidence.prompt);
    case 'taken':
      return promptTaken(tracker, evidence.prompt, evidence.by);
    case 'settled':
      return step(tracker, promptWithdrawn(tracker, evidence.prompt), destinationOf(tracker, evidence.prompt));
    case 'run-started':
      return runStarted(tracker, evidence.prompts);
    case 'run-ended':
      return runEnded(tracker, evidence);
  }
}

/** Where a frame goes that decides nothing, as nearly all do: where the run around it goes. */
function around({ phase, turn }: TurnTracker): Destination {
  if (phase === 'undecided') return 'undecided';
  return turn === undefined || phase === 'other' ? 'background' : 'turn';
}

function promptQueued(tracker: TurnTracker, id: string): TrackStep {
  const prompt = tracker.prompts.get(id);
  if (!prompt || prompt.state === 'taken') return step(tracker, tracker, destinationOf(tracker, id));
  const next = withPrompt(tracker, id, { ...prompt, state: 'queued' });
  // The run that is under way started before the CLI took up this prompt.
  const taken =
    (next.phase === 'ours' && prompt.role === 'turn') || (next.phase === 'undecided' && !hasUnreported(next));
  return step(tracker, taken ? { ...next, phase: 'other' } : next, taken ? 'background' : destinationOf(next, id));
}

function promptTaken(tracker: TurnTracker, id: string, by: 'lifecycle' | 'echo'): TrackStep {
  const prompt = tracker.prompts.get(id);
  if (!prompt) return pastPromptTaken(tracker, id, by);
  const taken = withPrompt(tracker, id, { ...prompt, state: 'taken' });
  if (prompt.role !== 'pushed') return step(tracker, ours(taken), by === 'echo' ? 'echo' : 'turn');
  // A pushed prompt may join a run of the turn.
  const next: TurnTracker = tracker.phase === 'ours' ? taken : { ...taken, phase: 'other' };
  return step(tracker, next, around(next));
}

/** A prompt whose turn a result has ended is taken up only now: the run is not that of the current turn. */
function pastPromptTaken(tracker: TurnTracker, id: string, by: 'lifecycle' | 'echo'): TrackStep {
  const proven = [...tracker.prompts.values()].some(({ role, state }) => role !== 'pushed' && state === 'taken');
  if (proven || !tracker.unproven.includes(id)) return step(tracker, tracker, destinationOf(tracker, id, by));
  const unproven = tracker.unproven.filter((past) => past !== id);
  return step(tracker, { ...tracker, phase: 'other', unproven }, 'background');
}

function runStarted(tracker: TurnTracker, names: readonly string[]): TrackStep {
  const next = { ...tracker, phase: phaseOfRun(tracker, names), inRun: true };
  return step(tracker, next.phase === 'ours' ? ours(next) : next, around(next));
}

function phaseOfRun(tracker: TurnTracker, names: readonly string[]): Phase {
  const { phase, prompts, tasks } = tracker;
  if (phase === 'ours' || names.some((name) => belongsToTurn(tracker, name))) return 'ours';
  if (names.length > 0 || !hasUnreported(tracker)) return 'other';
  const mayBeOther =
    tasks.reported || hasOpenTasks(tasks) || [...prompts.values()].some(({ role }) => role === 'pushed');
  return phase === 'sent' && !mayBeOther ? 'ours' : 'undecided';
}

function runEnded(
  tracker: TurnTracker,
  { prompts: names, byCli, uuid }: Extract<Evidence, { kind: 'run-ended' }>,
): TrackStep {
  if (uuid !== undefined && uuid === tracker.lastResult) return step(tracker, tracker, 'background');
  const isOurs = tracker.turn !== undefined && endsOurs(tracker, names, byCli);
  // A result that names only prompts of others leaves the run of the turn as it is.
  if (!isOurs && tracker.phase === 'ours' && names.length > 0) {
    return step(tracker, { ...settle(tracker, (name) => names.includes(name)), lastResult: uuid }, 'background');
  }
  const after = settle(tracker, (name, { role, state }) => {
    if (names.includes(name) || state === 'taken' || (isOurs && role === 'turn')) return true;
    // A prompt that is not reported and that a hook refuses is known only by the end of the run it was due in.
    return !byCli && state === 'due' && (isOurs || role === 'pushed');
  });
  const next: TurnTracker = {
    ...after,
    phase: after.prompts.size > 0 ? 'sent' : 'idle',
    inRun: false,
    resulted: tracker.resulted || isOurs,
    begun: tracker.begun || isOurs,
    prompts: new Map(
      Array.from(after.prompts, ([id, { role, state }]) => [id, { role, state: state === 'waiting' ? 'due' : state }]),
    ),
    tasks: tasksAfterRun(tracker.tasks, !isOurs || byCli),
    lastResult: uuid,
    unproven: [...tracker.unproven, ...endedUnproven(tracker, after, names)].slice(-MAX_UNPROVEN),
  };
  return step(tracker, next, isOurs ? 'turn' : 'background');
}

/** The prompts that a result ended without naming them, and that the CLI had not reported. */
function endedUnproven(before: TurnTracker, after: TurnTracker, names: readonly string[]): readonly string[] {
  const ended = [...before.prompts].filter(([id]) => !after.prompts.has(id) && !names.includes(id));
  return ended.filter(([, prompt]) => isUnreported(prompt)).map(([id]) => id);
}

function endsOurs(tracker: TurnTracker, names: readonly string[], byCli: boolean): boolean {
  if (names.length > 0) return names.some((name) => belongsToTurn(tracker, name));
  // Until the CLI has taken up the prompt, the run only seemed to be the turn's.
  if (tracker.phase === 'ours') return !byCli || !isDue(tracker);
  const possible = tracker.phase === 'undecided' || tracker.phase === 'sent';
  return possible && !byCli && hasUnreported(tracker);
}

function isDue({ turn, prompts }: TurnTracker): boolean {
  return turn !== undefined && prompts.get(turn)?.state === 'due';
}

function ours(tracker: TurnTracker): TurnTracker {
  return { ...tracker, phase: 'ours', begun: true };
}

/** The turn of the tracker before the frame has ended when nothing of it is left after the frame. */
function step(before: TurnTracker, after: TurnTracker, to: Destination): TrackStep {
  const ended = isThrough(after);
  const decided = before.phase === 'undecided' && after.phase !== 'undecided';
  return {
    tracker: ended ? turnDropped(after) : after,
    to,
    undecidedTo: decided ? (to === 'background' ? 'background' : 'turn') : undefined,
    began: after.begun && !before.begun,
    ended,
  };
}

/** Where a frame about one prompt belongs. The end of the turn before is reported when the next prompt is on its way. */
function destinationOf(tracker: TurnTracker, id: string, by?: 'echo' | 'lifecycle'): Destination {
  const role = tracker.prompts.get(id)?.role;
  if (belongsToTurn(tracker, id)) return 'turn';
  if (role === 'pushed' || by === 'echo') return around(tracker);
  return tracker.phase === 'sent' ? 'background' : around(tracker);
}

function belongsToTurn({ turn, additions }: TurnTracker, id: string): boolean {
  return id === turn || additions.has(id);
}

/** True while a prompt of the turn has not been taken up, and the CLI need not report when it is. */
function hasUnreported({ prompts }: TurnTracker): boolean {
  return [...prompts.values()].some((prompt) => prompt.role !== 'pushed' && isUnreported(prompt));
}

function isUnreported({ state }: Prompt): boolean {
  return state === 'due' || state === 'waiting';
}

/** Takes out the prompts that the CLI is done with. */
function settle(tracker: TurnTracker, isDone: (id: string, prompt: Prompt) => boolean): TurnTracker {
  const left = new Map([...tracker.prompts].filter(([id, prompt]) => !isDone(id, prompt)));
  if (left.size === tracker.prompts.size) return tracker;
  return { ...tracker, prompts: left, phase: tracker.phase === 'sent' && left.size === 0 ? 'idle' : tracker.phase };
}

function withPrompt(tracker: TurnTracker, id: string, prompt: Prompt): TurnTracker {
  const phase = tracker.phase === 'idle' ? 'sent' : tracker.phase;
  return { ...tracker, phase, prompts: new Map([...tracker.prompts, [id, prompt]]) };
}
