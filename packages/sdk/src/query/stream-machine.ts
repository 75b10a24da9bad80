/** How far a one-shot run has come. */
export type QueryState = 'streaming' | 'result-received' | 'pending-end' | 'closed';

/** Everything the machine knows. `transition` never changes one, it returns the next. */
export interface StreamMachine {
  readonly state: QueryState;
  /** Background tasks that were started and not yet reported as over. */
  readonly tasks: ReadonlySet<string>;
  /** The CLI said that it is doing something. */
  readonly busy: boolean;
  /** A turn began after the last result: the CLI works on by itself. */
  readonly turnOpen: boolean;
  /** Set when nothing that is still open is waited for any more. */
  readonly ending: boolean;
  /** Messages that came although the run was over. */
  readonly late: number;
  /** Whether the last result was an error; `undefined` before the first. */
  readonly failed: boolean | undefined;
  readonly maxLateMessages: number;
}

/** What happened, as far as the machine cares. All but the last four carry a message of the CLI. */
export type StreamEvent =
  | { readonly type: 'message' }
  | { readonly type: 'message-after-result' }
  | { readonly type: 'turn-started' }
  | { readonly type: 'result'; readonly failed: boolean }
  | { readonly type: 'task-opened'; readonly id: string }
  | { readonly type: 'task-closed'; readonly id: string }
  | { readonly type: 'tasks-listed'; readonly ids: readonly string[] }
  | { readonly type: 'session-state'; readonly idle: boolean }
  | { readonly type: 'background-timeout' }
  | { readonly type: 'drain-timeout' }
  | {
      readonly type: 'exit';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly outputSeen: boolean;
    }
  | { readonly type: 'close' };

/** What the shell has to do. */
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

/** One step: where the run stands now, and what to do, in order. */
export interface StreamStep {
  readonly machine: StreamMachine;
  readonly emit: readonly StreamEffect[];
}

/** A run that has just begun. */
export function startMachine(options: { waitForBackground: boolean; maxLateMessages: number }): StreamMachine {
  return {
    state: 'streaming',
    tasks: new Set(),
    busy: false,
    turnOpen: false,
    ending: !options.waitForBackground,
    late: 0,
    failed: undefined,
    maxLateMessages: options.maxLateMessages,
  };
}

/** The table: what each event means in each state. */
export function transition(machine: StreamMachine, event: StreamEvent): StreamStep {
  return TABLE[machine.state](machine, event);
}

type Row = (machine: StreamMachine, event: StreamEvent) => StreamStep;

const HAND_OVER: readonly StreamEffect[] = ['hand-over'];
const NOTHING: readonly StreamEffect[] = [];

const TABLE: Readonly<Record<QueryState, Row>> = {
  streaming(machine, event) {
    switch (event.type) {
      case 'message':
      case 'message-after-result':
        return { machine, emit: HAND_OVER };
      case 'turn-started':
      case 'task-opened':
      case 'task-closed':
      case 'tasks-listed':
      case 'session-state':
        return { machine: track(machine, event), emit: HAND_OVER };
      case 'result':
        return settle(track(machine, event));
      case 'exit':
        return exitWithoutResult(machine, event);
      case 'background-timeout':
      case 'drain-timeout':
        return { machine, emit: NOTHING };
      case 'close':
        return closed(machine);
    }
  },

  'result-received'(machine, event) {
    switch (event.type) {
      case 'message':
      case 'message-after-result':
        return { machine, emit: HAND_OVER };
      case 'turn-started':
      case 'task-opened':
      case 'task-closed':
      case 'tasks-listed':
      case 'session-state':
      case 'result':
        return settle(track(machine, event));
      case 'background-timeout':
        return {
          machine: { ...machine, state: 'pending-end', ending: true },
          emit: ['warn-abandoned', 'start-drain'],
        };
      case 'exit':
        return exitAfterResult(machine, event);
      case 'drain-timeout':
        return { machine, emit: NOTHING };
      case 'close':
        return closed(machine);
    }
  },

  'pending-end'(machine, event) {
    switch (event.type) {
      case 'message':
        return lateMessage(machine);
      case 'message-after-result':
        return { machine, emit: HAND_OVER };
      case 'turn-started':
        return machine.ending ? lateMessage(machine) : settle(track(machine, event));
      case 'task-opened':
      case 'task-closed':
      case 'tasks-listed':
      case 'session-state':
      case 'result': {
        const tracked = track(machine, event);
        return isOpen(tracked) ? settle(tracked) : { machine: tracked, emit: HAND_OVER };
      }
      case 'drain-timeout':
        return closed(machine, [...lateCount(machine), 'end']);
      case 'exit':
        return exitAfterResult(machine, event);
      case 'background-timeout':
        return { machine, emit: NOTHING };
      case 'close':
        return closed(machine);
    }
  },

  closed(machine) {
    return { machine, emit: NOTHING };
  },
};

