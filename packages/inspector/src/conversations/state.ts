import type { ConversationState, Outcome, TaskInfo } from '../api.ts';
import { bounded } from '../transcript/bounded.ts';
import { isFailure, outcomeOfKind } from './outcome.ts';

/** The facts that determine the state of a conversation. */
export interface Activity {
  /** Also `closed` for a conversation without a process here. */
  readonly life: 'open' | 'closed' | 'failed';
  readonly approvals: number;
  readonly running: number;
  /** Number of sent prompts that wait for their turn. */
  readonly queued: number;
  /** Its turn waits for an answer, or for a worker after the answer, without a process. */
  readonly parked: boolean;
  readonly pausedUntil: number | null;
  readonly restarting: number | null;
  readonly tasks: number;
  /** What ended the last turn: see `outcomeOfKind`. */
  readonly outcome: string | null;
  readonly error: string | null;
}

/** The activity of a conversation that has just been opened. */
export const NO_ACTIVITY: Omit<Activity, 'approvals' | 'tasks'> = {
  ...({ life: 'open', running: 0, queued: 0, parked: false } as const),
  ...({ pausedUntil: null, restarting: null, outcome: null, error: null } as const),
};

/** The state that people see. `outcome` is `null` while a turn runs, and before the first one. */
export interface ConversationStatus {
  readonly state: ConversationState;
  /** Details of the state in a few words. */
  readonly note: string | null;
  readonly outcome: Outcome | null;
}

/** The state of a conversation and the outcome of its last turn. Pure. */
export function stateOf(activity: Activity): ConversationStatus {
  const { life, approvals, running, queued, parked, pausedUntil, restarting, tasks, error } = activity;
  const outcome = activity.outcome === null ? null : outcomeOfKind(activity.outcome);
  const unusual = activity.outcome === outcome ? null : activity.outcome;
  const waits = (note: string): ConversationStatus => ({ state: 'waiting', note, outcome: 'waiting' });
  if (life === 'failed') {
    return { state: 'failed', note: error ?? unusual, outcome: isFailure({ outcome }) ? outcome : 'failed' };
  }
  if (life === 'closed') return { state: isFailure({ outcome }) ? 'failed' : 'done', note: unusual, outcome };
  if (approvals > 0) {
    const notes = [...(approvals > 1 ? [`${approvals} requests`] : []), ...(parked ? ['parked'] : [])];
    return { state: 'needs-me', note: notes.join(', ') || null, outcome: 'waiting' };
  }
  if (restarting !== null) return waits(`restarting (${restarting})`);
  if (running > 0) return { state: 'running', note: queued > 0 ? `${queued} waiting` : null, outcome: null };
  if (parked) return waits('answered, waits for a worker');
  if (pausedUntil !== null) return waits(`paused until ${new Date(pausedUntil).toISOString()}`);
  if (queued > 0) return waits(`${queued} waiting`);
  if (tasks > 0) return { ...waits(`${tasks} background ${tasks === 1 ? 'task' : 'tasks'}`), outcome };
  return { state: 'idle', note: unusual, outcome };
}

/** Largest number of listed tasks, and of ended ones among them. */
const TASKS = 10_000;
const ENDED_TASKS = 100;

/** The tasks of a conversation. */
export class Tasks {
  readonly #tasks = new Map<string, TaskInfo>();
  /** Tasks of subagents that a turn waits for. */
  readonly #awaited = new Set<string>();
  /** Tasks that have ended, oldest first. */
  readonly #ended = new Set<string>();
  #described: { readonly id: string; readonly description: string } | undefined;

  get running(): number {
    return this.#tasks.size - this.#ended.size;
  }

  /** Tasks in the background. */
  background(): readonly TaskInfo[] {
    return this.list().filter(({ id }) => !this.#awaited.has(id));
  }

  isAwaited(id: string): boolean {
    return this.#awaited.has(id);
  }

  /** Marks whether a turn waits for this task. */
  setAwaited(id: string, awaited: boolean): void {
    if (awaited) bounded(this.#awaited, TASKS).add(id);
    else this.#awaited.delete(id);
  }

  list(): readonly TaskInfo[] {
    return [...this.#tasks.values()];
  }

  /** The CLI may describe a task before or after its start. */
  describe(id: string, description: string): void {
    const known = this.#tasks.get(id);
    if (known) this.#tasks.set(id, { ...known, description });
    else this.#described = { id, description };
  }

  /** The description of a task, if the CLI sent one. The task of a subagent has the subagent's id. */
  nameOf(id: string): string | undefined {
    const known = this.#tasks.get(id)?.description;
    if (known !== undefined && known !== id) return known;
    return this.#described?.id === id ? this.#described.description : undefined;
  }

  open(id: string, at: number): TaskInfo {
    const description = this.nameOf(id) ?? id;
    const task: TaskInfo = { id, description, state: 'running', status: null, startedAt: at, endedAt: null };
    if (this.#tasks.size < TASKS || this.#tasks.has(id)) this.#tasks.set(id, task);
    this.#ended.delete(id);
    return task;
  }

  close(id: string, status: string | null, at: number): void {
    const task = this.#tasks.get(id);
    if (task && this.#awaited.delete(id)) this.#tasks.delete(id);
    else if (task) this.#end({ ...task, state: 'ended', status, endedAt: at });
  }

  #end(task: TaskInfo): void {
    this.#tasks.set(task.id, task);
    this.#ended.add(task.id);
    const [oldest = ''] = this.#ended;
    if (this.#ended.size <= ENDED_TASKS) return;
    this.#ended.delete(oldest);
    this.#tasks.delete(oldest);
  }

  closeAll(at: number): void {
    for (const { id, state } of this.list()) if (state === 'running') this.close(id, null, at);
  }
}
