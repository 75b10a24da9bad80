import { NoSuchPermissionError } from '../errors/control.ts';
import { OptionsError } from '../errors/options.ts';
import {
  type CallbackEvent,
  type CallbackHead,
  type CallbackReply,
  callbackEnded,
  callbackStarted,
  type PendingCallback,
} from '../hooks/callback-events.ts';
import { CancellableContext } from '../hooks/cancellation.ts';
import { Deadlines } from '../hooks/deadlines.ts';
import { describe } from '../hooks/failure.ts';
import { answerWith, isThenable, noAnswer, type OpenRequest, replyTo, settle } from '../hooks/open-request.ts';
import type { InContext } from '../stream/async-context.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { decodePermission } from './decode.ts';
import { denial, encodePermission } from './encode.ts';
import type { CanUseTool, PermissionRequest } from './request.ts';

/** What the dispatcher needs of its surroundings. */
export interface PermissionSurroundings {
  /** Without it every request is refused. */
  readonly canUseTool: CanUseTool | undefined;
  /** 0 means as long as it takes: people may be asked. */
  readonly limits: { readonly permissionTimeoutMs: number };
  /** Milliseconds on the clock that `arrivedAt` is read from. */
  now(): number;
  sessionId(): string | undefined;
  /** The caller's async context. */
  context(): InContext;
  warn(warning: Warning): void;
  report(event: PermissionEvent): void;
}

/** What happens to a permission, as plain JSON. */
export type PermissionEvent =
  | CallbackEvent
  | { readonly type: 'permission-requested'; readonly request: PermissionRequest }
  | {
      readonly type: 'permission-answered';
      readonly id: string;
      readonly tool: string;
      /** What was decided, or how it failed to be. */
      readonly decision: string;
      readonly ms: number;
    };

/** A `can_use_tool` request of the CLI; nothing in it has been checked. */
export interface PermissionArrival {
  readonly requestId: string;
  readonly request: unknown;
  readonly arrivedAt: number;
}

type Failure = 'throw' | 'bad-result' | 'malformed-request' | 'timeout' | 'no-callback';

/**
 * Puts permission requests to `canUseTool` and takes answers from elsewhere. Each request is answered exactly once, by
 * whatever comes first; anything but a usable answer is a refusal.
 */
export class PermissionDispatcher {
  readonly #around: PermissionSurroundings;
  readonly #pending = new Map<string, Pending>();
  readonly #deadlines: Deadlines<Pending>;
  #stopped = false;

