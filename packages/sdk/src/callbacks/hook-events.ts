import type { CallbackContext } from './callback-context.ts';
import type { HookDecision, HookOutput } from './decisions.ts';
import type { HookInputs } from './hook-inputs.ts';

/** Hooks by event. An event of a newer CLI needs a type in {@link HookInputs} and `newerEvent: true`. */
export type Hooks = { readonly [E in KnownHookEvent]?: HookList<HookInputs[E]> | undefined };

/** An event that has a type in {@link HookInputs}. */
export type KnownHookEvent = keyof HookInputs & string;

/** The hooks of one event: a function, a hook, or a list of both. */
export type HookList<Input> = HookRun<Input> | Hook<Input> | readonly (HookRun<Input> | Hook<Input>)[];

/** One hook. */
export interface Hook<Input> {
  /**
   * A list of values (`Write|Edit`), otherwise a regular expression. It is compared with the name of the tool; for other events
   * with another field of the input, such as `source` of `SessionStart`, or with
   * nothing (docs/guides/hooks-table.md lists all). None, null, `''` and `'*'` match everything.
   */
  readonly matcher?: string | null | undefined;
  readonly run: HookRun<Input>;
  /** The timeout, including the time the call waits in the queue. Default: `limits.hookTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /**
   * What happens when the hook fails. By default a throw lets the action continue. An unusable result, a timeout or a full
   * queue blocks the action of a guard event (PreToolUse, UserPromptSubmit, PermissionRequest, PreModelSwitch).
   */
  readonly onFailure?: OnFailure | undefined;
  /**
   * The event is one of a CLI newer than this release. Without it the hooks of an unknown event are refused, because a
   * guard under a misspelt event would never run.
   */
  readonly newerEvent?: boolean | undefined;
}

/** Lets the action continue when a hook fails, or blocks it. */
export type OnFailure = 'continue' | 'block';

/** The function of a hook. */
export type HookRun<Input> = (input: Input, context: CallbackContext) => HookResult | Promise<HookResult>;

/** What a hook can return. Nothing and `{}` let the action continue. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only observes is an async function without a return.
export type HookResult = HookDecision | HookOutput | undefined | null | void;
