import { type Warning, warning } from '../warnings/warning.ts';
import type { JsonObject } from '../wire/kinds.ts';
import { isGuardEvent } from './abilities.ts';
import { denial, stopping } from './encode-hook.ts';
import type { OnFailure } from './hook-events.ts';
import type { RegisteredHook } from './registry.ts';

/** Why a hook did not decide. */
export type HookFailure = 'throw' | 'bad-result' | 'malformed-request' | 'timeout' | 'overflow' | 'session-stop';

/** What happens when a hook fails: what the hook says, otherwise what the CLI itself would do. */
export function failurePolicy(failure: HookFailure, event: string, onFailure: OnFailure | undefined): OnFailure {
  const ofEvent = isGuardEvent(event) ? 'block' : 'continue';
  if (failure === 'session-stop') return ofEvent;
  return onFailure ?? (failure === 'throw' || failure === 'bad-result' ? 'continue' : ofEvent);
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

export function hookFailed(
  hook: Pick<RegisteredHook, 'id' | 'timeoutMs'>,
  fields: { event: string; failure: HookFailure; policy: OnFailure; requestId: string; ms: number; cause: unknown },
): Warning {
  const { event, failure, policy, requestId, ms, cause } = fields;
  const what = {
    throw: 'threw',
    'bad-result': 'returned an unusable result',
    'malformed-request': 'got a malformed request',
    timeout: `did not answer within ${hook.timeoutMs} ms`,
    overflow: 'was not called, because the queue of hooks is full',
    'session-stop': 'had not answered when the session was stopped',
  }[failure];
  const reason = describe(cause);
  return warning(
    'hook-failed',
    `The hook ${hook.id} (${event}) ${what}${reason === undefined ? '' : ` (${reason})`}; ` +
      (policy === 'block' ? 'the action was blocked.' : 'the action continued without it.'),
    { hook: hook.id, event, failure, policy, requestId, ms, ...(reason === undefined ? {} : { cause: reason }) },
  );
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

const BLOCK_REASONS: { readonly [F in HookFailure]?: string } = {
  timeout: 'Blocked: the hook that guards this did not answer in time.',
  overflow: 'Blocked: too many hooks are waiting.',
};
