import { MOST_TASKS, withTask } from '../conversation/background-tasks.ts';
import { VersionedMap } from '../conversation/versioned-map.ts';

/** The progress of a query. */
export type QueryState = 'streaming' | 'result-received' | 'pending-end' | 'closed';

/** The state of the machine, immutable: `transition` returns the next one. */
export interface StreamMachine {
  readonly state: QueryState;
  /** Background tasks that were started and not reported as ended. */
  readonly tasks: VersionedMap<true>;
  /** The CLI has reported that it is busy. */
  readonly busy: boolean;
  /** A turn began after the last result: the CLI continues on its own. */
  readonly turnOpen: boolean;
  /** The run no longer waits for open work. */
  readonly ending: boolean;
  /** The number of messages after the end. */
  readonly late: number;
  /** Whether the last result was an error; `undefined` before the first. */
  readonly failed: boolean | undefined;
  readonly maxLateMessages: number;
}

/** A message about open work. */
type WorkEvent =
  | { readonly type: 'turn-started' }
  | { readonly type: 'result'; readonly failed: boolean }
  | { readonly type: 'task-opened' | 'task-closed'; readonly id: string }
  | { readonly type: 'tasks-listed'; readonly ids: readonly string[] }
  | { readonly type: 'session-state'; readonly idle: boolean };

interface ExitEvent {
  readonly type: 'exit';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly outputSeen: boolean;
}

/** What happened. */
export type MachineEvent =
  | WorkEvent
  | ExitEvent
  | { readonly type: 'message' | 'message-after-result' | 'background-timeout' | 'drain-timeout' | 'close' };

/** An action for the caller of the machine. */
export type StreamEffect =
  | 'hand-over'
  | 'warn-late-message'
  | 'wait-for-background'
  | 'start-drain'
  | 'warn-abandoned'
  | 'warn-output-after-end'
  | 'warn-non-zero-exit'
  | 'warn-clean-exit'
  | 'warn-empty-response'
  | 'fail-process'
  | 'end';

/** One step: the next state, and what to do, in order. */
export interface StreamStep {
  readonly machine: StreamMachine;
  readonly emit: readonly StreamEffect[];
}

/** The initial machine of a run. */
export function startMachine(options: { waitForBackground: boolean; maxLateMessages: number }): StreamMachine {
  return {
    state: 'streaming',
    tasks: new VersionedMap(),
    busy: false,
    turnOpen: false,
    ending: !options.waitForBackground,
    late: 0,
    failed: undefined,
    maxLateMessages: options.maxLateMessages,
  };
}

/** The effect of an event in the current state. */
export function transition(machine: StreamMachine, event: MachineEvent): StreamStep {
  const { state } = machine;
  if (state === 'closed') return { machine, emit: [] };
  switch (event.type) {
    case 'message':
      return state === 'pending-end' ? lateMessage(machine) : { machine, emit: ['hand-over'] };
    case 'message-after-result':
      return { machine, emit: ['hand-over'] };
    case 'background-timeout':
      if (state !== 'result-received') return { machine, emit: [] };
      return { machine: { ...machine, state: 'pending-end', ending: true }, emit: ['warn-abandoned', 'start-drain'] };
    case 'drain-timeout':
      if (state !== 'pending-end') return { machine, emit: [] };
      return closed(machine, [...lateCount(machine), 'end']);
    case 'exit':
      return state === 'streaming' ? exitWithoutResult(machine, event) : exitAfterResult(machine, event);
    case 'close':
      return closed(machine, ['end']);
    default:
      return workChanged(machine, event);
  }
}

function workChanged(machine: StreamMachine, event: WorkEvent): StreamStep {
  if (machine.state === 'pending-end' && machine.ending && event.type === 'turn-started') return lateMessage(machine);
  const tracked = track(machine, event);
  const settles =
    machine.state === 'result-received' ||
    (machine.state === 'streaming' && event.type === 'result') ||
    (machine.state === 'pending-end' && isOpen(tracked));
  return settles ? settle(tracked) : { machine: tracked, emit: ['hand-over'] };
}

function track(machine: StreamMachine, event: WorkEvent): StreamMachine {
  switch (event.type) {
    case 'turn-started':
      return { ...machine, turnOpen: true };
    case 'result':
      return { ...machine, turnOpen: false, failed: event.failed };
    case 'task-opened':
      return { ...machine, tasks: withTask(machine.tasks, event.id) };
    case 'task-closed':
      return { ...machine, tasks: machine.tasks.without(event.id) };
    case 'tasks-listed':
      return { ...machine, tasks: new VersionedMap(new Map(event.ids.slice(0, MOST_TASKS).map((id) => [id, true]))) };
    case 'session-state':
      return { ...machine, busy: !event.idle };
  }
}

/** Whether the CLI is still working, even if the run does not wait for it. */
export function hasOpenWork({ tasks, busy, turnOpen }: StreamMachine): boolean {
  return tasks.size > 0 || busy || turnOpen;
}

function isOpen(machine: StreamMachine): boolean {
  return !machine.ending && hasOpenWork(machine);
}

/** After a result: waits for open work, or for the exit. */
function settle(machine: StreamMachine): StreamStep {
  if (isOpen(machine)) {
    return { machine: { ...machine, state: 'result-received' }, emit: ['hand-over', 'wait-for-background'] };
  }
  return { machine: { ...machine, state: 'pending-end' }, emit: ['hand-over', 'start-drain'] };
}

function lateMessage(machine: StreamMachine): StreamStep {
  const late = machine.late + 1;
  return { machine: { ...machine, late }, emit: late <= machine.maxLateMessages ? ['warn-late-message'] : [] };
}

function lateCount(machine: StreamMachine): readonly StreamEffect[] {
  return machine.late > machine.maxLateMessages ? ['warn-output-after-end'] : [];
}

/** After an error result the CLI exits with 1, which adds no information. */
function exitAfterResult(machine: StreamMachine, exit: ExitEvent): StreamStep {
  const expected = exit.signal === null && (exit.exitCode === 0 || (exit.exitCode === 1 && machine.failed === true));
  return closed(machine, [...lateCount(machine), ...(expected ? [] : (['warn-non-zero-exit'] as const)), 'end']);
}

function exitWithoutResult(machine: StreamMachine, exit: ExitEvent): StreamStep {
  if (exit.signal !== null || exit.exitCode !== 0) return closed(machine, ['fail-process']);
  return closed(machine, [exit.outputSeen ? 'warn-clean-exit' : 'warn-empty-response', 'end']);
}

function closed(machine: StreamMachine, emit: readonly StreamEffect[]): StreamStep {
  return { machine: { ...machine, state: 'closed' }, emit };
}
