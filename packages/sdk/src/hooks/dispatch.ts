import { type Warning, warning } from '../warnings/warning.ts';
import type { JsonObject } from '../wire/kinds.ts';
import {
  type CallbackEvent,
  type CallbackHead,
  type CallbackReply,
  callbackEnded,
  callbackStarted,
  type PendingCallback,
} from './callback-events.ts';
import { LazyContext } from './cancellation.ts';
import { Deadlines } from './deadlines.ts';
import { encodeHookOutcome, type HookFacts, strongestBlock } from './encode.ts';
import { blockReason, failurePolicy, type HookFailure, hookFailed } from './failure.ts';
import { InputWatch } from './input-watch.ts';
import { answerWith, isThenable, noAnswer, OpenRequest } from './open-request.ts';
import { isJsonObject } from './plain-json.ts';
import type { RegisteredHook } from './registry.ts';

/** What the dispatcher needs of its surroundings. */
export interface HookSurroundings {
  readonly hooks: readonly RegisteredHook[];
  readonly limits: { readonly maxRunningHooks: number; readonly maxWaitingHooks: number };
  /** Milliseconds on the clock that `arrivedAt` is read from. */
  now(): number;
  sessionId(): string | undefined;
  /** Runs a callback in the caller's async context. */
  inContext<T>(run: () => T): T;
  warn(warning: Warning): void;
  report(event: CallbackEvent): void;
}

/** A `hook_callback` request of the CLI; nothing in it has been checked. */
export interface HookRequest {
  readonly requestId: string;
  readonly callbackId: unknown;
  readonly input: unknown;
  readonly toolUseId: unknown;
  readonly arrivedAt: number;
}

/**
 * Calls hooks and makes the CLI's answers of what they say. Each request is answered exactly once, by whatever comes
 * first: result, throw, timeout, cancel or stop.
 */
export class HookDispatcher {
  readonly #around: HookSurroundings;
  readonly #hooks: ReadonlyMap<unknown, RegisteredHook>;
  readonly #watch: InputWatch;
  readonly #deadlines: Deadlines<Call>;
  /** Everything unanswered, waiting ones included. */
  readonly #calls = new Map<string, Call>();
  readonly #waiting = new Set<Call>();
  #running = 0;
  /** Whether the warning of this burst has been given. */
  #burst = false;
  #starting = false;
  #stopped = false;

