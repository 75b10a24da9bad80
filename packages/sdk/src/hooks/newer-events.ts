import type { HookList, Hooks, KnownHookEvent } from './events.ts';
import type { HookInputs, UnknownHookInput } from './inputs.ts';

/**
 * Hooks for events of a CLI newer than this release: `hooks: { PreToolUse: guard, ...newerEvents({ MoonRose: run }) }`.
 * Without it an event that is not known is refused, because a misspelt guard guards nothing.
 */
export function newerEvents<E extends string>(
  hooks: {
    readonly [K in E]: HookList<K extends KnownHookEvent ? HookInputs[K] : UnknownHookInput>;
  },
): Hooks {
  const marked = Object.entries<HookList<never>>(hooks).map(([event, list]) => [event, new NewerEventHooks(list)]);
  // No type says "any name but the known ones"; the check of `hooks` takes the marked lists for what they are.
  return Object.fromEntries(marked) as Hooks;
}

/** The hooks of an event that their author knows to be unknown. */
export class NewerEventHooks {
  readonly list: HookList<never>;

  constructor(list: HookList<never>) {
    this.list = list;
  }
}
