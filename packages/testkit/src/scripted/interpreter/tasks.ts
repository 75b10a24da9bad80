import type { Effect } from './effects.ts';

/** A program that can wait: it yields the awaited event and is resumed with the answer. */
export type Program<T = void> = Generator<Wait, T, unknown>;

/** An event that a program can await. */
export type Wait =
  | { readonly on: 'time'; readonly ms: number }
  | { readonly on: 'reply'; readonly request: string; readonly ms: number | null }
  | { readonly on: 'notice'; readonly name: string; readonly ms: number | null }
  | { readonly on: 'tasks'; readonly tasks: readonly Task[] }
  | { readonly on: 'nothing' };

/** Thrown into a waiting program when its turn is interrupted. */
export class Interrupted extends Error {}

/** Marks a wait that timed out. */
export const timedOut: unique symbol = Symbol('timed out');

/** A running program. */
export class Task {
  readonly program: Program<unknown>;
  done = false;
  /** Cancels the registration of its current wait. */
  leave: () => void = () => {};
  /** The tasks that it awaits. */
  children: readonly Task[] = [];

  constructor(program: Program<unknown>) {
    this.program = program;
  }
}

/** Runs programs concurrently without a clock or I/O: timers are effects, their expirations are events. */
export class Tasks {
  readonly #effects: Effect[];
  readonly #timers = new Map<number, () => void>();
  readonly #replies = new Map<string, (reply: unknown) => void>();
  readonly #notices = new Map<string, Set<() => void>>();
  readonly #noticed = new Set<string>();
  readonly #joins = new Map<Task, Set<() => void>>();
  #lastTimer = 0;

  constructor(effects: Effect[]) {
    this.#effects = effects;
  }

  start(program: Program<unknown>): Task {
    const task = new Task(program);
    this.#advance(task, () => program.next());
    return task;
  }

  timerEnded(timer: number): void {
    const ended = this.#timers.get(timer);
    this.#timers.delete(timer);
    ended?.();
  }

  /** Resolves a request with this reply; false if the request does not exist. */
  reply(request: string, reply: unknown): boolean {
    const take = this.#replies.get(request);
    take?.(reply);
    return take !== undefined;
  }

  /** The pending requests. */
  pending(): readonly string[] {
    return [...this.#replies.keys()];
  }

  /** Wakes the tasks that wait for this; they run at `settle`, so that they process a batch of input together. */
  notify(name: string): void {
    this.#noticed.add(name);
  }

  settle(): void {
    for (const name of this.#noticed) {
      this.#noticed.delete(name);
      for (const wake of [...(this.#notices.get(name) ?? [])]) wake();
    }
  }

  /** Throws `Interrupted` into the tasks that a task awaits, and then into the task itself. */
  interrupt(task: Task): void {
    if (task.done) return;
    const children = task.children;
    task.leave();
    for (const child of children) this.interrupt(child);
    this.#advance(task, () => task.program.throw(new Interrupted()));
  }

  #advance(task: Task, resume: () => IteratorResult<Wait, unknown>): void {
    task.leave = () => {};
    task.children = [];
    let step: IteratorResult<Wait, unknown>;
    try {
      step = resume();
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      step = { done: true, value: undefined };
    }
    if (step.done === true) {
      task.done = true;
      const joined = [...(this.#joins.get(task) ?? [])];
      this.#joins.delete(task);
      for (const check of joined) check();
      return;
    }
    this.#wait(task, step.value);
  }

  #wait(task: Task, wait: Wait): void {
    const resume = (value: unknown): void => {
      task.leave();
      this.#advance(task, () => task.program.next(value));
    };
    if (wait.on === 'time') {
      task.leave = this.#timer(wait.ms, () => resume(undefined));
    } else if (wait.on === 'reply') {
      this.#replies.set(wait.request, resume);
      const clear = this.#timer(wait.ms, () => resume(timedOut));
      task.leave = () => {
        clear();
        this.#replies.delete(wait.request);
      };
    } else if (wait.on === 'notice') {
      const waiting = this.#notices.get(wait.name) ?? new Set();
      this.#notices.set(wait.name, waiting);
      const wake = (): void => resume(undefined);
      waiting.add(wake);
      const clear = this.#timer(wait.ms, () => resume(timedOut));
      task.leave = () => {
        clear();
        waiting.delete(wake);
      };
    } else if (wait.on === 'tasks') {
      this.#join(task, wait.tasks, resume);
    }
  }

  #join(task: Task, tasks: readonly Task[], resume: (value: unknown) => void): void {
    task.children = tasks;
    const check = (): void => {
      if (tasks.every(({ done }) => done)) resume(undefined);
    };
    for (const child of tasks) {
      const joined = this.#joins.get(child) ?? new Set();
      this.#joins.set(child, joined.add(check));
    }
    task.leave = () => {
      for (const child of tasks) this.#joins.get(child)?.delete(check);
    };
    check();
  }

  #timer(ms: number | null, ended: () => void): () => void {
    if (ms === null) return () => {};
    this.#lastTimer += 1;
    const timer = this.#lastTimer;
    this.#timers.set(timer, ended);
    this.#effects.push({ effect: 'set-timer', timer, ms });
    return () => {
      if (this.#timers.delete(timer)) this.#effects.push({ effect: 'clear-timer', timer });
    };
  }
}

/** Waits for a time. */
export function* sleep(ms: number): Program {
  if (ms > 0) yield { on: 'time', ms };
}

/** Waits until all of these are done. */
export function* join(tasks: readonly Task[]): Program {
  if (tasks.some(({ done }) => !done)) yield { on: 'tasks', tasks };
}