  constructor(around: HookSurroundings) {
    this.#around = around;
    this.#hooks = new Map(around.hooks.map((hook) => [hook.id, hook]));
    this.#watch = new InputWatch((warning) => around.warn(warning));
    this.#deadlines = new Deadlines(
      () => around.now(),
      (call) => this.#fail(call, 'timeout'),
    );
  }

  /** The answer; a promise of it only when it is not there at once. */
  handle(request: HookRequest, facts: HookFacts): CallbackReply | Promise<CallbackReply> {
    const hook = this.#hooks.get(request.callbackId);
    const event = eventOf(request.input);
    if (this.#stopped) return answerWith(stopAnswer(event ?? hook?.event));
    if (hook === undefined) return this.#unknownHook(request, event);
    if (this.#calls.has(request.requestId)) return noAnswer;
    const call = new Call(request, hook, event ?? hook.event, facts);
    this.#calls.set(request.requestId, call);
    if (!isJsonObject(request.input) || event === undefined) {
      this.#fail(call, 'malformed-request', 'no object with a hook_event_name');
    } else {
      this.#watch.look(event, request.input);
      this.#admit(call, request.input);
    }
    return call.reply();
  }

  /** The CLI has withdrawn a request: its callback is aborted and nothing is answered. False when there is no such request. */
  cancel(requestId: string): boolean {
    const call = this.#calls.get(requestId);
    if (call === undefined) return false;
    this.#end(call, 'cancelled', noAnswer, 'The CLI has withdrawn its request.');
    return true;
  }

  /** Answers everything at once, now and from now on: guard events with a block, the others with "go on". */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const call of [...this.#calls.values()]) this.#fail(call, 'session-stop');
    this.#deadlines.clear();
  }

  /** What is unanswered, oldest first. */
  get pending(): readonly PendingCallback[] {
    const now = this.#around.now();
    return [...this.#calls.values()].map((call) => ({
      ...call.head,
      state: this.#waiting.has(call) ? 'waiting' : 'running',
      sinceMs: now - call.arrivedAt,
    }));
  }

  #admit(call: Call, input: JsonObject): void {
    const { maxRunningHooks, maxWaitingHooks } = this.#around.limits;
    if (this.#running < maxRunningHooks) return void this.#start(call, input);
    if (this.#waiting.size >= maxWaitingHooks) return void this.#fail(call, 'overflow');
    this.#waiting.add(call);
    this.#deadlines.add(call);
    if (this.#burst) return;
    this.#burst = true;
    this.#around.warn(
      warning(
        'callbacks-queued',
        `More than ${maxRunningHooks} hooks were asked for at once; the rest wait for their turn, and their time runs.`,
        { running: this.#running, limit: maxRunningHooks },
      ),
    );
  }

  #start(call: Call, input: JsonObject): void {
    const around = this.#around;
    this.#running += 1;
    call.started = true;
    around.report(callbackStarted(call.head));
    const context = new LazyContext(around.sessionId(), call.toolUseId, call.cancellation);
    try {
      const result = around.inContext(() => call.hook.run(input, context));
      if (!isThenable(result)) return void this.#finish(call, result);
      if (!call.settled) this.#deadlines.add(call);
      Promise.resolve(result).then(
        (value) => this.#finish(call, value),
        (error: unknown) => this.#fail(call, 'throw', error),
      );
    } catch (error) {
      this.#fail(call, 'throw', error);
    }
  }

  #finish(call: Call, result: unknown): void {
    if (call.settled) return;
    const encoding = encodeHookOutcome(call.event, result, call.facts());
    if (!encoding.ok) return void this.#fail(call, 'bad-result', encoding.problem);
    for (const warning of encoding.warnings) {
      this.#around.warn({ ...warning, context: { ...warning.context, hook: call.hook.id } });
    }
    this.#end(call, encoding.decision, answerWith(encoding.response, encoding.interrupt));
  }

  #fail(call: Call, failure: HookFailure, cause?: unknown): void {
    if (call.settled) return;
    const { event, hook, request } = call;
    const policy = failurePolicy(failure, event, hook.onFailure);
    const reason = blockReason(failure);
    const response = policy === 'block' ? strongestBlock(event, reason, { stopping: failure === 'session-stop' }) : {};
    const ms = this.#around.now() - call.arrivedAt;
    this.#around.warn(hookFailed(hook, { event, failure, policy, requestId: request.requestId, ms, cause }));
    this.#end(call, failure, answerWith(response), abortReason(failure));
  }

  #end(call: Call, decision: string, reply: CallbackReply, aborted?: string): void {
    if (call.settled) return;
    this.#calls.delete(call.request.requestId);
    this.#waiting.delete(call);
    this.#deadlines.delete(call);
    call.settle(reply);
    if (call.started) {
      this.#running -= 1;
      const ms = this.#around.now() - call.arrivedAt;
      this.#around.report(callbackEnded(call.head, decision, ms));
    }
    if (aborted !== undefined) call.cancellation.abort(aborted);
    this.#startWaiting();
  }

  #startWaiting(): void {
    // A hook that answers at once ends up here again; the loop that started it goes on by itself.
    if (this.#starting) return;
    this.#starting = true;
    try {
      for (const call of this.#waiting) {
        if (this.#stopped || this.#running >= this.#around.limits.maxRunningHooks) break;
        this.#waiting.delete(call);
        // The input was checked when the request came.
        this.#start(call, call.request.input as JsonObject);
      }
    } finally {
      this.#starting = false;
    }
    if (this.#running === 0) this.#burst = false;
  }

  #unknownHook(request: HookRequest, event: string | undefined): CallbackReply {
    this.#around.warn(
      warning('unknown-hook', 'The CLI asked for a hook that was never registered; things went on without it.', {
        hook: request.callbackId,
        event,
        requestId: request.requestId,
      }),
    );
    return answerWith({});
  }
}

/** One request for a hook. */
class Call extends OpenRequest {
  readonly request: HookRequest;
  readonly hook: RegisteredHook;
  readonly event: string;
  readonly #facts: HookFacts;
  started = false;

  constructor(request: HookRequest, hook: RegisteredHook, event: string, facts: HookFacts) {
    super(request.arrivedAt, hook.timeoutMs);
    this.request = request;
    this.hook = hook;
    this.event = event;
    this.#facts = facts;
  }

  get toolUseId(): string | undefined {
    return typeof this.request.toolUseId === 'string' ? this.request.toolUseId : undefined;
  }

  get head(): CallbackHead {
    const { requestId, input } = this.request;
    const tool = isJsonObject(input) && typeof input.tool_name === 'string' ? input.tool_name : null;
    return { kind: 'hook', id: requestId, name: this.hook.id, event: this.event, tool };
  }

  facts(): HookFacts {
    const { input } = this.request;
    return { obeysStop: this.#facts.obeysStop, input: isJsonObject(input) ? input : undefined };
  }
}

function eventOf(input: unknown): string | undefined {
  return isJsonObject(input) && typeof input.hook_event_name === 'string' ? input.hook_event_name : undefined;
}

function stopAnswer(event = ''): JsonObject {
  return strongestBlock(event, blockReason('session-stop'), { stopping: true });
}

/** What the callback's signal says; nothing when the callback is over by itself. */
function abortReason(failure: HookFailure): string | undefined {
  if (failure === 'timeout') return 'The hook took too long; its answer is not waited for any more.';
  return failure === 'session-stop' ? 'The session is being stopped.' : undefined;
}
