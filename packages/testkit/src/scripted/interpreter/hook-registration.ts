import { objectOf } from '../../json.ts';

/** Callbacks the host registered for one event. */
export interface HookRegistration {
  readonly event: string;
  readonly matcher: string | null;
  readonly callbackIds: readonly string[];
  readonly timeoutMs: number;
  readonly blocksOnFailure: boolean;
}

/** Reads the `hooks` of an `initialize` request; undefined when their shape is wrong. */
export function parseHooks(hooks: unknown): readonly HookRegistration[] | undefined {
  if (hooks === undefined || hooks === null) return [];
  const registrations: HookRegistration[] = [];
  for (const [event, entries] of Object.entries(objectOf(hooks) ?? { invalid: null })) {
    if (!Array.isArray(entries)) return undefined;
    for (const entry of entries) {
      const { hookCallbackIds, matcher = null, timeout, onFailure } = objectOf(entry) ?? {};
      if (!Array.isArray(hookCallbackIds) || (matcher !== null && typeof matcher !== 'string')) return undefined;
      registrations.push({
        event,
        matcher,
        callbackIds: hookCallbackIds.map(String),
        timeoutMs: (typeof timeout === 'number' ? timeout : 600) * 1000,
        blocksOnFailure: onFailure === 'block',
      });
    }
  }
  return registrations;
}
