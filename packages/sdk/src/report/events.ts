import type { CallbackEvent } from '../callbacks/callback-request.ts';
import type { PermissionEvent } from '../callbacks/permission-dispatch.ts';
import type { PlainError } from '../errors/redacted.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import type { Warning } from '../warnings/warning.ts';

/** An event of a query or a session, as plain JSON that can be logged, stored or sent. */
export type RunEvent = EventHead & EventBody;

/** `seq` counts from 0 without gaps; `at` is in ms since the epoch. */
export interface EventHead {
  readonly seq: number;
  readonly at: number;
}

/** An event before it is numbered. A session's last is `stopped`, `ended` or `failed`; a query's `exit` may follow it. */
export type EventBody =
  | { readonly type: 'started'; readonly pid: number | null }
  | { readonly type: 'ready'; readonly sessionId: string | null }
  | { readonly type: 'state-changed'; readonly state: string }
  | { readonly type: 'turn-started'; readonly turn: string }
  /** `outcome` is that of its result, or `no-result`; `costUsd` is that of `cost`. */
  | {
      readonly type: 'turn-ended';
      readonly turn: string;
      readonly outcome: string;
      readonly costUsd: number;
      readonly cost: TurnCost;
    }
  /** A cost outside every `turn-ended`: of the CLI's own work (`turn` is `null`), or of an interrupted turn. Never 0. */
  | { readonly type: 'cost-reported'; readonly turn: string | null; readonly cost: TurnCost }
  | { readonly type: 'warning'; readonly warning: Warning }
  | { readonly type: 'stderr'; readonly line: string }
  | { readonly type: 'request-sent'; readonly id: string; readonly kind: string }
  | { readonly type: 'request-answered'; readonly id: string; readonly ok: boolean }
  | CallbackEvent
  | PermissionEvent
  | { readonly type: 'task-opened'; readonly task: string }
  /** `status` is the value that the CLI sent; `null` without one, as for a task that was open when the process ended. */
  | { readonly type: 'task-closed'; readonly task: string; readonly status: string | null }
  | RestartEvent
  | { readonly type: 'exit'; readonly exitCode: number | null; readonly signal: string | null; readonly ended: string }
  | { readonly type: 'stopped' }
  | { readonly type: 'ended' }
  | { readonly type: 'failed'; readonly error: PlainError };

/** The events of a session with `restart`. `cause` is `null` when the CLI exited on its own, or is replaced by another (`attempt` 0). */
export type RestartEvent =
  | {
      readonly type: 'restarting';
      readonly attempt: number;
      readonly delayMs: number;
      readonly cause: Readonly<Record<string, unknown>> | null;
    }
  /** `resumed`: the conversation continues by its id; otherwise it had not begun, and starts again. */
  | {
      readonly type: 'restarted';
      readonly attempt: number;
      readonly sessionId: string | null;
      readonly resumed: boolean;
    }
  | { readonly type: 'gave-up'; readonly restarts: number; readonly cause: Readonly<Record<string, unknown>> | null }
  | { readonly type: 'turn-interrupted'; readonly turn: string; readonly replayedAs: string | null }
  | {
      readonly type: 'paused';
      readonly reason: string;
      /** In ms since the epoch. */
      readonly until: number;
      readonly limit: string | null;
    }
  | { readonly type: 'resumed' };
