import type { PromptPlan } from './prompt.ts';

/** What a walk can run on. */
export const WALK_KINDS = ['session', 'restarting', 'pool'] as const;

export type WalkKind = (typeof WALK_KINDS)[number];

/** The modes whose difference is visible on disk: only one of them lets a prompt write its file. */
export type WalkMode = 'plan' | 'acceptEdits';

/** The longest time that the hooks of a walk take, by event; each call takes a part of it. */
export type HookLengths = Readonly<Partial<Record<'UserPromptSubmit' | 'PreToolUse' | 'Stop', number>>>;

/** One step of a walk. Most steps are carried out without waiting for the previous one. */
export type Step =
  | SendStep
  /** Steers the running turn, and then interrupts it this many times, all in one tick. */
  | { readonly do: 'steer'; readonly prompt: PromptPlan; readonly interrupts: number }
  | { readonly do: 'interrupt'; readonly what: 'session' | 'turn'; readonly times: number }
  | { readonly do: 'mode'; readonly mode: WalkMode }
  | { readonly do: 'model'; readonly model: string }
  | { readonly do: 'push'; readonly prompt: PromptPlan; readonly uuid: boolean }
  | { readonly do: 'clear' }
  | { readonly do: 'fork'; readonly prompt: PromptPlan }
  | { readonly do: 'kill' }
  | { readonly do: 'pause'; readonly ms: number }
  /** Waits until everything that was sent has ended. */
  | { readonly do: 'settle' }
  /** Waits until one more background task has ended. */
  | { readonly do: 'task-end' }
  /** Waits until the prompt of the running turn has reached the model. */
  | { readonly do: 'heard' };

/** Sends a prompt; `key` is for pools. */
export interface SendStep {
  readonly do: 'send';
  readonly prompt: PromptPlan;
  readonly key?: string | undefined;
  readonly mode?: WalkMode | undefined;
  readonly timeoutMs?: number | undefined;
  readonly abortAfterMs?: number | undefined;
}

/** A walk as data: it can be saved and repeated. */
export interface Walk {
  readonly seed: number;
  readonly release: string;
  readonly kind: WalkKind;
  /** The session's own mode at the start. */
  readonly mode: WalkMode;
  readonly hooks: HookLengths;
  readonly steps: readonly Step[];
}
