import type { PermissionDecision } from '../callbacks/decisions.ts';
import type { PermissionRequest } from '../callbacks/permission-request.ts';
import type { Gap } from '../session/observer.ts';
import type { Message } from '../wire/messages.ts';
import type { PoolEvent } from './events.ts';
import type { JobOutcome, JobSpec, PlainJobSpec } from './job.ts';
import type { PoolJob } from './pool-job.ts';

/** A bounded number of sessions that share the work of many conversations. */
export interface Pool<T = unknown> extends AsyncDisposable {
  /** Settles when the options of its sessions are known to be good; with bad ones every job fails. @throws OptionsError */
  readonly ready: Promise<void>;
  /** Puts a job in the queue. Never throws: what is wrong comes out of the job. */
  submit(job: PlainJobSpec, extras?: JobSubmitOptions): PoolJob<T>;
  /** The same for a job with an `outputSchema` of its own: its output is what that describes. */
  submit<O>(job: JobSpec<O>, extras?: JobSubmitOptions): PoolJob<O>;
  /** The same for those who only want to know how it ends; never rejects. */
  run(job: JobSpec, extras?: JobRunOptions): Promise<JobOutcome>;
  /** Takes a job out of the queue, or interrupts it. False when the pool does not have it (any more). */
  cancel(jobId: string, reason?: unknown): Promise<boolean>;
  /** All events from now on; an observer that falls behind loses the oldest and is told how many. */
  events(): AsyncIterableIterator<PoolEvent | Gap>;
  stats(): PoolStats;
  /** Permission requests nobody has answered yet, of all sessions, as plain JSON. */
  pendingPermissions(): readonly PendingPermission[];
  /** Answers one, from wherever. @throws NoSuchPermissionError */
  answerPermission(id: string, answer: PermissionDecision): Promise<void>;
  /** Takes no more jobs, lets those it has come to their end, then ends all sessions. @throws OptionsError */
  drain(options?: DrainOptions): Promise<void>;
  /** Ends everything: jobs that wait or run are cancelled. Resolves when all processes are gone. */
  close(): Promise<void>;
}

/** How long a pool may take to come to its end. */
export interface DrainOptions {
  /** After that, what is left is cancelled as `close()` does it. As long as it takes by default. */
  readonly timeoutMs?: number | undefined;
}

/** What goes with a job and is no data. */
export interface JobSubmitOptions {
  /** Aborting it cancels the job. */
  readonly signal?: AbortSignal | undefined;
}

/** The same with a reader. */
export interface JobRunOptions extends JobSubmitOptions {
  /** Called with each message, in order, before the outcome is there. */
  readonly onMessage?: ((message: Message) => void) | undefined;
}

/** A permission request and the job it came from. */
export interface PendingPermission {
  /** For `pool.answerPermission()`. */
  readonly id: string;
  readonly job: string | null;
  readonly key: string | null;
  readonly request: PermissionRequest;
}

/** How a pool stands, and what it has done so far. */
export interface PoolStats {
  readonly state: 'open' | 'draining' | 'stopping' | 'closed';
  readonly size: number;
  readonly queued: number;
  readonly running: number;
  /** Processes by what they do. `starting` ones do not have a job yet. */
  readonly sessions: {
    readonly busy: number;
    readonly idle: number;
    readonly warm: number;
    readonly starting: number;
    readonly stopping: number;
  };
  /** Keys whose conversation is remembered. */
  readonly keys: number;
  /** Until when no job is started, in ms since the epoch. */
  readonly pausedUntil: number | null;
  readonly jobs: { readonly finished: number; readonly failed: number; readonly cancelled: number };
  readonly totals: {
    readonly started: number;
    readonly adopted: number;
    readonly resumed: number;
    readonly evicted: number;
    readonly failed: number;
    readonly replaced: number;
  };
}
