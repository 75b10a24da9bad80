import type { PermissionDecision } from '../callbacks/decisions.ts';
import type { PendingPermission } from '../callbacks/permission-request.ts';
import type { TurnOptions } from '../conversation/turn.ts';
import type { AgentOptions } from '../options/option-types.ts';
import type { ProcessOptionName } from '../options/process-options.ts';
import type { RunObserver } from '../report/run-observer.ts';
import type { MessageStream } from '../stream/message-stream.ts';
import type { Gap } from '../stream/newest-items.ts';
import type { Message, UserContent } from '../wire/messages.ts';
import type { JobOutcome } from './job-outcome.ts';
import type { PoolEvent } from './pool-events.ts';
import type { PoolStats } from './pool-stats.ts';

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
  /** All events from now on. A slow reader loses the oldest, and gets a `gap` with their number. */
  events(): AsyncIterableIterator<PoolEvent | Gap>;
  /** Watches its open sessions and those it opens later, until the returned function is called. */
  observe(observer: RunObserver): () => void;
  stats(): PoolStats;
  /** The queued jobs, in the order in which they were submitted; `cancel()` removes one. */
  waiting(): readonly WaitingJob[];
  /** The unanswered permission requests of all sessions, as plain JSON; their ids are those of the pool. */
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

/** Arguments of a job that are not plain data. */
export interface JobSubmitOptions {
  /** Aborting it cancels the job. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `run()`. */
export interface JobRunOptions extends JobSubmitOptions {
  /** Called with each message, in order, before the outcome is returned. */
  readonly onMessage?: ((message: Message) => void) | undefined;
}

/** A job for a pool, as plain JSON: it can come from another process. */
export interface JobSpec<T = unknown> {
  /** Identifies the job in events and for `cancel()`. A random UUID by default. */
  readonly id?: string | undefined;
  /** The conversation the job belongs to. Jobs of one key run one at a time, in order. Without a key, the job starts a conversation that only it uses. */
  readonly key?: string | undefined;
  readonly prompt: UserContent;
  /** Overrides the options of the key and the pool for this job. */
  readonly options?: JobOptions<T> | undefined;
  /** From -10 to 10; higher runs first. 0 by default. */
  readonly priority?: number | undefined;
  /** The session id to resume if the pool has no conversation for the key yet. */
  readonly resume?: string | undefined;
}

/** A job without its own `outputSchema`: its output has the type of the pool's sessions. */
export interface PlainJobSpec extends JobSpec {
  readonly options?: (JobOptions & { readonly outputSchema?: undefined }) | undefined;
}

/** The options a job can set; all others belong to the pool and its keys. */
export type JobOptions<T = unknown> = JobTurnOptions & JobProcessOptions<T>;

/** Options of the job's turn. They apply in any process. */
export type JobTurnOptions = Omit<TurnOptions, 'signal'>;

/** Options the CLI only accepts when it starts: the job runs in a process that was started with them. */
export type JobProcessOptions<T = unknown> = Pick<AgentOptions<T>, ProcessOptionName>;

/** A job of a pool: read like a turn, from the moment it is submitted. Reading the stream reports its failures. */
export interface PoolJob<T = unknown> extends MessageStream<T> {
  readonly id: string;
  readonly key: string | undefined;
  /** Resolves when the job has ended; never rejects. */
  readonly outcome: Promise<JobOutcome>;
  /** Adds to the prompt while the job runs. @throws TurnEndedError, or what ended the job before it ran */
  steer(content: UserContent): Promise<void>;
  /** Removes the job from the queue, or interrupts it. Resolves with false if it has already ended. */
  cancel(reason?: unknown): Promise<boolean>;
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
