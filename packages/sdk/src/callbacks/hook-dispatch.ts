import type { Limits } from '../limits.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { isGuardEvent, type NewerDecision } from './abilities.ts';
import {
  answerWith,
  type CallbackAnswer,
  type CallbackDeps,
  CallbackDispatcher,
  CallbackRequest,
  describe,
} from './callback-request.ts';
import { denial, encodeHookResult, stopping } from './encode-hook.ts';
import type { OnFailure } from './hook-events.ts';
import { InputDrift } from './input-drift.ts';
import type { UpdateTerms } from './permission-updates.ts';
import type { RegisteredHook } from './registry.ts';

/** What the dispatcher needs. */
export interface HookDeps extends CallbackDeps {
  readonly hooks: readonly RegisteredHook[];
  readonly limits: Pick<Limits, 'maxRunningHooks' | 'maxWaitingHooks' | 'backlogBytes'>;
  /** True for a decision the CLI is not known to support. */
  readonly ignores: (decision: NewerDecision) => boolean;
  /** Whether results may change permissions. */
  readonly updates: UpdateTerms;
  /** True when the turn of the next prompt was interrupted, so that its prompt must be refused. */
  refusesPrompt(): boolean;
}

/** Calls hooks and encodes their results. */
export class HookDispatcher extends CallbackDispatcher<HookDeps, HookCall> {
  readonly #hooks: ReadonlyMap<unknown, RegisteredHook>;
  readonly #drift: InputDrift;
  readonly #queue = new Set<HookCall>();
  /** Whether the current burst has been warned about. */
  #warned = false;
  #draining = false;

  constructor(deps: HookDeps) {
    super(deps, deps.limits.maxRunningHooks + deps.limits.maxWaitingHooks);
    this.#hooks = new Map(deps.hooks.map((hook) => [hook.id, hook]));
    this.#drift = new InputDrift((warning) => deps.warn(warning));
  }

  /** Handles a `hook_callback` request, whose fields are unchecked; `bytes` is the length of its line. */
  handle(id: string, request: JsonObject, arrivedAt: number, bytes = 0): void {
    if (this.calls.has(id)) return;
    const hook = this.#hooks.get(request.callback_id);
    const input = isJsonObject(request.input) ? request.input : {};
    const named = typeof input.hook_event_name === 'string' ? input.hook_event_name : undefined;
    const event = named ?? hook?.event ?? '';
    if (this.stopped) return this.deps.settled(id, answerWith(failureResponse('session-stop', event)));
    if (hook === undefined) return this.#unknownHook(id, request.callback_id, named);
    if (named === 'UserPromptSubmit' && this.deps.refusesPrompt()) return this.deps.settled(id, PROMPT_REFUSED);
    const tool = typeof input.tool_name === 'string' ? input.tool_name : null;
    const toolUseId = typeof request.tool_use_id === 'string' ? request.tool_use_id : undefined;
    const head = { kind: 'hook', id, name: hook.id, event, tool } as const;
    const callback = new CallbackRequest(head, { requestId: id, toolUseId, arrivedAt }, this.deps);
    const call: HookCall = { hook, event, input, callback };
    this.calls.set(id, call);
    if (named === undefined)
      return this.#fail(call, 'malformed-request', 'the input is not an object with a hook_event_name');
    if (!this.open.admit(id, bytes)) return this.#fail(call, 'overflow');
    this.#drift.check(event, input);
    if (this.#running <= this.deps.limits.maxRunningHooks) this.#start(call);
    else this.#enqueue(call);
  }

  /** Refuses the prompts for which hooks are still running. False if there are none. */
  refusePrompts(): boolean {
    const calls = [...this.calls.values()].filter(({ event }) => event === 'UserPromptSubmit');
    for (const call of calls) this.end(call, 'interrupted', PROMPT_REFUSED, INTERRUPTED);
    return calls.length > 0;
  }

  /** Answers every pending and future request immediately: guard events with a block, the others with "continue". */
  stop(): void {
    this.stopped = true;
    for (const call of [...this.calls.values()]) this.#fail(call, 'session-stop');
  }

  #start(call: HookCall): void {
    const { hook, input, callback } = call;
    // Only the tool's input: no other part of a hook input could be mistaken for what runs.
    const asked = isGuardEvent(call.event) ? JSON.stringify(input.tool_input) : undefined;
    callback.call(
      (context) => hook.run(input, context),
      (result) => this.#finish(call, result, asked),
      (error) => this.#fail(call, 'throw', error),
    );
    if (!callback.ended) this.#expire(call);
  }

