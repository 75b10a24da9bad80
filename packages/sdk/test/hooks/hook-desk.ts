import { outcomesLackedBy } from '../../src/cli/feature-gate.ts';
import type { CallbackEvent, CallbackReply } from '../../src/hooks/callback-events.ts';
import { HookDispatcher } from '../../src/hooks/dispatch.ts';
import type { Hooks } from '../../src/hooks/events.ts';
import { buildRegistry } from '../../src/hooks/registry.ts';
import { currentContext } from '../../src/timing/caller.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { inputOf } from './measured-inputs.ts';

/** What a test says of a `hook_callback` request. */
interface HookRequest {
  readonly requestId: string;
  readonly callbackId: unknown;
  readonly input: unknown;
  readonly toolUseId: unknown;
  readonly arrivedAt: number;
}

/** A dispatcher with everything around it that a test looks at. */
export interface HookDesk {
  readonly dispatcher: HookDispatcher;
  readonly warnings: Warning[];
  readonly events: CallbackEvent[];
  /** Asks for a hook as the CLI does; `hook_0` and PreToolUse unless told otherwise. */
  ask(
    request?: Partial<HookRequest> & { event?: string; release?: string | undefined },
  ): CallbackReply | Promise<CallbackReply>;
}

/** Sets up a dispatcher on the test's (fake) clock. */
export function hookDesk(
  hooks: Hooks,
  limits: { running?: number; waiting?: number; timeoutMs?: number } = {},
): HookDesk {
  const warnings: Warning[] = [];
  const events: CallbackEvent[] = [];
  let count = 0;
  let version: string | undefined;
  const dispatcher = new HookDispatcher({
    hooks: buildRegistry(hooks, { hookTimeoutMs: limits.timeoutMs ?? 60_000 }).entries,
    limits: { maxRunningHooks: limits.running ?? 32, maxWaitingHooks: limits.waiting ?? 1_024 },
    now: () => Date.now(),
    sessionId: () => 'session-1',
    refusesPrompt: () => false,
    lacks: () => outcomesLackedBy(version),
    context: currentContext,
    warn: (warning) => warnings.push(warning),
    report: (event) => events.push(event),
  });
  return {
    dispatcher,
    warnings,
    events,
    ask({ event = 'PreToolUse', release = '2.1.325', ...request } = {}) {
      version = release;
      const { requestId, callbackId, input, toolUseId, arrivedAt }: HookRequest = {
        requestId: `req-${count++}`,
        callbackId: 'hook_0',
        input: inputOf(event),
        toolUseId: 'toolu_1',
        arrivedAt: Date.now(),
        ...request,
      };
      const asked = { subtype: 'hook_callback', callback_id: callbackId, input, tool_use_id: toolUseId };
      return dispatcher.handle(requestId, asked, arrivedAt);
    },
  };
}

/** A promise to settle by hand. */
export function handle<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** The reply, or `'pending'` when there is none after all microtasks have run. */
export async function soon<T>(reply: T | Promise<T>): Promise<T | 'pending'> {
  let seen: T | 'pending' = 'pending';
  Promise.resolve(reply).then(
    (value) => {
      seen = value;
    },
    () => {},
  );
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  return seen;
}
