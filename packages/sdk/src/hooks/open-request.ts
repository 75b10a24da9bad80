import type { JsonObject } from '../wire/kinds.ts';
import type { CallbackReply } from './callback-events.ts';
import type { CancellableContext } from './cancellation.ts';

/** A request of the CLI on its way to the one answer it gets. */
export class OpenRequest {
  readonly arrivedAt: number;
  readonly deadline: number;
  /** Set once the callback has been called. */
  context: CancellableContext | undefined;
  private given: CallbackReply | undefined;
  private resolveReply: ((reply: CallbackReply) => void) | undefined;

  constructor(arrivedAt: number, timeoutMs: number) {
    this.arrivedAt = arrivedAt;
    this.deadline = arrivedAt + timeoutMs;
  }

  get settled(): boolean {
    return this.given !== undefined;
  }

  settle(reply: CallbackReply): void {
    this.given = reply;
    this.resolveReply?.(reply);
  }

  /** The reply itself when it is there already. */
  reply(): CallbackReply | Promise<CallbackReply> {
    if (this.given !== undefined) return this.given;
    return new Promise((resolve) => {
      this.resolveReply = resolve;
    });
  }
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
