import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import type { Limits } from '../limits.ts';
import type { InContext } from '../timing/caller.ts';
import { isThenable } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import type { JsonObject } from '../wire/kinds.ts';
import type { CallbackContext } from './callback-context.ts';
import { OpenRequests } from './open-requests.ts';

/** What every dispatcher of callbacks needs. */
export interface CallbackDeps {
  readonly limits: Pick<Limits, 'backlogBytes'>;
  /** The clock of `arrivedAt`, in ms. */
  now(): number;
  sessionId(): string | undefined;
  /** The caller's async context. */
  context(): InContext;
  warn(warning: Warning): void;
  readonly report: EventSink<CallbackEvent>;
  /** Called exactly once per request; `answer` is `undefined` when the CLI cancelled the request. */
  settled(requestId: string, answer: CallbackAnswer | undefined): void;
}

/** Receives events. */
export interface EventSink<E> {
  /** If nobody receives the event, counts it without building it and returns true; otherwise returns false. */
  skip(): boolean;
  /** `bytes` is the size of the event, if known. */
  event(event: E, bytes?: number): void;
}

/** An answer to the CLI. */
export interface CallbackAnswer {
  readonly response: JsonObject;
  /** The CLI would continue the turn despite the response: interrupt the turn before sending it. */
  readonly interrupt: boolean;
}

/** An answer with this response. */
export function answerWith(response: JsonObject, interrupt = false): CallbackAnswer {
  return { response, interrupt };
}

/** A callback started or ended, as plain JSON. */
export type CallbackEvent =
  | ({ readonly type: 'callback-started' } & CallbackHead)
  | ({
      readonly type: 'callback-ended';
      /** What the callback decided, or how it failed. */
      readonly decision: string;
      /** Since the request arrived, including the time in the queue. */
      readonly ms: number;
    } & CallbackHead);

/** Identifies a callback. */
export type CallbackHead = {
  readonly kind: 'hook' | 'permission' | 'tool';
  /** For a hook, the id of the CLI's request; for a permission, of the `PermissionRequest`; for a tool call, of the tool use. */
  readonly id: string;
  /** `hook_0`, `canUseTool`, or the name of a tool server. */
  readonly name: string;
  /** The event of a hook. */
  readonly event: string | null;
  readonly tool: string | null;
};

/** An unanswered request. */
export interface PendingCallback extends CallbackHead {
  /** `later`: the callback left the answer to `answerPermission()`. */
  readonly state: 'waiting' | 'running' | 'later';
  readonly sinceMs: number;
}

/** A CLI request that a user callback decides. It ends exactly once. */
export class CallbackRequest {
  readonly head: CallbackHead;
  /** The CLI's id of the request, which the answer refers to. */
  readonly requestId: string;
  readonly #toolUseId: string | undefined;
  readonly #arrivedAt: number;
  readonly #deps: CallbackDeps;
  #controller: AbortController | undefined;
  #abortReason: DOMException | undefined;
  #state: PendingCallback['state'] = 'waiting';
  #ended = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    head: CallbackHead,
    cli: { readonly requestId: string; readonly toolUseId: string | undefined; readonly arrivedAt: number },
    deps: CallbackDeps,
  ) {
    this.head = head;
    this.requestId = cli.requestId;
    this.#toolUseId = cli.toolUseId;
    this.#arrivedAt = cli.arrivedAt;
    this.#deps = deps;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get ageMs(): number {
    return this.#deps.now() - this.#arrivedAt;
  }

  get pending(): PendingCallback {
    return { ...this.head, state: this.#state, sinceMs: this.ageMs };
  }

  /** Calls `expire` once the request is `timeoutMs` old, unless it ends before. */
  expireAfter(timeoutMs: number, expire: () => void): void {
    const delay = Math.min(Math.max(Math.ceil(timeoutMs - this.ageMs), 1), LONGEST_TIMER_MS);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(expire, delay);
    // A running CLI keeps the host alive; a timeout alone must not.
    this.#timer.unref();
  }

  /** Calls the callback in the caller's async context, and `done` or `failed` with what it returned or threw. */
  call(
    callback: (context: CallbackContext) => unknown,
    done: (result: unknown, context: CallbackContext) => void,
    failed: (error: unknown) => void,
  ): void {
    const deps = this.#deps;
    this.#state = 'running';
    if (!deps.report.skip()) deps.report.event({ type: 'callback-started', ...this.head });
    const context = this.#context(deps.sessionId());
    try {
      const result: unknown = deps.context()(callback, undefined, context);
      if (!isThenable(result)) return done(result, context);
      Promise.resolve(result).then((value) => done(value, context), failed);
    } catch (error) {
      failed(error);
    }
  }

  /** Reports the end of a running callback. The request stays open. */
  callbackEnded(decision: string): void {
    if (this.#state !== 'running') return;
    this.#state = 'later';
    const { report } = this.#deps;
    if (!report.skip()) report.event({ type: 'callback-ended', ...this.head, decision, ms: this.ageMs });
  }

  /** Ends the request before it is answered: later results are ignored. */
  end(decision: string): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.callbackEnded(decision);
  }

  abort(reason: string): void {
    this.#abortReason = new DOMException(reason, 'AbortError');
    this.#controller?.abort(this.#abortReason);
  }

  /** Most callbacks never read their signal, and a signal costs more than the rest of the request. */
  #context(sessionId: string | undefined): CallbackContext {
    const signal = (): AbortSignal => this.#signal;
    return {
      sessionId,
      toolUseId: this.#toolUseId,
      get signal() {
        return signal();
      },
    };
  }

  get #signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }
}

/** Holds the unanswered requests of one kind. Each is answered exactly once, by whatever ends it first. */
export abstract class CallbackDispatcher<Deps extends CallbackDeps, C extends { readonly callback: CallbackRequest }> {
  protected readonly deps: Deps;
  /** By the CLI's ids. */
  protected readonly calls: Map<string, C> = new Map();
  protected readonly open: OpenRequests;
  protected stopped = false;

  /** @param most the maximum number of open requests */
  constructor(deps: Deps, most: number) {
    this.deps = deps;
    this.open = new OpenRequests(most, deps.limits.backlogBytes);
  }

  /** The unanswered requests, oldest first. */
  get pending(): readonly PendingCallback[] {
    return Array.from(this.calls.values(), ({ callback }) => callback.pending);
  }

  get size(): number {
    return this.calls.size;
  }

  /** Handles the cancellation of a request: aborts its callback and sends no answer. False when there is no such request. */
  cancel(id: string): boolean {
    const call = this.calls.get(id);
    if (call !== undefined) this.end(call, 'cancelled', undefined, 'The CLI cancelled the request.');
    return call !== undefined;
  }

  /** Ends and answers a request, and aborts its callback's signal if a reason is given. */
  protected end(call: C, decision: string, answer: CallbackAnswer | undefined, abortReason?: string): void {
    const { callback } = call;
    // A listener of a warning may have ended it.
    if (callback.ended) return;
    this.calls.delete(callback.requestId);
    this.open.release(callback.requestId);
    callback.end(decision);
    this.reportEnd(call, decision);
    this.deps.settled(callback.requestId, answer);
    if (abortReason !== undefined) callback.abort(abortReason);
  }

  /** Called before an ended request is answered. */
  protected reportEnd(_call: C, _decision: string): void {}
}

/** An exception as one line. Never throws, whatever was thrown. */
export function describe(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  try {
    return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  } catch {
    return 'an exception that cannot be shown';
  }
}
