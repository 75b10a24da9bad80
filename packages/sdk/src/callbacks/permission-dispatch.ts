import { NoSuchPermissionError } from '../errors/session.ts';
import type { Limits } from '../limits.ts';
import { copyOfJson } from '../redacted-data.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import {
  answerWith,
  type CallbackAnswer,
  type CallbackDeps,
  CallbackDispatcher,
  type CallbackEvent,
  CallbackRequest,
  describe,
  type EventSink,
} from './callback-request.ts';
import { type PermissionAnswer, usableAnswer } from './check-answer.ts';
import { type CalledWith, decodePermission, denial, encodePermission } from './permission-codec.ts';
import type { CanUseTool, PendingPermission, PermissionRequest } from './permission-request.ts';
import type { UpdateTerms } from './permission-updates.ts';

/** What the dispatcher needs. */
export interface PermissionDeps extends CallbackDeps {
  /** Without it every request is denied. */
  readonly canUseTool: CanUseTool | undefined;
  /** Whether answers may change permissions. */
  readonly updates: UpdateTerms;
  /** 0 means no timeout: a person may be asked. */
  readonly limits: Pick<Limits, 'permissionTimeoutMs' | 'maxOpenRequests' | 'backlogBytes'>;
  readonly report: EventSink<PermissionEvent>;
  /** In a session that resumes a parked request: that request. */
  readonly askedAgain?: RepeatedRequest | undefined;
  /**
   * Decides when to call `write`, if at all. Default: write each answer immediately. `stopping` is true for the denial
   * that is sent because the session stops.
   */
  settle?(requestId: string, answer: CallbackAnswer | undefined, write: () => void, stopping: boolean): void;
  /** A request arrived. */
  requested(request: PermissionRequest): void;
  /** A request was answered, or no longer needs an answer; `ms` is how long the CLI waited. */
  answered(request: PermissionRequest, decision: string, ms: number): void;
}

/** A parked request in the session that resumes it. */
export interface RepeatedRequest {
  /** The answer, if a person has already given one. */
  readonly answer: PermissionAnswer | undefined;
  /** Compares a request with the parked one: the same call, a changed call with the same id, or another call. */
  judge(requestId: string, asked: PermissionRequest): 'same' | 'changed' | 'other';
  /** The request as it was parked. */
  restored(asked: PermissionRequest): PermissionRequest;
}

/** What happens to a permission request, as plain JSON. */
export type PermissionEvent =
  | CallbackEvent
  | { readonly type: 'permission-requested'; readonly id: string; readonly request: PermissionRequest }
  | {
      readonly type: 'permission-answered';
      readonly id: string;
      readonly tool: string;
      /** The decision, or the reason why there is none. */
      readonly decision: string;
      readonly ms: number;
    };

type Failure = 'changed' | 'throw' | 'bad-result' | 'malformed-request' | 'timeout' | 'overflow' | 'no-callback';

/**
 * Passes permission requests to `canUseTool` and takes answers from `answerPermission()`. Anything but a usable answer is a
 * denial.
 */
export class PermissionDispatcher extends CallbackDispatcher<PermissionDeps, Pending> {
  /** The unanswered requests by their own ids. */
  readonly #byId = new Map<string, Pending>();

  constructor(deps: PermissionDeps) {
    const settled: PermissionDeps['settled'] = (id, answer) => {
      const write = (): void => deps.settled(id, answer);
      if (deps.settle) deps.settle(id, answer, write, this.stopped);
      else write();
    };
    super({ ...deps, settled }, deps.limits.maxOpenRequests);
  }

