import type { InContext } from '../timing/caller.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { NO_ANSWER } from '../wire/control.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import {
  type CallbackEvent,
  type CallbackHead,
  type CallbackReply,
  callbackEnded,
  callbackStarted,
  type PendingCallback,
} from './callback-events.ts';
import { CancellableContext } from './cancellation.ts';
import { Deadlines } from './deadlines.ts';
import { encodeHookOutcome, strongestBlock } from './encode.ts';
import { blockReason, failurePolicy, type HookFailure, hookFailed } from './failure.ts';
import { InputWatch } from './input-watch.ts';
import type { LateOutcome } from './obeyed.ts';
import { answerWith, isThenable, noAnswer, type OpenRequest, replyTo, settle } from './open-request.ts';
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
  /** A prompt that is about to be asked about was interrupted. */
  refusesPrompt(): boolean;
  /** The caller's async context. */
  context(): InContext;
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
    if (event === 'UserPromptSubmit' && this.around.refusesPrompt()) return answerWith(promptRefusal());
    const arrival: Arrival = { id, hook, event: event ?? hook.event, input, toolUseId: request.tool_use_id, arrivedAt };
    if (event === undefined) {
      const call = this.remember(arrival);
      this.fail(call, 'malformed-request', 'no object with a hook_event_name');
      return replyTo(call);
    }
    this.watch.look(event, input);
    if (this.running < this.around.limits.maxRunningHooks) return this.callNow(arrival);
    const call = this.remember(arrival);
    this.queue(call);
    return replyTo(call);
  }

  /** Refuses the prompts that hooks are thinking about. False when there are none. */
  refusePrompts(): boolean {
    const calls = [...this.calls.values()].filter(({ event }) => event === 'UserPromptSubmit');
    for (const call of calls) {
      this.end(call, 'interrupted', answerWith(promptRefusal()), 'The turn was interrupted.');
    }
    return calls.length > 0;
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

  private queue(call: Call): void {
    const { maxRunningHooks, maxWaitingHooks } = this.around.limits;
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

  /**
   * Calls a hook. Most have nothing to say and say so before they return: of those nothing is remembered, which spares
   * the first 5,000 of a process 3 %.
   */
  private callNow(arrival: Arrival): CallbackReply | Promise<CallbackReply> {
    const context = this.begin(arrival);
    let call: Call | undefined;
    try {
      const result = this.around.context()(arrival.hook.run, undefined, arrival.input, context);
      if (result === undefined && !this.stopped) {
        this.close(arrival, 'continue');
        return GO_ON;
      }
      call = this.remember(arrival, context);
      if (this.stopped) this.fail(call, 'session-stop');
      else this.follow(call, result);
    } catch (error) {
      call ??= this.remember(arrival, context);
      this.fail(call, this.stopped ? 'session-stop' : 'throw', error);
    }
    return replyTo(call);
  }

  /** Calls a hook that has waited. */
  private start(call: Call): void {
    call.context = this.begin(call);
    try {
      this.follow(call, this.around.context()(call.hook.run, undefined, call.input, call.context));
    } catch (error) {
      this.fail(call, 'throw', error);
    }
  }

  private begin({ id, hook, event, input, toolUseId }: Arrival): CancellableContext {
    this.running += 1;
    this.around.report(callbackStarted('hook', id, hook.id, event, toolOf(input)));
    return new CancellableContext(this.around.sessionId(), typeof toolUseId === 'string' ? toolUseId : undefined);
  }

  private close({ id, hook, event, input, arrivedAt }: Arrival, decision: string): void {
    this.running -= 1;
    const ms = this.around.now() - arrivedAt;
    this.around.report(callbackEnded('hook', id, hook.id, event, toolOf(input), decision, ms));
    if (this.waiting.size > 0) this.startWaiting();
    else if (this.running === 0) this.burst = false;
  }

  private remember(arrival: Arrival, context?: CancellableContext): Call {
    const deadline = arrival.arrivedAt + arrival.hook.timeoutMs;
    // Spread last: each object to which something is added behind a spread costs 4 µs on Node 20.
    const call: Call = { deadline, context, given: undefined, resolve: undefined, timed: false, ...arrival };
    this.calls.set(call.id, call);
    return call;
  }

  /** Takes what a hook gave back, or waits for it. */
  private follow(call: Call, result: unknown): void {
    if (!isThenable(result)) return void this.finish(call, result);
    if (call.given === undefined) this.setDeadline(call);
    Promise.resolve(result).then(
      (value) => this.finish(call, value),
      (error: unknown) => this.fail(call, 'throw', error),
    );
  }

  /** A hook that answers at once never gets here. */
  private setDeadline(call: Call): void {
    call.timed = true;
    this.deadlines.add(call);
  }

  private finish(call: Call, result: unknown): void {
    if (call.given !== undefined) return;
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
    if (call.given !== undefined) return;
    const { id, event, hook } = call;
    const policy = failurePolicy(failure, event, hook.onFailure);
    const reason = blockReason(failure);
    const response = policy === 'block' ? strongestBlock(event, reason, { stopping: failure === 'session-stop' }) : {};
    const ms = this.around.now() - call.arrivedAt;
    this.around.warn(hookFailed(hook, { event, failure, policy, requestId: id, ms, cause }));
    this.end(call, failure, answerWith(response), abortReason(failure));
  }

  private end(call: Call, decision: string, reply: CallbackReply, aborted?: string): void {
    if (call.given !== undefined) return;
    this.calls.delete(call.id);
    if (call.timed) {
      this.waiting.delete(call);
      this.deadlines.delete(call);
    }
    settle(call, reply);
    if (call.context !== undefined) this.close(call, decision);
    if (aborted !== undefined) call.context?.abort(aborted);
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
const GO_ON: CallbackReply = answerWith(NO_ANSWER);

/** One request for a hook. */
interface Arrival {
  readonly id: string;
  readonly hook: RegisteredHook;
  readonly event: string;
  readonly input: JsonObject;
  /** As it came. */
  readonly toolUseId: unknown;
  readonly arrivedAt: number;
}

/** One that was not answered at once. */
interface Call extends Arrival, OpenRequest {
  /** Whether its time is being watched. */
  timed: boolean;
}

function headOf({ id, hook, event, input }: Call): CallbackHead {
  return { kind: 'hook', id, name: hook.id, event, tool: toolOf(input) };
}

function toolOf(input: JsonObject): string | null {
  return typeof input.tool_name === 'string' ? input.tool_name : null;
}

function promptRefusal(): JsonObject {
  return strongestBlock('UserPromptSubmit', 'The turn was interrupted.', { stopping: false });
}

function stopAnswer(event = ''): JsonObject {
  return strongestBlock(event, blockReason('session-stop'), { stopping: true });
}

/** What the callback's signal says; nothing when the callback is over by itself. */
function abortReason(failure: HookFailure): string | undefined {
  if (failure === 'timeout') return 'The hook took too long; its answer is not waited for any more.';
  return failure === 'session-stop' ? 'The session is being stopped.' : undefined;
}
