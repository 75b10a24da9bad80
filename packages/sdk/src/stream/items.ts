import type { PermissionRequest } from '../callbacks/permission-request.ts';
import type { CoxswainError } from '../errors/base.ts';
import type { EventHead } from '../report/events.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';

/** One item of a stream. `seq` counts from 0 without gaps; `at` is the time of reading, in ms since the epoch. */
export type StreamItem = MessageItem | WarningItem | ErrorItem;

/** A message and its exact line. */
export interface MessageItem extends EventHead {
  readonly kind: 'message';
  readonly message: Message;
  readonly rawJson: string;
}

/** A problem that did not end the run. */
export interface WarningItem extends EventHead {
  readonly kind: 'warning';
  readonly warning: Warning;
}

/** An error that did not end the stream. */
export interface ErrorItem extends EventHead {
  readonly kind: 'error';
  readonly error: CoxswainError;
}

/** The additional items of `items({ permissions: true })`: permission requests and their answers. */
export type PermissionItem = PermissionRequestItem | PermissionAnswerItem;

/** True for an item that only readers with `permissions: true` receive. */
export function isPermissionItem(item: StreamItem | PermissionItem): item is PermissionItem {
  return item.kind === 'permission-requested' || item.kind === 'permission-answered';
}

/** The CLI asks whether a tool may run. */
export interface PermissionRequestItem extends EventHead {
  readonly kind: 'permission-requested';
  /** The id for `answerPermission()` of the query, the session or the pool. */
  readonly id: string;
  readonly request: PermissionRequest;
}

/** A request was answered, or no longer needs an answer. */
export interface PermissionAnswerItem extends EventHead {
  readonly kind: 'permission-answered';
  readonly id: string;
  readonly tool: string;
  /** The decision, or the reason why there is none. */
  readonly decision: string;
  /** Time that the CLI waited for the answer. */
  readonly ms: number;
}

/** All items of a stream. */
export interface Collected {
  /** Messages, warnings and errors that did not end the stream, in order. */
  readonly items: readonly StreamItem[];
  readonly messages: readonly Message[];
  readonly warnings: readonly Warning[];
  /** Errors that did not end the stream. */
  readonly errors: readonly CoxswainError[];
  /** The error that ended the stream. */
  readonly terminalError?: Error;
}
