import type { PermissionRequest } from '../callbacks/permission-request.ts';
import type { PlainError } from '../errors/redacted.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import type { EventHead } from '../report/events.ts';
import type { Pause } from '../session/session.ts';
import type { JobOutcome } from './job-outcome.ts';

/** An event of a pool, as plain JSON. A slot is the place of one process; slot numbers are never reused. */
export type PoolEvent = EventHead & PoolEventBody;

/** An event without its number and time. */
export type PoolEventBody =
  | ({ readonly type: 'job-queued'; readonly priority: number } & OfJob)
  | ({ readonly type: 'job-started'; readonly slot: number; readonly sessionId: string | null } & OfJob)
  | ({ readonly type: 'job-ended'; readonly outcome: JobOutcome } & OfJob)
  /** A process is ready. `resumed`: it continues a conversation. `prewarmed`: it was started ahead of any job. */
  | ({
      readonly type: 'session-started';
      readonly pid: number | null;
      readonly resumed: boolean;
      readonly prewarmed: boolean;
    } & OfSession)
  | ({ readonly type: 'session-adopted'; readonly slot: number } & OfJob)
  /** The process is stopped; the next job of its key resumes the conversation. */
  | ({ readonly type: 'session-evicted'; readonly why: EvictReason } & OfSession)
  /** The process could not be started, died, or stopped responding. */
  | ({ readonly type: 'session-failed'; readonly error: PlainError } & OfSession)
  /** A new process has resumed the conversation of one that failed: `replaces` is the slot of the old one. */
  | ({ readonly type: 'session-replaced'; readonly key: string; readonly replaces: number } & OfSession)
  | { readonly type: 'session-ended'; readonly slot: number; readonly key: string | null }
  /** The cost of background work after its job has ended; no outcome includes it. Not `complete` if the CLI exited first. */
  | ({ readonly type: 'background-cost'; readonly cost: TurnCost } & OfSession)
  | { readonly type: 'key-forgotten'; readonly key: string; readonly sessionId: string; readonly why: ForgetReason }
  | (JobPermission & { readonly type: 'permission-requested'; readonly request: PermissionRequest })
  | (JobPermission & { readonly type: 'permission-answered'; readonly decision: string })
  | ({ readonly type: 'paused' } & Pause)
  | { readonly type: 'resumed' }
  | { readonly type: 'draining' }
  /** Because of `close()`, or of a `drain()` that timed out. */
  | { readonly type: 'stopping'; readonly by: 'drain' | 'close' }
  | { readonly type: 'closed' };

/** A permission request, by its id in the pool, and the job that was running when it arrived. */
type JobPermission = {
  readonly id: string;
  readonly job: string | null;
  readonly key: string | null;
};

type OfJob = {
  readonly job: string;
  readonly key: string | null;
};

type OfSession = {
  readonly slot: number;
  readonly key: string | null;
  readonly sessionId: string | null;
};

/** The session was idle for too long, its slot was needed, or its key's next job needs a process with other options. */
export type EvictReason = 'idle' | 'needed' | 'options';

/** There were too many keys, or the CLI no longer has the conversation. */
export type ForgetReason = 'too-many-keys' | 'not-found';
