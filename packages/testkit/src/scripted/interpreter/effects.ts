import type { JsonObject } from '../script-data.ts';

/** What the interpreter is told: bytes that came, time that passed, signals that were caught. */
export type CliEvent =
  | { readonly event: 'start' }
  | { readonly event: 'input'; readonly text: string }
  | { readonly event: 'input-end' }
  | { readonly event: 'timer'; readonly timer: number }
  | { readonly event: 'signal'; readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' };

/** What the interpreter wants done, in order. */
export type Effect =
  | { readonly effect: 'write'; readonly text: string }
  | { readonly effect: 'write-bytes'; readonly base64: string }
  | { readonly effect: 'stderr'; readonly text: string }
  | { readonly effect: 'flood'; readonly count: number; readonly head: string; readonly tail: string }
  | { readonly effect: 'endless-line'; readonly head: string; readonly bytes: number | null }
  | { readonly effect: 'set-timer'; readonly timer: number; readonly ms: number }
  | { readonly effect: 'clear-timer'; readonly timer: number }
  | { readonly effect: 'hold-pipe'; readonly ms: number }
  | { readonly effect: 'close-stdout' }
  | { readonly effect: 'record'; readonly entry: RunEntry }
  | { readonly effect: 'exit'; readonly code: number }
  | { readonly effect: 'crash'; readonly signal: string };

/** What is worth keeping of a run, for the test that looks at it afterwards. */
export type RunEntry =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'frame'; readonly frame: JsonObject }
  | { readonly kind: 'tool'; readonly name: string; readonly input: unknown; readonly outcome: 'ran' | 'refused' }
  | { readonly kind: 'context'; readonly event: string; readonly text: string };

/** The world of one run, as the interpreter sees it. */
export interface World {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly pid: number;
  /** Milliseconds since the epoch. */
  now(): number;
  newId(): string;
}
