import type { CallbackAnswer, CallbackEvent } from '../../src/callbacks/callback-request.ts';
import { HookDispatcher } from '../../src/callbacks/hook-dispatch.ts';
import type { Hooks } from '../../src/callbacks/hook-events.ts';
import { buildRegistry } from '../../src/callbacks/registry.ts';
import { ignoresDecision } from '../../src/cli/feature-gate.ts';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { defaultLimits } from '../../src/limits.ts';
import { currentContext } from '../../src/timing/caller.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { inputOf } from './measured-inputs.ts';
import { Replies, type Reply } from './replies.ts';

/** The fields of a `hook_callback` request. */
interface HookRequest {
  readonly requestId: string;
  readonly callbackId: unknown;
  readonly input: unknown;
  readonly toolUseId: unknown;
  readonly arrivedAt: number;
}

/** A dispatcher, with everything it reports. */
export interface TestHooks {
  readonly dispatcher: HookDispatcher;
  readonly warnings: Warning[];
  readonly events: CallbackEvent[];
  /** Requests a hook as the CLI does; by default `hook_0` for PreToolUse. */
  ask(request?: Partial<HookRequest> & { event?: string; release?: string | undefined }): Reply;
}

/** Creates a dispatcher on the (fake) clock of the test. */
export function hookDispatcher(
  hooks: Hooks,
  limits: { running?: number; waiting?: number; timeoutMs?: number } = {},
): TestHooks {
  const warnings: Warning[] = [];
  const events: CallbackEvent[] = [];
  const replies = new Replies();
  let count = 0;
  let version: string | undefined;
  const dispatcher = new HookDispatcher({
    hooks: buildRegistry(hooks, { hookTimeoutMs: limits.timeoutMs ?? 60_000 }).entries,
    limits: { ...defaultLimits, maxRunningHooks: limits.running ?? 32, maxWaitingHooks: limits.waiting ?? 1_024 },
    now: () => Date.now(),
    sessionId: () => 'session-1',
    updates: {},
    refusesPrompt: () => false,
    ignores: (decision) => ignoresDecision(version, decision),
    context: currentContext,
    warn: (warning) => warnings.push(warning),
    report: { skip: () => false, event: (event) => void events.push(event) },
    settled: (id: string, answer: CallbackAnswer | undefined) => replies.settle(id, answer),
  });
  return {
    dispatcher,
    warnings,
    events,
    ask({ event = 'PreToolUse', release = PINNED_VERSION, ...request } = {}) {
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
      return replies.to(requestId, () => dispatcher.handle(requestId, asked, arrivedAt));
    },
  };
}
