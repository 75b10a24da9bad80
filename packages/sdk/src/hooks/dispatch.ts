import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import {
  type CallbackEvent,
  type CallbackHead,
  type CallbackReply,
  callbackEnded,
  callbackStarted,
  headOf,
  type PendingCallback,
} from './callback-events.ts';
import { CancellableContext } from './cancellation.ts';
import { Deadlines } from './deadlines.ts';
import { encodeHookOutcome, strongestBlock } from './encode.ts';
import { blockReason, failurePolicy, type HookFailure, hookFailed } from './failure.ts';
import { InputWatch } from './input-watch.ts';
import type { LateOutcome } from './obeyed.ts';
import { answerWith, isThenable, noAnswer, OpenRequest } from './open-request.ts';
import type { RegisteredHook } from './registry.ts';

/** What the dispatcher needs of its surroundings. */
export interface HookSurroundings {
  readonly hooks: readonly RegisteredHook[];
  readonly limits: { readonly maxRunningHooks: number; readonly maxWaitingHooks: number };
  /** Milliseconds on the clock that `arrivedAt` is read from. */
  now(): number;
  sessionId(): string | undefined;
  /** What the CLI is not known to obey. */
  lacks(): ReadonlySet<LateOutcome>;
  /** Runs a callback in the caller's async context. */
  inContext<T>(run: () => T): T;
  warn(warning: Warning): void;
  report(event: CallbackEvent): void;
}

/**
 * Calls hooks and makes the CLI's answers of what they say. Each request is answered exactly once, by whatever comes
 * first: result, throw, timeout, cancel or stop.
 */
export class HookDispatcher {
  private readonly around: HookSurroundings;
  private readonly hooks: ReadonlyMap<unknown, RegisteredHook>;
  private readonly watch: InputWatch;
  private readonly deadlines: Deadlines<Call>;
  /** Everything unanswered, waiting ones included. */
  private readonly calls = new Map<string, Call>();
  private readonly waiting = new Set<Call>();
  private running = 0;
  /** Whether the warning of this burst has been given. */
  private burst = false;
  private starting = false;
  private stopped = false;

  constructor(around: HookSurroundings) {
    this.around = around;
    this.hooks = new Map(around.hooks.map((hook) => [hook.id, hook]));
    this.watch = new InputWatch((warning) => around.warn(warning));
    this.deadlines = new Deadlines(
      () => around.now(),
      (call) => this.fail(call, 'timeout'),
    );
  }

  /** Takes a `hook_callback` request, unchecked. Gives the answer; a promise of it only when it is not there at once. */
  handle(id: string, request: JsonObject, arrivedAt: number): CallbackReply | Promise<CallbackReply> {
    const hook = this.hooks.get(request.callback_id);
    const input = isJsonObject(request.input) ? request.input : {};
    const event = typeof input.hook_event_name === 'string' ? input.hook_event_name : undefined;
    if (this.stopped) return answerWith(stopAnswer(event ?? hook?.event));
    if (hook === undefined) return this.unknownHook(id, request.callback_id, event);
    if (this.calls.has(id)) return noAnswer;
    const call = new Call(id, hook, { event: event ?? hook.event, input, toolUseId: request.tool_use_id, arrivedAt });
    this.calls.set(id, call);
    if (event === undefined) {
      this.fail(call, 'malformed-request', 'no object with a hook_event_name');
    } else {
      this.watch.look(event, input);
      this.admit(call);
    }
    return call.reply();
  }

  /** The CLI has withdrawn a request: its callback is aborted and nothing is answered. False when there is no such request. */
  cancel(requestId: string): boolean {
    const call = this.calls.get(requestId);
    if (call === undefined) return false;
    this.end(call, 'cancelled', noAnswer, 'The CLI has withdrawn its request.');
    return true;
  }

