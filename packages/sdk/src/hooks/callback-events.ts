import type { JsonObject } from '../wire/kinds.ts';

/** What is sent back to the CLI: an answer, or nothing because the CLI has withdrawn its request. */
export type CallbackReply = CallbackAnswer | { readonly kind: 'none' };

/** An answer to the CLI. */
export interface CallbackAnswer {
  readonly kind: 'answer';
  readonly response: JsonObject;
  /** The CLI would go on all the same: the turn must be interrupted, before the answer is sent. */
  readonly interrupt: boolean;
}

/** A callback began or ended, as plain JSON. */
export type CallbackEvent =
  | ({ readonly type: 'callback-started' } & CallbackHead)
  | ({
      readonly type: 'callback-ended';
      /** What was decided, or how the callback failed. */
      readonly decision: string;
      /** Since the request came, waiting included. */
      readonly ms: number;
    } & CallbackHead);

/**
 * The event of a callback that begins. Written out: a spread costs as much as the whole rest of a quick hook. It has room
 * for the number and the time that the report gives it: two changes of its shape would cost a twentieth of one.
 */
export function callbackStarted(
  kind: CallbackHead['kind'],
  id: string,
  name: string,
  event: string | null,
  tool: string | null,
): CallbackEvent {
  const started = { type: 'callback-started' as const, kind, id, name, event, tool, seq: 0, at: Number.NaN };
  return started;
}

/** The event of a callback that has ended. */
export function callbackEnded(
  kind: CallbackHead['kind'],
  id: string,
  name: string,
  event: string | null,
  tool: string | null,
  decision: string,
  ms: number,
): CallbackEvent {
  const ended = { type: 'callback-ended' as const, kind, id, name, event, tool, decision, ms, seq: 0, at: Number.NaN };
  return ended;
}

/** Which callback it is. */
export interface CallbackHead {
  readonly kind: 'hook' | 'permission' | 'tool';
  /** The id of the CLI's request. */
  readonly id: string;
  /** `hook_0`, `canUseTool`. */
  readonly name: string;
  /** The event of a hook. */
  readonly event: string | null;
  readonly tool: string | null;
}

/** A request that is still unanswered. */
export interface PendingCallback extends CallbackHead {
  /** `later`: the callback has left the answer to somebody else. */
  readonly state: 'waiting' | 'running' | 'later';
  readonly sinceMs: number;
}