  #enqueue(call: HookCall): void {
    const { maxRunningHooks } = this.deps.limits;
    this.#queue.add(call);
    this.#expire(call);
    if (this.#warned) return;
    this.#warned = true;
    const message = `More than ${maxRunningHooks} hooks were requested at once; the others are queued, and their timeouts are already running.`;
    this.deps.warn(warning('callbacks-queued', message, { running: this.#running, limit: maxRunningHooks }));
  }

  #expire(call: HookCall): void {
    call.callback.expireAfter(call.hook.timeoutMs, () => this.#fail(call, 'timeout'));
  }

  #finish(call: HookCall, result: unknown, asked: string | undefined): void {
    if (call.callback.ended) return;
    const { event, input } = call;
    const { ignores, updates } = this.deps;
    const changedInput = asked !== undefined && writtenOf(input.tool_input) !== asked;
    const encoding = encodeHookResult(event, result, { input, ignores, updates, changedInput });
    if (!encoding.ok) return this.#fail(call, 'bad-result', encoding.problem);
    for (const warning of encoding.warnings) {
      this.deps.warn({ ...warning, context: { ...warning.context, hook: call.hook.id } });
    }
    this.end(call, encoding.decision, answerWith(encoding.response, encoding.interrupt));
  }

  #fail(call: HookCall, failure: HookFailure, cause?: unknown): void {
    const { event, hook, callback } = call;
    if (callback.ended) return;
    const policy = failurePolicy(failure, event, hook.onFailure);
    this.deps.warn(hookFailed(call, failure, policy, describe(cause)));
    this.end(call, failure, answerWith(failureResponse(failure, event, policy)), ABORT_REASONS[failure]);
  }

  protected override end(call: HookCall, decision: string, answer?: CallbackAnswer, abortReason?: string): void {
    this.#queue.delete(call);
    super.end(call, decision, answer, abortReason);
    this.#drainQueue();
  }

  get #running(): number {
    return this.calls.size - this.#queue.size;
  }

  #drainQueue(): void {
    // A queued hook that answers synchronously re-enters here; the loop that started it continues.
    if (this.#draining) return;
    this.#draining = true;
    try {
      for (const call of this.#queue) {
        if (this.stopped || this.#running >= this.deps.limits.maxRunningHooks) break;
        this.#queue.delete(call);
        this.#start(call);
      }
    } finally {
      this.#draining = false;
    }
    if (this.#running === 0) this.#warned = false;
  }

  #unknownHook(requestId: string, hook: unknown, event: string | undefined): void {
    const message = 'The CLI called a hook that was never registered; the action continued without it.';
    this.deps.warn(warning('unknown-hook', message, { hook, event, requestId }));
    this.deps.settled(requestId, answerWith({}));
  }
}

/** One request for a hook. */
interface HookCall {
  readonly hook: RegisteredHook;
  readonly event: string;
  readonly input: JsonObject;
  readonly callback: CallbackRequest;
}

/** The JSON of a value; `undefined` if a hook has changed it to one that JSON cannot hold. */
function writtenOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Why a hook did not decide. */
type HookFailure = 'throw' | 'bad-result' | 'malformed-request' | 'timeout' | 'overflow' | 'session-stop';

/**
 * What happens when a hook fails: the hook's `onFailure`, otherwise the CLI's own behaviour. A guard that returned an unusable
 * result meant to decide, so it blocks.
 */
function failurePolicy(failure: HookFailure, event: string, onFailure: OnFailure | undefined): OnFailure {
  const ofEvent = isGuardEvent(event) ? 'block' : 'continue';
  if (failure === 'session-stop') return ofEvent;
  return onFailure ?? (failure === 'throw' ? 'continue' : ofEvent);
}

/** The response to the CLI for a failed hook. Its reason reaches the model and must not reveal internals of the host. */
export function failureResponse(
  failure: HookFailure,
  event: string,
  policy: OnFailure = failurePolicy(failure, event, undefined),
): JsonObject {
  if (policy === 'continue') return {};
  if (failure === 'session-stop') return stopping(event, 'Blocked: the session is being stopped.');
  return denial(event, BLOCK_REASONS[failure] ?? 'Blocked: the hook that guards this failed.');
}

const BLOCK_REASONS: { readonly [F in HookFailure]?: string } = {
  timeout: 'Blocked: the hook that guards this did not answer in time.',
  overflow: 'Blocked: too many hooks are waiting.',
};

function hookFailed(call: HookCall, failure: HookFailure, policy: OnFailure, cause: string | undefined): Warning {
  const { hook, event, callback } = call;
  const what = {
    throw: 'threw',
    'bad-result': 'returned an unusable result',
    'malformed-request': 'got a malformed request',
    timeout: `did not answer within ${hook.timeoutMs} ms`,
    overflow: 'was not called, because the queue of hooks is full',
    'session-stop': 'had not answered when the CLI was ended',
  }[failure];
  const why = cause === undefined ? '' : ` (${cause})`;
  const done = policy === 'block' ? 'the action was blocked' : 'the action continued without it';
  const context = { hook: hook.id, event, failure, policy, requestId: callback.requestId, ms: callback.ageMs };
  const message = `The hook ${hook.id} (${event}) ${what}${why}; ${done}.`;
  return warning('hook-failed', message, cause === undefined ? context : { ...context, cause });
}

const INTERRUPTED = 'The turn was interrupted.';

const PROMPT_REFUSED = answerWith(denial('UserPromptSubmit', INTERRUPTED));

/** The abort reason of the callback's signal, for failures that end a running callback. */
const ABORT_REASONS: { readonly [F in HookFailure]?: string } = {
  timeout: 'The hook took too long; its result is ignored.',
  'session-stop': 'The session is being stopped.',
};