  /** Answers everything at once, now and from now on: guard events with a block, the others with "go on". */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    for (const call of [...this.calls.values()]) this.fail(call, 'session-stop');
    this.deadlines.clear();
  }

  /** What is unanswered, oldest first. */
  get pending(): readonly PendingCallback[] {
    const now = this.around.now();
    return [...this.calls.values()].map((call) => ({
      ...headOf(call),
      state: this.waiting.has(call) ? 'waiting' : 'running',
      sinceMs: now - call.arrivedAt,
    }));
  }

  private admit(call: Call): void {
    const { maxRunningHooks, maxWaitingHooks } = this.around.limits;
    if (this.running < maxRunningHooks) return void this.start(call);
    if (this.waiting.size >= maxWaitingHooks) return void this.fail(call, 'overflow');
    this.waiting.add(call);
    this.setDeadline(call);
    if (this.burst) return;
    this.burst = true;
    this.around.warn(
      warning(
        'callbacks-queued',
        `More than ${maxRunningHooks} hooks were asked for at once; the rest wait for their turn, and their time runs.`,
        { running: this.running, limit: maxRunningHooks },
      ),
    );
  }

  private start(call: Call): void {
    const around = this.around;
    this.running += 1;
    call.started = true;
    around.report(callbackStarted(call));
    const context = new CancellableContext(around.sessionId(), call.toolUseId);
    call.context = context;
    try {
      const result = around.inContext(() => call.hook.run(call.input, context));
      if (!isThenable(result)) return void this.finish(call, result);
      if (!call.settled) this.setDeadline(call);
      Promise.resolve(result).then(
        (value) => this.finish(call, value),
        (error: unknown) => this.fail(call, 'throw', error),
      );
    } catch (error) {
      this.fail(call, 'throw', error);
    }
  }

  /** A hook that answers at once never gets here. */
  private setDeadline(call: Call): void {
    call.timed = true;
    this.deadlines.add(call);
  }

  private finish(call: Call, result: unknown): void {
    if (call.settled) return;
    if (result === undefined || result === null) return void this.end(call, 'continue', GO_ON);
    const encoding = encodeHookOutcome(call.event, result, {
      input: call.input,
      lacks: this.around.lacks(),
    });
    if (!encoding.ok) return void this.fail(call, 'bad-result', encoding.problem);
    for (const warning of encoding.warnings) {
      this.around.warn({ ...warning, context: { ...warning.context, hook: call.hook.id } });
    }
    this.end(call, encoding.decision, answerWith(encoding.response, encoding.interrupt));
  }

  private fail(call: Call, failure: HookFailure, cause?: unknown): void {
    if (call.settled) return;
    const { id, event, hook } = call;
    const policy = failurePolicy(failure, event, hook.onFailure);
    const reason = blockReason(failure);
    const response = policy === 'block' ? strongestBlock(event, reason, { stopping: failure === 'session-stop' }) : {};
    const ms = this.around.now() - call.arrivedAt;
    this.around.warn(hookFailed(hook, { event, failure, policy, requestId: id, ms, cause }));
    this.end(call, failure, answerWith(response), abortReason(failure));
  }

  private end(call: Call, decision: string, reply: CallbackReply, aborted?: string): void {
    if (call.settled) return;
    this.calls.delete(call.id);
    if (call.timed) {
      this.waiting.delete(call);
      this.deadlines.delete(call);
    }
    call.settle(reply);
    if (call.started) {
      this.running -= 1;
      const ms = this.around.now() - call.arrivedAt;
      this.around.report(callbackEnded(call, decision, ms));
    }
    if (aborted !== undefined) call.context?.abort(aborted);
    if (this.waiting.size > 0) this.startWaiting();
    else if (this.running === 0) this.burst = false;
  }

  private startWaiting(): void {
    // A hook that answers at once ends up here again; the loop that started it goes on by itself.
    if (this.starting) return;
    this.starting = true;
    try {
      for (const call of this.waiting) {
        if (this.stopped || this.running >= this.around.limits.maxRunningHooks) break;
        this.waiting.delete(call);
        this.start(call);
      }
    } finally {
      this.starting = false;
    }
    if (this.running === 0) this.burst = false;
  }

  private unknownHook(requestId: string, hook: unknown, event: string | undefined): CallbackReply {
    this.around.warn(
      warning('unknown-hook', 'The CLI asked for a hook that was never registered; things went on without it.', {
        hook,
        event,
        requestId,
      }),
    );
    return answerWith({});
  }
}

/** The answer to most requests: a hook that only looks. */
const GO_ON: CallbackReply = answerWith(Object.freeze({}));

/** One request for a hook. */
class Call extends OpenRequest implements CallbackHead {
  readonly kind = 'hook';
  readonly id: string;
  readonly name: string;
  readonly hook: RegisteredHook;
  readonly event: string;
  readonly tool: string | null;
  readonly toolUseId: string | undefined;
  readonly input: JsonObject;
  started = false;
  timed = false;

  constructor(
    id: string,
    hook: RegisteredHook,
    request: { event: string; input: JsonObject; toolUseId: unknown; arrivedAt: number },
  ) {
    super(request.arrivedAt, hook.timeoutMs);
    const { input, toolUseId } = request;
    this.id = id;
    this.name = hook.id;
    this.hook = hook;
    this.event = request.event;
    this.tool = typeof input.tool_name === 'string' ? input.tool_name : null;
    this.toolUseId = typeof toolUseId === 'string' ? toolUseId : undefined;
    this.input = input;
  }
}

function stopAnswer(event = ''): JsonObject {
  return strongestBlock(event, blockReason('session-stop'), { stopping: true });
}

/** What the callback's signal says; nothing when the callback is over by itself. */
function abortReason(failure: HookFailure): string | undefined {
  if (failure === 'timeout') return 'The hook took too long; its answer is not waited for any more.';
  return failure === 'session-stop' ? 'The session is being stopped.' : undefined;
}
