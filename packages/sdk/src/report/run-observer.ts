import type { TurnCost } from '../messages/turn-cost.ts';
import type { Message, UserContent } from '../wire/messages.ts';
import type { RunEvent } from './events.ts';
import type { ObservedOptions } from './observed-options.ts';

/** Watches queries and sessions from the moment they are opened. Exceptions it throws are ignored. */
export interface RunObserver {
  /**
   * A query or a session is being opened, and nothing has been started. Called synchronously in the async context of the
   * caller; for a session of a pool, in that of `createPool`. A run whose options are invalid is not observed.
   */
  opened(run: ObservedRun): RunWatcher | undefined;
}

/** An observed query or session. `sessionOf(run)`, `queryOf(run)` and `poolOf(run)` return its handle and its pool. */
export interface ObservedRun {
  /** Unique. For a query it is also the id of its only turn. */
  readonly id: string;
  readonly kind: 'query' | 'session';
  readonly options: ObservedOptions;
  /** The pool that the session belongs to. */
  readonly pool: ObservedSlot | undefined;
  /** Removes the secrets of the run from a text. Prompts and messages are as the caller and the CLI wrote them. */
  redact(text: string): string;
}

/** The place of a session in its pool. */
export interface ObservedSlot {
  readonly slot: number;
  /** The key that the session serves; `null` without one, and until a job adopts a prewarmed session. */
  readonly key: string | null;
}

/** The functions of an observer for one run. Their exceptions are ignored. */
export interface RunWatcher {
  /** Called before each CLI process starts: variables for its environment. The caller's own `env` takes precedence. */
  environment?(): Readonly<Record<string, string>>;
  /** The caller sends a prompt, or adds to one: called in the async context of the caller. */
  prompt?(prompt: ObservedPrompt): void;
  /** A message of the CLI, as `session.messages()` has it. */
  message?(message: ObservedMessage): void;
  event?(event: RunEvent): void;
  /** A turn has ended and its cost is known. Called once for every prompt that began a turn, even if it was never sent. */
  turnEnded?(end: ObservedTurnEnd): void;
}

/** A prompt as it was sent. */
export interface ObservedPrompt {
  /** The turn it begins, or adds to. A turn that is sent again after a restart gets a new id: see `turn-interrupted`. */
  readonly turn: string;
  readonly content: UserContent;
  /** True when the prompt was added to a running turn. */
  readonly steers: boolean;
  /** The job of the pool. */
  readonly job: string | null;
  /** When the caller sent it, or submitted the job, in ms since the epoch. */
  readonly at: number;
}

/** How a turn ended. */
export interface ObservedTurnEnd {
  /** The last id of the turn. */
  readonly turn: string;
  /** The kind of the outcome of its result; `null` without a result. */
  readonly outcome: string | null;
  /** The error that its reader gets, as plain JSON without secrets. */
  readonly error: Readonly<Record<string, unknown>> | null;
  readonly cost: TurnCost;
}

/** A message as an observer receives it. */
export interface ObservedMessage {
  readonly kind: 'message';
  readonly message: Message;
  readonly rawJson: string;
  /** The turn it belongs to; `null` for the CLI's own work. */
  readonly turn: string | null;
  readonly at: number;
}