/** Takes in what an event says about open work. */
function track(
  machine: StreamMachine,
  event: Extract<
    StreamEvent,
    { type: 'turn-started' | 'task-opened' | 'task-closed' | 'tasks-listed' | 'session-state' | 'result' }
  >,
): StreamMachine {
  switch (event.type) {
    case 'turn-started':
      return { ...machine, turnOpen: true };
    case 'result':
      return { ...machine, turnOpen: false, failed: event.failed };
    case 'task-opened':
      return { ...machine, tasks: new Set([...machine.tasks, event.id]) };
    case 'task-closed':
      return { ...machine, tasks: new Set([...machine.tasks].filter((id) => id !== event.id)) };
    case 'tasks-listed':
      return { ...machine, tasks: new Set(event.ids) };
    case 'session-state':
      return { ...machine, busy: !event.idle };
  }
}

/** Whether the CLI is still doing something, waited for or not. */
export function hasOpenWork({ tasks, busy, turnOpen }: StreamMachine): boolean {
  return tasks.size > 0 || busy || turnOpen;
}

function isOpen(machine: StreamMachine): boolean {
  return !machine.ending && hasOpenWork(machine);
}

/** After a result: is there anything left to wait for? */
function settle(machine: StreamMachine): StreamStep {
  if (isOpen(machine)) {
    return { machine: { ...machine, state: 'result-received' }, emit: ['hand-over', 'wait-for-background'] };
  }
  return { machine: { ...machine, state: 'pending-end' }, emit: ['hand-over', 'start-drain'] };
}

function lateMessage(machine: StreamMachine): StreamStep {
  const late = machine.late + 1;
  return { machine: { ...machine, late }, emit: late <= machine.maxLateMessages ? ['warn-late-message'] : NOTHING };
}

function lateCount(machine: StreamMachine): readonly StreamEffect[] {
  return machine.late > machine.maxLateMessages ? ['warn-output-after-end'] : NOTHING;
}

type Exit = Extract<StreamEvent, { type: 'exit' }>;

/** The CLI exits 1 after a result that is an error: that is its way of saying the same thing twice. */
function exitAfterResult(machine: StreamMachine, exit: Exit): StreamStep {
  const expected = exit.signal === null && (exit.exitCode === 0 || (exit.exitCode === 1 && machine.failed === true));
  return closed(machine, [...lateCount(machine), ...(expected ? NOTHING : NON_ZERO), 'end']);
}

function exitWithoutResult(machine: StreamMachine, exit: Exit): StreamStep {
  if (exit.signal !== null || exit.exitCode !== 0) return closed(machine, ['fail-process']);
  return closed(machine, [exit.outputSeen ? 'warn-clean-exit' : 'warn-empty-response', 'end']);
}

const END: readonly StreamEffect[] = ['end'];
const NON_ZERO: readonly StreamEffect[] = ['warn-non-zero-exit'];

function closed(machine: StreamMachine, emit: readonly StreamEffect[] = END): StreamStep {
  return { machine: { ...machine, state: 'closed' }, emit };
}
