import type { PermissionRequest } from '../callbacks/permission-request.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import type { Pause } from '../session/session.ts';
import type { EventHead } from '../stream/events.ts';
import type { JobOutcome, PlainError } from './job.ts';

/** What happened in a pool, as plain JSON. A slot is the place of one process; its number is never used again. */
export type PoolEvent = EventHead & PoolEventBody;

/** An event before it is numbered. */
export type PoolEventBody =
  | { readonly type: 'job-queued'; readonly job: string; readonly key: string | null; readonly priority: number }
  | {
      readonly type: 'job-started';
      readonly job: string;
      readonly key: string | null;
      readonly slot: number;
      readonly sessionId: string | null;
    }
  | { readonly type: 'job-ended'; readonly job: string; readonly key: string | null; readonly outcome: JobOutcome }
  | {
      /** A process is ready: for a new conversation, or one that is `resumed`; ahead of its job when it is `prewarmed`. */
      readonly type: 'session-started';
      readonly slot: number;
      readonly key: string | null;
      readonly sessionId: string | null;
      readonly pid: number | null;
      readonly resumed: boolean;
      readonly prewarmed: boolean;
    }
  | { readonly type: 'session-adopted'; readonly slot: number; readonly key: string | null; readonly job: string }
  | {
      /** Its key's next job takes the conversation up again. */
      readonly type: 'session-evicted';
      readonly slot: number;
      readonly key: string | null;
      readonly sessionId: string | null;
      readonly why: EvictReason;
    }
  | {
      /** It could not be started, its CLI died, or it did not answer any more. */
      readonly type: 'session-failed';
      readonly slot: number;
      readonly key: string | null;
      readonly sessionId: string | null;
      readonly error: PlainError;
    }
  | {
      /** Another process has taken up the conversation of one that failed. */
      readonly type: 'session-replaced';
      readonly slot: number;
      readonly key: string;
      readonly sessionId: string | null;
      readonly replaces: number;
    }
  | { readonly type: 'session-ended'; readonly slot: number; readonly key: string | null }
  | {
      /** What the CLI spent by itself, on background work of a job: it is in no job's outcome. Not `complete` when the CLI ended first. */
      readonly type: 'background-cost';
      readonly slot: number;
      readonly key: string | null;
      readonly sessionId: string | null;
      readonly cost: TurnCost;
    }
  | { readonly type: 'key-forgotten'; readonly key: string; readonly sessionId: string; readonly why: ForgetReason }
  | {
      readonly type: 'permission-requested';
      /** For `pool.answerPermission()`. */
      readonly id: string;
      readonly job: string | null;
      readonly key: string | null;
      readonly request: PermissionRequest;
    }
  | {
      readonly type: 'permission-answered';
      readonly id: string;
      /** The job that it was asked in. */
      readonly job: string | null;
      readonly key: string | null;
      readonly decision: string;
    }
  | ({ readonly type: 'paused' } & Pause)
  | { readonly type: 'resumed' }
  | { readonly type: 'draining' }
  /** By `close()`, or because the time of a `drain()` was over. */
  | { readonly type: 'stopping'; readonly by: 'drain' | 'stop' }
  | { readonly type: 'closed' };

/** It was idle for too long, its place was needed, or its key's next job has options for which it needs another process. */
export type EvictReason = 'idle' | 'needed' | 'options';

/** There were too many keys, or the CLI does not have the conversation any more. */
export type ForgetReason = 'too-many-keys' | 'not-found';
