import type { HookInputs } from './inputs.ts';
import type { HookDecision, HookOutput } from './outcome.ts';

/** An event that has a type in {@link HookInputs}. */
export type KnownHookEvent = keyof HookInputs & string;

/** What a callback gets beside its input. */
export interface CallbackContext {
  readonly sessionId: string | undefined;
  readonly toolUseId: string | undefined;
  /** Aborted when nobody waits for the answer any more: too late, withdrawn by the CLI, or the session stops. */
  readonly signal: AbortSignal;
}

/** What a hook gets beside its input. */
export type HookContext = CallbackContext;

/** What a hook may give back: nothing and `{}` mean "go on". */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only watches is an async function without a return.
export type HookResult = HookDecision | HookOutput | undefined | null | void;

/** The function of a hook. */
export type HookRun<Input> = (input: Input, context: HookContext) => HookResult | Promise<HookResult>;

/** One hook. */
export interface Hook<Input> {
  /** Which tools: names (`Write|Edit`), else a regular expression; none, null, `''` and `'*'` mean all. */
  readonly matcher?: string | null | undefined;
  readonly run: HookRun<Input>;
  /** How long it may take, waiting for its turn included; by default `limits.hookTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /**
   * What happens when it fails. By default a throw or an unusable result lets things go on; a timeout or an overflow
   * blocks what a guard event guards (PreToolUse, UserPromptSubmit, PermissionRequest, PreModelSwitch).
   */
  readonly onFailure?: OnFailure | undefined;
}

/** Lets things go on when a hook fails, or blocks them. */
export type OnFailure = 'continue' | 'block';

/** The hooks of one event: a function, a hook, or several of both. */
export type HookList<Input> = HookRun<Input> | Hook<Input> | readonly (HookRun<Input> | Hook<Input>)[];

/** Hooks by event. `newerEvents()` adds those of events that have no type here. */
export type Hooks = { readonly [E in KnownHookEvent]?: HookList<HookInputs[E]> | undefined };
