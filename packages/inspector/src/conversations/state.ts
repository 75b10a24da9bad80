import type { ConversationState, TaskInfo } from '../api.ts';

/** What the state of a conversation follows from. */
export interface Activity {
  /** `closed` also for a conversation that has no process here. */
  readonly life: 'open' | 'closed' | 'failed';
  readonly approvals: number;
  readonly running: number;
  /** Prompts that have been sent and wait their turn. */
  readonly queued: number;
  readonly pausedUntil: number | null;
  readonly restarting: number | null;
  readonly tasks: number;
  /** The outcome of the last turn. */
  readonly outcome: string | null;
  readonly error: string | null;
}

/** The state of a conversation, and more about it in a few words. Pure. */
export function stateOf(activity: Activity): { readonly state: ConversationState; readonly note: string | null } {
  const { life, approvals, running, queued, pausedUntil, restarting, tasks, outcome, error } = activity;
  const unusual = outcome === null || outcome === 'completed' ? null : outcome;
  if (life === 'failed') return { state: 'failed', note: error };
  if (life === 'closed') return { state: 'done', note: unusual };
  if (approvals > 0) return { state: 'needs-me', note: approvals > 1 ? `${approvals} requests` : null };
  if (restarting !== null) return { state: 'waiting', note: `restarting (${restarting})` };
  if (running > 0) return { state: 'running', note: queued > 0 ? `${queued} waiting` : null };
  if (pausedUntil !== null) return { state: 'waiting', note: `paused until ${new Date(pausedUntil).toISOString()}` };
  if (queued > 0) return { state: 'waiting', note: `${queued} waiting` };
  if (tasks > 0) return { state: 'waiting', note: `${tasks} background ${tasks === 1 ? 'task' : 'tasks'}` };
  return { state: 'idle', note: unusual };
}

/** How many ended tasks of a conversation are listed. */
const ENDED_TASKS = 100;

/** The tasks of a conversation. */
export class Tasks {
  readonly #tasks = new Map<string, TaskInfo>();
  /** The tasks of subagents that a turn waits for. */
  readonly #awaited = new Set<string>();
  #described: { readonly id: string; readonly description: string } | undefined;

  get running(): number {
    return this.list().filter(({ state }) => state === 'running').length;
  }

  /** Those in the background. */
  background(): readonly TaskInfo[] {
    return this.list().filter(({ id }) => !this.#awaited.has(id));
  }

  isAwaited(id: string): boolean {
    return this.#awaited.has(id);
  }

  /** A turn waits for this task, or does so no longer. */
  await(id: string, awaited: boolean): void {
    if (awaited) this.#awaited.add(id);
    else this.#awaited.delete(id);
  }

  list(): readonly TaskInfo[] {
    return [...this.#tasks.values()];
  }

  /** The CLI's description of a task may come before or after its start. */
  describe(id: string, description: string): void {
    const known = this.#tasks.get(id);
    if (known) this.#tasks.set(id, { ...known, description });
    else this.#described = { id, description };
  }

  /** What a task is about, if the CLI said so. The task of a subagent has the subagent's id. */
  nameOf(id: string): string | undefined {
    const known = this.#tasks.get(id)?.description;
    if (known !== undefined && known !== id) return known;
    return this.#described?.id === id ? this.#described.description : undefined;
  }

  open(id: string, at: number): TaskInfo {
    const description = this.nameOf(id) ?? id;
    const task: TaskInfo = { id, description, state: 'running', status: null, startedAt: at, endedAt: null };
    this.#tasks.set(id, task);
    const ended = this.list().filter(({ state }) => state === 'ended');
    for (const { id: old } of ended.slice(0, Math.max(0, ended.length - ENDED_TASKS))) this.#tasks.delete(old);
    return task;
  }

  close(id: string, status: string | null, at: number): void {
    const task = this.#tasks.get(id);
    if (task && this.#awaited.delete(id)) this.#tasks.delete(id);
    else if (task) this.#tasks.set(id, { ...task, state: 'ended', status, endedAt: at });
  }

  closeAll(at: number): void {
    for (const { id, state } of this.list()) if (state === 'running') this.close(id, null, at);
  }
}
