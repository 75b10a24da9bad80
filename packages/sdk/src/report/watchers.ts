import { outcomeOf } from '../messages/outcome.ts';
import type { AgentOptions } from '../options/option-types.ts';
import type { Redactor } from '../redact.ts';
import type { ItemFeed } from '../stream/feed.ts';
import type { Message } from '../wire/messages.ts';
import type { RunEvent } from './events.ts';
import { InOrder } from './in-order.ts';
import { copyOf, redactedJson } from './redacted.ts';
import { safely } from './report.ts';
import type {
  ObservedMessage,
  ObservedOptions,
  ObservedPrompt,
  ObservedRun,
  ObservedTurnEnd,
  RunObserver,
  RunWatcher,
} from './run-observer.ts';

/** Describes a run to observers. */
export function observedRun(
  kind: ObservedRun['kind'],
  options: AgentOptions,
  redact: Redactor,
  pool?: ObservedRun['pool'],
): ObservedRun {
  const known = observedOptionNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]));
  const shown: ObservedOptions = Object.freeze(Object.fromEntries(known));
  return { id: crypto.randomUUID(), kind, options: shown, pool, redact };
}

/** The options that an observer sees. */
export const observedOptionNames = [
  'model',
  'fallbackModel',
  'maxTurns',
  'maxBudgetUsd',
  'taskBudget',
  'effort',
  'permissionMode',
  'allowPermissionUpdates',
  'cwd',
  'addDirs',
  'configDir',
  'agent',
  'title',
  'persistSession',
  'resume',
  'resumeAt',
  'continue',
  'forkSession',
  'sessionId',
  'includePartialMessages',
  'timeoutMs',
  'idleTimeoutMs',
] as const;

/** A turn, or a query, whose prompt has just been given. */
interface WatchedTurn {
  /** A turn that is sent again changes its id. */
  readonly id: string;
  readonly content: ObservedPrompt['content'];
  readonly feed: Pick<ItemFeed, 'ended' | 'cost' | 'results'>;
}

interface Added {
  readonly watcher: RunWatcher;
  /** It belongs to the SDK: it gets no copies, and what it throws is a fault of the SDK, which must not go unnoticed. */
  readonly own: boolean;
}

/** The watchers of one run. */
export class Watchers {
  readonly run: ObservedRun;
  /** What one of them does when it is told something may be the next thing that all are told. */
  readonly order: InOrder = new InOrder();
  /** Each in an object of its own: two observers may return the same watcher. */
  #watchers: readonly Added[] = [];

  /** Calls the observers in the context of the caller. */
  constructor(run: ObservedRun, observers: readonly RunObserver[] = []) {
    this.run = run;
    for (const observer of observers) this.add(observer);
  }

  /** The returned function ends it. */
  add(observer: RunObserver): () => void {
    const watcher = watcherOf(observer, this.run);
    if (!watcher) return () => {};
    const added = { watcher, own: false };
    this.#watchers = [...this.#watchers, added];
    return () => this.#remove(added);
  }

  /** The same for a watcher of the SDK, which is told before all others: what those do may cause the next event. */
  follow(watcher: RunWatcher): () => void {
    const added = { watcher, own: true };
    this.#watchers = [added, ...this.#watchers];
    return () => this.#remove(added);
  }

  environment(): Readonly<Record<string, string>> {
    const variables: Record<string, string> = {};
    for (const { watcher } of this.#watchers) {
      safely(() => {
        const added = watcher.environment?.();
        for (const [name, value] of Object.entries(added ?? {})) if (typeof value === 'string') variables[name] = value;
        return added;
      });
    }
    return variables;
  }

  prompt(prompt: ObservedPrompt): void {
    for (const { watcher } of this.#watchers) safely(() => watcher.prompt?.(prompt));
  }

  message(message: Message, rawJson: string, turn: string | undefined, at: number): void {
    const watchers = this.#watchers.filter(({ watcher, own }) => !own || watcher.message);
    if (watchers.length === 0) return;
    const observed: ObservedMessage = { kind: 'message', message, rawJson, turn: turn ?? null, at };
    for (const { watcher, own } of watchers) if (own) watcher.message?.(observed);
    this.order.run(() => {
      for (const { watcher, own } of watchers) if (!own) safely(() => watcher.message?.(copyOfMessage(observed)));
    });
  }

  event(event: RunEvent): void {
    for (const { watcher, own } of this.#watchers) safely(() => watcher.event?.(own ? event : copyOf(event)));
  }

  /** Tells of a prompt, and later how the turn that it began has ended. */
  turn(turn: WatchedTurn, { job = null, at = Date.now() }: Partial<Pick<ObservedPrompt, 'job' | 'at'>> = {}): void {
    if (this.#watchers.every(({ own }) => own)) return;
    this.prompt({ turn: turn.id, content: turn.content, steers: false, job, at });
    const { ended, cost } = turn.feed;
    // Neither of the two rejects.
    void Promise.all([ended, cost]).then(([failure, cost]) => {
      const result = turn.feed.results.at(-1);
      const outcome = result ? outcomeOf(result).kind : null;
      const error = failure ? redactedJson(failure, this.run.redact) : null;
      const end: ObservedTurnEnd = { turn: turn.id, outcome, error, cost };
      for (const { watcher } of this.#watchers) safely(() => watcher.turnEnded?.(copyOf(end)));
    });
  }

  #remove(added: object): void {
    this.#watchers = this.#watchers.filter((other) => other !== added);
  }
}

/** A message for someone outside, as the CLI wrote it: the reader of the turn may have changed the other one. */
export function copyOfMessage(observed: ObservedMessage): ObservedMessage {
  // The line was already parsed once, so this cannot throw.
  return { ...observed, message: JSON.parse(observed.rawJson) };
}

/** The observers of many runs, added and removed while these are opened. */
export class ObserverList {
  readonly #observers = new Map<object, RunObserver>();

  get current(): readonly RunObserver[] {
    return [...this.#observers.values()];
  }

  /** The returned function ends it: no further run is observed, and those that are open no longer. */
  add(observer: RunObserver): { readonly observer: RunObserver; readonly end: () => void } {
    const place = {};
    const isActive = (): boolean => this.#observers.has(place);
    const endable: RunObserver = {
      opened: (run) => whileActive(isActive, isActive() ? watcherOf(observer, run) : undefined),
    };
    this.#observers.set(place, endable);
    return { observer: endable, end: () => void this.#observers.delete(place) };
  }
}

/** What the observer returns for a run. `undefined` if it fails, or returns anything else, such as a promise. */
function watcherOf(observer: RunObserver, run: ObservedRun): RunWatcher | undefined {
  let watcher: RunWatcher | undefined;
  safely(() => {
    const opened = observer.opened(run);
    if (typeof opened === 'object' && opened !== null && !('then' in opened)) watcher = opened;
    return opened;
  });
  return watcher;
}

function whileActive(isActive: () => boolean, watcher: RunWatcher | undefined): RunWatcher | undefined {
  return (
    watcher && {
      environment: () => (isActive() && watcher.environment?.()) || {},
      prompt: (prompt) => isActive() && watcher.prompt?.(prompt),
      message: (message) => isActive() && watcher.message?.(message),
      event: (event) => isActive() && watcher.event?.(event),
      turnEnded: (end) => isActive() && watcher.turnEnded?.(end),
    }
  );
}
