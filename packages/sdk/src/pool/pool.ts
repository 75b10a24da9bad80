import type { PermissionDecision } from '../callbacks/decisions.ts';
import type { PermissionRequest } from '../callbacks/permission-request.ts';
import type { RunObserver } from '../report/run-observer.ts';
import type { Gap } from '../session/observer.ts';
import type { Message, UserContent } from '../wire/messages.ts';
import type { JobOutcome, JobSpec, PlainJobSpec, PoolJob } from './job.ts';
import type { PoolEvent } from './pool-events.ts';

/** Runs the jobs of many conversations on a bounded number of sessions. */
export interface Pool<T = unknown> extends AsyncDisposable {
  /** Rejects if the options of its sessions are invalid; then every job fails. @throws OptionsError */
  readonly ready: Promise<void>;
  /** Queues a job. Never throws: the job fails instead. */
  submit(job: PlainJobSpec, extras?: JobSubmitOptions): PoolJob<T>;
  /** The same for a job with its own `outputSchema`, which determines the type of its output. */
  submit<O>(job: JobSpec<O>, extras?: JobSubmitOptions): PoolJob<O>;
  /** Queues a job and resolves with its outcome; never rejects. */
  run(job: JobSpec, extras?: JobRunOptions): Promise<JobOutcome>;
  /** Removes a job from the queue, or interrupts it. Resolves with false if the pool has no such job, or it has ended. */
  cancel(jobId: string, reason?: unknown): Promise<boolean>;
  /** All events from now on. A slow reader loses the oldest, and gets a `gap` that says how many. */
  events(): AsyncIterableIterator<PoolEvent | Gap>;
  /** Watches its open sessions and those it opens later, until the returned function is called. */
  observe(observer: RunObserver): () => void;
  stats(): PoolStats;
  /** The queued jobs, in the order in which they were submitted; `cancel()` removes one. */
  waiting(): readonly WaitingJob[];
  /** The unanswered permission requests of all sessions, as plain JSON. */
  pendingPermissions(): readonly PendingPermission[];
  /** Answers a permission request. @throws NoSuchPermissionError */
  answerPermission(id: string, answer: PermissionDecision): Promise<void>;
  /** Accepts no more jobs, waits for the existing ones, then closes all sessions. @throws OptionsError */
  drain(options?: DrainOptions): Promise<void>;
  /** Cancels all jobs and closes all sessions. Resolves when all processes have exited. */
  close(): Promise<void>;
}

/** Options of `drain()`. */
export interface DrainOptions {
  /** After this time the remaining jobs are cancelled, as by `close()`. No limit by default. */
  readonly timeoutMs?: number | undefined;
}

/** What can be passed with a job, besides plain data. */
export interface JobSubmitOptions {
  /** Aborting it cancels the job. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `run()`. */
export interface JobRunOptions extends JobSubmitOptions {
  /** Called with each message, in order, before the outcome is returned. */
  readonly onMessage?: ((message: Message) => void) | undefined;
}

/** A job that no session has taken yet. */
export interface WaitingJob {
  readonly id: string;
  readonly key: string | null;
  readonly priority: number;
  readonly prompt: UserContent;
  /** In ms since the epoch. */
  readonly submittedAt: number;
}

/** A permission request and the job it came from. */
export interface PendingPermission {
  /** For `pool.answerPermission()`. */
  readonly id: string;
  /** The job that was running when the permission was requested. */
  readonly job: string | null;
  readonly key: string | null;
  readonly request: PermissionRequest;
}

/** The state of a pool, and what it has done so far. */
export interface PoolStats {
  readonly state: 'open' | 'draining' | 'stopping' | 'closed';
  readonly size: number;
  readonly queued: number;
  readonly running: number;
  /** How many processes are in which state; `starting` ones have no job yet. */
  readonly sessions: Readonly<Record<'busy' | 'idle' | 'warm' | 'starting' | 'stopping', number>>;
  /** How many conversations are remembered. */
  readonly keys: number;
  /** Until when no job is started because of a rate limit, in ms since the epoch. */
  readonly pausedUntil: number | null;
  /** Jobs that have ended, by the status of their outcome. */
  readonly jobs: Readonly<Record<JobOutcome['status'], number>>;
  /** What has happened to sessions so far. */
  readonly totals: Readonly<Record<'started' | 'adopted' | 'resumed' | 'evicted' | 'failed' | 'replaced', number>>;
}