  /**
   * Handles a `can_use_tool` request, whose fields are unchecked; `bytes` is the length of its line. It gets a unique id: another
   * CLI may use the same `requestId`, and a late answer must not reach its request.
   */
  handle(requestId: string, raw: unknown, arrivedAt: number, bytes = 0): void {
    if (this.calls.has(requestId)) return;
    const deps = this.deps;
    const id = crypto.randomUUID();
    const decoded = decodePermission(id, raw, deps.updates);
    if (this.stopped) return deps.settled(requestId, stopAnswer(decoded.ok ? decoded.request : undefined));
    if (!decoded.ok) {
      deps.warn(permissionFailed('malformed-request', id, undefined, decoded.problem));
      return deps.settled(requestId, answerWith(denial(undefined, denialMessage('malformed-request'), false)));
    }
    const again = deps.askedAgain?.judge(requestId, decoded.request);
    if (again === 'changed') {
      return deps.settled(requestId, answerWith(denial(decoded.request, denialMessage('changed'), true)));
    }
    const request = (again === 'same' && deps.askedAgain?.restored(decoded.request)) || decoded.request;
    const answer = again === 'same' ? deps.askedAgain?.answer : undefined;
    const { toolUseId, toolName: tool } = request;
    if (!this.open.admit(requestId, bytes)) {
      deps.warn(permissionFailed('overflow', id, tool, undefined));
      return deps.settled(requestId, answerWith(denial(request, denialMessage('overflow'), false)));
    }
    const head = { kind: 'permission', id, name: 'canUseTool', event: null, tool } as const;
    const pending: Pending = {
      request,
      requestedAt: Date.now(),
      callback: new CallbackRequest(head, { requestId, toolUseId, arrivedAt }, deps),
    };
    this.calls.set(requestId, pending);
    this.#byId.set(id, pending);
    deps.requested(request);
    if (!deps.report.skip()) deps.report.event({ type: 'permission-requested', id, request }, bytes);
    // A listener of the event may have answered the request or stopped the session.
    if (!pending.callback.ended) this.#ask(pending, answer);
    const { permissionTimeoutMs } = deps.limits;
    if (pending.callback.ended || permissionTimeoutMs <= 0) return;
    pending.callback.expireAfter(permissionTimeoutMs, () => this.#fail(pending, 'timeout'));
  }

  /** Copies of the unanswered requests, oldest first. */
  requests(): PendingPermission[] {
    const { permissionTimeoutMs } = this.deps.limits;
    return Array.from(this.calls.values(), ({ request, requestedAt }) => ({
      ...copyOfJson(request),
      requestedAt,
      expiresAt: permissionTimeoutMs > 0 ? requestedAt + permissionTimeoutMs : null,
      job: null,
      key: null,
    }));
  }

  /**
   * Answers a request in place of `canUseTool`, whose result no longer counts.
   * @throws NoSuchPermissionError when the request is not pending: answered, cancelled, or never made
   * @throws OptionsError when the decision is unusable; the request stays pending
   */
  answer(id: string, decision: unknown): void {
    const pending = this.#byId.get(id);
    if (pending === undefined) throw new NoSuchPermissionError(id);
    const encoding = usableAnswer(decision, pending.request, this.deps.updates);
    for (const warning of encoding.warnings) this.deps.warn(warning);
    this.end(pending, encoding.decision, answerWith(encoding.response), 'answerPermission() answered the request.');
  }

  /** Ends a request without an answer: its CLI is about to be ended, and the next CLI will send it again. */
  park(id: string): void {
    const pending = this.#byId.get(id);
    if (pending) this.end(pending, 'parked', undefined, 'The request was parked.');
  }

  /** Denies every pending and future request and ends the turn. */
  stop(): void {
    this.stopped = true;
    for (const pending of [...this.calls.values()]) {
      this.end(pending, 'session-stop', stopAnswer(pending.request), SESSION_STOPS);
    }
  }

  #ask(pending: Pending, given: PermissionAnswer | undefined): void {
    if (given) return this.#give(pending, given);
    const { canUseTool } = this.deps;
    if (canUseTool === undefined) return this.#fail(pending, 'no-callback');
    const { callback } = pending;
    const request = copyOfJson(pending.request);
    callback.call(
      (context) => canUseTool(request, context),
      (result, context) => this.#finish(pending, result, { request, context }),
      (error) => this.#fail(pending, 'throw', error),
    );
  }

  /** Answers with what a person has answered before. */
  #give(pending: Pending, answer: PermissionAnswer): void {
    try {
      this.answer(pending.request.id, answer);
    } catch (error) {
      this.#fail(pending, 'bad-result', error);
    }
  }

  #finish(pending: Pending, result: unknown, called: CalledWith): void {
    if (pending.callback.ended) return;
    const encoding = encodePermission(pending.request, result, { ...this.deps.updates, called });
    if (!encoding.ok) return this.#fail(pending, 'bad-result', encoding.problem);
    if (encoding.later) return pending.callback.callbackEnded('decideLater');
    for (const warning of encoding.warnings) this.deps.warn(warning);
    this.end(pending, encoding.decision, answerWith(encoding.response));
  }

  #fail(pending: Pending, failure: Failure, cause?: unknown): void {
    const { request, callback } = pending;
    if (callback.ended) return;
    this.deps.warn(permissionFailed(failure, request.id, request.toolName, cause));
    const abortReason = failure === 'timeout' ? 'The permission request timed out.' : undefined;
    this.end(pending, failure, answerWith(denial(request, denialMessage(failure), false)), abortReason);
  }

  protected override reportEnd({ request, callback }: Pending, decision: string): void {
    const { id, toolName: tool } = request;
    this.#byId.delete(id);
    const { report } = this.deps;
    const ms = callback.ageMs;
    this.deps.answered(request, decision, ms);
    if (!report.skip()) report.event({ type: 'permission-answered', id, tool, decision, ms });
  }
}

/** One unanswered request. */
interface Pending {
  /** As the CLI sent it. Callbacks and watchers receive copies, so their changes do not affect what runs. */
  readonly request: PermissionRequest;
  readonly requestedAt: number;
  readonly callback: CallbackRequest;
}

const SESSION_STOPS = 'The session is being stopped.';

function stopAnswer(request: PermissionRequest | undefined): CallbackAnswer {
  return answerWith(denial(request, SESSION_STOPS, true));
}

/** The message for the model. It must not reveal internals of the host. */
function denialMessage(failure: Failure): string {
  if (failure === 'timeout') return 'Permission denied: the request timed out.';
  if (failure === 'no-callback') return 'Permission denied: no callback decides permissions.';
  if (failure === 'overflow') return 'Permission denied: too many requests are waiting.';
  return 'Permission denied: the request could not be decided.';
}

function permissionFailed(failure: Failure, id: string, tool: string | undefined, cause: unknown): Warning {
  const what = {
    throw: 'canUseTool threw',
    changed: 'the CLI sent a request that differs from the parked one',
    'bad-result': 'canUseTool returned an unusable result',
    'malformed-request': 'the CLI sent a malformed permission request',
    timeout: 'the permission request timed out',
    overflow: 'more permission requests are waiting than limits.maxOpenRequests, or limits.backlogBytes, allows',
    'no-callback': 'the CLI asked for a permission, and the option canUseTool is not set',
  }[failure];
  const reason = describe(cause);
  return warning('permission-failed', `The tool was refused: ${what}${reason === undefined ? '' : ` (${reason})`}.`, {
    id,
    tool,
    failure,
    ...(reason === undefined ? {} : { cause: reason }),
  });
}
