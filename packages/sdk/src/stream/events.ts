import type { Warning } from '../warnings/warning.ts';

/** What happened in a run, as plain JSON: it can be logged, stored or sent elsewhere as it is. */
export type RunEvent = EventHead &
  (
    | { readonly type: 'started'; readonly pid: number | null }
    | { readonly type: 'state-changed'; readonly state: string }
    | { readonly type: 'warning'; readonly warning: Warning }
    | { readonly type: 'stderr'; readonly line: string }
    | { readonly type: 'exit'; readonly exitCode: number | null; readonly signal: string | null; readonly ended: string }
    | { readonly type: 'stopped' }
    | { readonly type: 'ended' }
    | { readonly type: 'failed'; readonly error: Readonly<Record<string, unknown>> }
  );

/** `seq` counts from 0 without gaps; `at` is in ms since the epoch. */
export interface EventHead {
  readonly seq: number;
  readonly at: number;
}

/** An event before it is numbered. */
export type NewEvent = RunEvent extends infer E ? (E extends EventHead ? Omit<E, keyof EventHead> : never) : never;
