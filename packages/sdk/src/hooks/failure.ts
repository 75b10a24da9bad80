import { type Warning, warning } from '../warnings/warning.ts';
import { isGuardEvent } from './abilities.ts';
import type { OnFailure } from './events.ts';
import type { RegisteredHook } from './registry.ts';

/** How a hook can fail to decide. */
export type HookFailure = 'throw' | 'bad-result' | 'malformed-request' | 'timeout' | 'overflow' | 'session-stop';

/** What is done when a hook fails: as the hook says, else as the CLI itself would. */
export function failurePolicy(failure: HookFailure, event: string, onFailure: OnFailure | undefined): OnFailure {
  if (failure === 'session-stop') return isGuardEvent(event) ? 'block' : 'continue';
  if (onFailure !== undefined) return onFailure;
  if (failure === 'throw' || failure === 'bad-result') return 'continue';
  return isGuardEvent(event) ? 'block' : 'continue';
}

/** What the model is told; it says nothing about the host's inside. */
export function blockReason(failure: HookFailure): string {
  switch (failure) {
    case 'timeout':
      return 'Blocked: the hook that guards this did not answer in time.';
    case 'overflow':
      return 'Blocked: too many hooks are waiting.';
    case 'session-stop':
      return 'Blocked: the session is being stopped.';
    default:
      return 'Blocked: the hook that guards this failed.';
  }
}

/** Tells the caller that a hook failed and what was done about it. */
export function hookFailed(
  hook: Pick<RegisteredHook, 'id' | 'timeoutMs'>,
  fields: { event: string; failure: HookFailure; policy: OnFailure; requestId: string; ms: number; cause: unknown },
): Warning {
  const { event, failure, policy, requestId, ms, cause } = fields;
  const what = {
    throw: 'threw',
    'bad-result': 'gave back something unusable',
    'malformed-request': 'was asked with a malformed request',
    timeout: `did not answer within ${hook.timeoutMs} ms`,
    overflow: 'was not called, because too many hooks are waiting',
    'session-stop': 'had not answered when the session was stopped',
  }[failure];
  const reason = describe(cause);
  return warning(
    'hook-failed',
    `The hook ${hook.id} (${event}) ${what}${reason === undefined ? '' : ` (${reason})`}; ` +
      (policy === 'block' ? 'what it guards was blocked.' : 'things went on without it.'),
    { hook: hook.id, event, failure, policy, requestId, ms, ...(reason === undefined ? {} : { cause: reason }) },
  );
}

/** An exception as one line; whatever was thrown, this does not throw. */
export function describe(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  try {
    return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  } catch {
    return 'an exception that cannot be shown';
  }
}
