import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import { defaultLimits, type Limits } from '../limits.ts';
import type { JsonObject } from '../wire/kinds.ts';
import type { CallbackContext } from './callback-context.ts';
import type { Hook, HookList, HookResult, Hooks, OnFailure } from './hook-events.ts';

export interface RegisteredHook {
  /** `hook_0`, `hook_1` … in the order of registration. */
  readonly id: string;
  readonly event: string;
  readonly matcher: string | null;
  /** The input has the type of the hook's event; the registry holds hooks of all events. */
  run(input: JsonObject, context: CallbackContext): HookResult | Promise<HookResult>;
  readonly timeoutMs: number;
  readonly onFailure: OnFailure | undefined;
}

export interface HookRegistry {
  readonly entries: readonly RegisteredHook[];
  /** The declarations for `initialize.hooks` by event; `undefined` when there are no hooks. */
  readonly initialize: Readonly<Record<string, readonly JsonObject[]>> | undefined;
}

type HookTimeouts = Pick<Limits, 'hookTimeoutMs'>;

/** The CLI waits this much longer than the SDK, so that the SDK's failure policy decides. */
const MARGIN_SECONDS = 10;

/** The CLI's timeout, in whole seconds and with the margin, must not overflow a timer. */
const LONGEST_TIMEOUT_MS = (Math.floor(LONGEST_TIMER_MS / 1_000) - MARGIN_SECONDS) * 1_000;

/** Numbers the hooks and builds their declarations. */
export function buildRegistry(hooks: Hooks | undefined, limits: HookTimeouts): HookRegistry {
  const entries: RegisteredHook[] = [];
  const declared = new Map<string, JsonObject[]>();
  for (const [event, given] of Object.entries<HookList<never> | undefined>(hooks ?? {})) {
    for (const hook of given === undefined ? [] : hooksOf(given)) {
      const entry = register(`hook_${entries.length}`, event, hook, limits);
      entries.push(entry);
      declared.set(event, [...(declared.get(event) ?? []), declare(entry)]);
    }
  }
  return { entries, initialize: declared.size === 0 ? undefined : Object.fromEntries(declared) };
}

function hooksOf(list: HookList<never>): readonly Hook<never>[] {
  const all = typeof list === 'function' || 'run' in list ? [list] : list;
  return all.map((hook) => (typeof hook === 'function' ? { run: hook } : hook));
}

function register(id: string, event: string, hook: Hook<never>, limits: HookTimeouts): RegisteredHook {
  const timeout = hook.timeoutMs ?? timeoutOf(event, limits);
  return {
    id,
    event,
    matcher: hook.matcher ?? null,
    // The CLI names the event of each request, and the hook is registered for that event: the input has its type.
    run: hook.run.bind(hook) as RegisteredHook['run'],
    timeoutMs: timeout <= 0 ? LONGEST_TIMEOUT_MS : Math.min(timeout, LONGEST_TIMEOUT_MS),
    onFailure: hook.onFailure,
  };
}

function timeoutOf(event: string, { hookTimeoutMs }: HookTimeouts): number {
  if (typeof hookTimeoutMs === 'number') return hookTimeoutMs;
  const ofEvent = Object.hasOwn(hookTimeoutMs, event) ? hookTimeoutMs[event] : undefined;
  return ofEvent ?? defaultLimits.hookTimeoutMs;
}

function declare({ id, matcher, timeoutMs, onFailure }: RegisteredHook): JsonObject {
  const timeout = Math.ceil(timeoutMs / 1_000) + MARGIN_SECONDS;
  return { matcher, hookCallbackIds: [id], timeout, ...(onFailure === 'block' ? { onFailure } : {}) };
}
