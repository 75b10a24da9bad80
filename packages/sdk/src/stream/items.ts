import type { CoxswainError } from '../errors/base.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';

/** One thing a stream has to say. `seq` counts from 0 without gaps; `at` is when it was read, in ms since the epoch. */
export type StreamItem = MessageItem | WarningItem | ErrorItem;

/** A message, with the exact line it came from. */
export interface MessageItem {
  readonly kind: 'message';
  readonly message: Message;
  readonly rawJson: string;
  readonly seq: number;
  readonly at: number;
}

/** Something worth knowing. */
export interface WarningItem {
  readonly kind: 'warning';
  readonly warning: Warning;
  readonly seq: number;
  readonly at: number;
}

/** An error that did not end the stream. */
export interface ErrorItem {
  readonly kind: 'error';
  readonly error: CoxswainError;
  readonly seq: number;
  readonly at: number;
}

/** Everything a stream said. */
export interface Collected<T> {
  readonly items: readonly T[];
  readonly warnings: readonly Warning[];
  /** Errors that did not end the stream. */
  readonly errors: readonly CoxswainError[];
  /** The error that did. */
  readonly terminalError?: Error;
}
