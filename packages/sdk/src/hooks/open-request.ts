import type { JsonObject } from '../wire/kinds.ts';
import type { CallbackReply } from './callback-events.ts';
import type { CancellableContext } from './cancellation.ts';

/**
 * A request of the CLI on its way to the one answer it gets. Made as one literal: classes that extend each other cost a
 * quick hook four calls more.
 */
export interface OpenRequest {
  readonly arrivedAt: number;
  readonly deadline: number;
  /** Set once the callback has been called. */
  context: CancellableContext | undefined;
  /** The answer, once there is one. */
  given: CallbackReply | undefined;
  /** Set when somebody waits for the answer. */
  resolve: ((reply: CallbackReply) => void) | undefined;
}

/** Gives a request its answer. */
export function settle(request: OpenRequest, reply: CallbackReply): void {
  request.given = reply;
  request.resolve?.(reply);
}

/** The reply itself when it is there already. */
export function replyTo(request: OpenRequest): CallbackReply | Promise<CallbackReply> {
  if (request.given !== undefined) return request.given;
  return new Promise((resolve) => {
    request.resolve = resolve;
  });
}

/** The reply to a request that the CLI has withdrawn. */
export const noAnswer: CallbackReply = { kind: 'none' };

/** A reply with an answer in it. */
export function answerWith(response: JsonObject, interrupt = false): CallbackReply {
  return { kind: 'answer', response, interrupt };
}

/** True when a callback has not decided yet. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
