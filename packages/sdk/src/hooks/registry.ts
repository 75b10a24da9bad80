import type { JsonObject } from '../wire/kinds.ts';
import type { Hook, HookContext, HookList, HookResult, Hooks, OnFailure } from './events.ts';
import { NewerEventHooks } from './newer-events.ts';

/** One hook as it is called. */
export interface RegisteredHook {
  /** `hook_0`, `hook_1` … in order of registration. */
  readonly id: string;
  readonly event: string;
  readonly matcher: string | null;
  /** The input is of the type its event has; the registry holds hooks of all events. */
  run(input: JsonObject, context: HookContext): HookResult | Promise<HookResult>;
  readonly timeoutMs: number;
  readonly onFailure: OnFailure | undefined;
}

/** All hooks of a session. */
export interface HookRegistry {
  readonly entries: readonly RegisteredHook[];
  /** For `initialize.hooks`; absent when there are none. */
  readonly initialize: InitializeHooks | undefined;
}

/** The hooks as `initialize` declares them. */
export type InitializeHooks = Readonly<Record<string, readonly HookDeclaration[]>>;

/** One hook as `initialize` declares it. */
export interface HookDeclaration {
  readonly matcher: string | null;
  readonly hookCallbackIds: readonly [string];
  /** In whole seconds. */
  readonly timeout: number;
  readonly onFailure?: 'block';
}

/** How long hooks may take in ms, for all or by event; 0 means as long as they like. */
export interface HookTimeouts {
  readonly hookTimeoutMs: number | Readonly<Record<string, number>>;
}

/** How long a hook may take when nobody says anything. */
const DEFAULT_HOOK_TIMEOUT_MS = 60_000;

/** The CLI waits this much longer than we do, so that our policy decides and not its own. */
const MARGIN_SECONDS = 10;

/** More seconds than this overflow a timer, which then fires at once. */
const LONGEST_SECONDS = 2_147_483;

/** Numbers the hooks and declares them. */
export function buildRegistry(hooks: Hooks | undefined, limits: HookTimeouts): HookRegistry {
  const entries: RegisteredHook[] = [];
  const declared = new Map<string, HookDeclaration[]>();
  for (const [event, given] of Object.entries<HookList<never> | NewerEventHooks | undefined>(hooks ?? {})) {
    for (const hook of given === undefined ? [] : hooksOf(given)) {
      const entry = register(`hook_${entries.length}`, event, hook, limits);
      entries.push(entry);
      declared.set(event, [...(declared.get(event) ?? []), declare(entry)]);
    }
  }
  return { entries, initialize: declared.size === 0 ? undefined : Object.fromEntries(declared) };
}

function hooksOf(given: HookList<never> | NewerEventHooks): readonly Hook<never>[] {
  const list = given instanceof NewerEventHooks ? given.list : given;
  const all = typeof list === 'function' || 'run' in list ? [list] : list;
  return all.map((hook) => (typeof hook === 'function' ? { run: hook } : hook));
}

function register(id: string, event: string, hook: Hook<never>, limits: HookTimeouts): RegisteredHook {
  const timeout = hook.timeoutMs ?? timeoutOf(event, limits);
  const longest = (LONGEST_SECONDS - MARGIN_SECONDS) * 1_000;
  return {
    id,
    event,
    matcher: hook.matcher ?? null,
    // The CLI names the event of each request, and the hook stands under that event: the input is what it expects.
    run: hook.run.bind(hook) as RegisteredHook['run'],
    timeoutMs: timeout <= 0 ? longest : Math.min(timeout, longest),
    onFailure: hook.onFailure,
  };
}

function timeoutOf(event: string, { hookTimeoutMs }: HookTimeouts): number {
  if (typeof hookTimeoutMs === 'number') return hookTimeoutMs;
  return Object.hasOwn(hookTimeoutMs, event)
    ? (hookTimeoutMs[event] ?? DEFAULT_HOOK_TIMEOUT_MS)
    : DEFAULT_HOOK_TIMEOUT_MS;
}

function declare({ id, matcher, timeoutMs, onFailure }: RegisteredHook): HookDeclaration {
  const declaration = {
    matcher,
    hookCallbackIds: [id] as const,
    timeout: Math.ceil(timeoutMs / 1_000) + MARGIN_SECONDS,
  };
  return onFailure === 'block' ? { ...declaration, onFailure } : declaration;
}