  constructor(around: PermissionSurroundings) {
    this.#around = around;
    this.#deadlines = new Deadlines(
      () => around.now(),
      (pending) => this.#fail(pending, 'timeout', undefined),
    );
  }

  /** The answer; a promise of it only when it is not there at once. */
  handle(arrival: PermissionArrival): CallbackReply | Promise<CallbackReply> {
    const { requestId } = arrival;
    const decoded = decodePermission(requestId, arrival.request);
    if (this.#stopped) return stopReply(decoded.ok ? decoded.request : undefined);
    if (!decoded.ok) {
      this.#around.warn(failed('malformed-request', requestId, undefined, decoded.problem));
      return answerWith(denial(undefined, refusal('malformed-request'), false));
    }
    if (this.#pending.has(requestId)) return noAnswer;
    const pending = newPending(decoded.request, arrival.arrivedAt, this.#around.limits.permissionTimeoutMs);
    this.#pending.set(requestId, pending);
    this.#around.report(requested(decoded.request));
    // Whoever was just told may have answered it, or stopped the session.
    if (pending.given === undefined) this.#ask(pending);
    if (pending.given === undefined) this.#deadlines.add(pending);
    return replyTo(pending);
  }

  /** The requests nobody has answered yet, oldest first. */
  pendingPermissions(): PermissionRequest[] {
    return Array.from(this.#pending.values(), ({ request }) => request);
  }

  /**
   * Answers a request from elsewhere; a callback that is still thinking about it has lost.
   * @throws NoSuchPermissionError when nobody waits for it: answered already, withdrawn, or never asked.
   * @throws OptionsError when it is no usable answer; the request stays pending.
   */
  answer(id: string, outcome: unknown): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) throw new NoSuchPermissionError(id);
    const encoding = encodePermission(pending.request, outcome);
    if (!encoding.ok) throw new OptionsError([{ path: 'answer', message: encoding.problem }]);
    if (encoding.later) throw new OptionsError([{ path: 'answer', message: 'decideLater() is no answer' }]);
    for (const warning of encoding.warnings) this.#around.warn(warning);
    this.#end(pending, encoding.decision, answerWith(encoding.response), 'The permission was answered from elsewhere.');
  }

  /** The CLI has withdrawn a request: its callback is aborted and nothing is answered. False when there is no such request. */
  cancel(requestId: string): boolean {
    const pending = this.#pending.get(requestId);
    if (pending === undefined) return false;
    this.#end(pending, 'cancelled', noAnswer, 'The CLI has withdrawn its request.');
    return true;
  }

  /** Refuses everything and ends the turn, at once, now and from now on. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const pending of [...this.#pending.values()]) {
      this.#end(pending, 'session-stop', stopReply(pending.request), 'The session is being stopped.');
    }
    this.#deadlines.clear();
  }

  /** What is unanswered, oldest first. */
  get pending(): readonly PendingCallback[] {
    const now = this.#around.now();
    return Array.from(this.#pending.values(), (pending) => ({
      ...headOf(pending),
      state: pending.calling ? ('running' as const) : ('later' as const),
      sinceMs: now - pending.arrivedAt,
    }));
  }

  #ask(pending: Pending): void {
    const around = this.#around;
    const { canUseTool } = around;
    if (canUseTool === undefined) return void this.#fail(pending, 'no-callback', undefined);
    const { request } = pending;
    pending.calling = true;
    around.report(callbackStarted('permission', request.id, 'canUseTool', null, request.toolName));
    const context = new CancellableContext(around.sessionId(), request.toolUseId);
    pending.context = context;
    try {
      const result: unknown = around.context()(canUseTool, undefined, request, context);
      if (!isThenable(result)) return void this.#finish(pending, result);
      Promise.resolve(result).then(
        (value) => this.#finish(pending, value),
        (error: unknown) => this.#fail(pending, 'throw', error),
      );
    } catch (error) {
      this.#fail(pending, 'throw', error);
    }
  }

  #finish(pending: Pending, result: unknown): void {
    if (pending.given !== undefined) return;
    const encoding = encodePermission(pending.request, result, pending.context);
    if (!encoding.ok) return void this.#fail(pending, 'bad-result', encoding.problem);
    if (encoding.later) return void this.#callbackEnded(pending, 'decideLater');
    for (const warning of encoding.warnings) this.#around.warn(warning);
    this.#end(pending, encoding.decision, answerWith(encoding.response));
  }

  #fail(pending: Pending, failure: Failure, cause: unknown): void {
    if (pending.given !== undefined) return;
    const { request } = pending;
    this.#around.warn(failed(failure, request.id, request.toolName, cause));
    const aborted = failure === 'timeout' ? 'Nobody answered the permission in time.' : undefined;
    this.#end(pending, failure, answerWith(denial(request, refusal(failure), false)), aborted);
  }

  #end(pending: Pending, decision: string, reply: CallbackReply, aborted?: string): void {
    if (pending.given !== undefined) return;
    const { request } = pending;
    this.#pending.delete(request.id);
    this.#deadlines.delete(pending);
    settle(pending, reply);
    this.#callbackEnded(pending, decision);
    this.#around.report(answered(request, decision, this.#around.now() - pending.arrivedAt));
    if (aborted !== undefined) pending.context?.abort(aborted);
  }

  #callbackEnded(pending: Pending, decision: string): void {
    if (!pending.calling) return;
    pending.calling = false;
    const ms = this.#around.now() - pending.arrivedAt;
    const { id, toolName } = pending.request;
    this.#around.report(callbackEnded('permission', id, 'canUseTool', null, toolName, decision, ms));
  }
}

/** One request for a permission. */
interface Pending extends OpenRequest {
  readonly request: PermissionRequest;
  /** Whether the callback has it in hand. */
  calling: boolean;
}

function newPending(request: PermissionRequest, arrivedAt: number, timeoutMs: number): Pending {
  return {
    request,
    arrivedAt,
    deadline: timeoutMs > 0 ? arrivedAt + timeoutMs : Number.POSITIVE_INFINITY,
    context: undefined,
    given: undefined,
    resolve: undefined,
    calling: false,
  };
}

function headOf({ request: { id, toolName: tool } }: Pending): CallbackHead {
  return { kind: 'permission', id, name: 'canUseTool', event: null, tool };
}

function requested(request: PermissionRequest): PermissionEvent {
  const event = { type: 'permission-requested' as const, request, seq: 0, at: Number.NaN };
  return event;
}

function answered({ id, toolName: tool }: PermissionRequest, decision: string, ms: number): PermissionEvent {
  const event = { type: 'permission-answered' as const, id, tool, decision, ms, seq: 0, at: Number.NaN };
  return event;
}

function stopReply(request: PermissionRequest | undefined): CallbackReply {
  return answerWith(denial(request, 'The session is being stopped.', true));
}

/** What the model is told; it says nothing about the host's inside. */
function refusal(failure: Failure): string {
  if (failure === 'timeout') return 'Permission denied: nobody answered in time.';
  if (failure === 'no-callback') return 'Permission denied: there is nobody to ask.';
  return 'Permission denied: the request could not be decided.';
}

function failed(failure: Failure, id: string, tool: string | undefined, cause: unknown): Warning {
  const what = {
    throw: 'canUseTool threw',
    'bad-result': 'canUseTool gave back something unusable',
    'malformed-request': 'the CLI sent a malformed permission request',
    timeout: 'nobody answered a permission request in time',
    'no-callback': 'the CLI asked for a permission, and there is no canUseTool',
  }[failure];
  const reason = describe(cause);
  return warning('permission-failed', `The tool was refused: ${what}${reason === undefined ? '' : ` (${reason})`}.`, {
    id,
    tool,
    failure,
    ...(reason === undefined ? {} : { cause: reason }),
  });
}
