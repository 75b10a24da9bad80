/** Timeouts and the sizes of buffers and queues. Each can be set through the option `limits`. */
export interface Limits {
  /** Maximum length of a line from the CLI. */
  readonly maxLineBytes: number;
  /** Maximum unread output in memory. Once a reader has started, the CLI is paused at 1 MiB. */
  readonly bufferBytes: number;
  /** Size of the end of stderr that is kept for errors. */
  readonly stderrTailBytes: number;
  /** Number of consecutive undecodable lines after which a query fails. */
  readonly maxDecodeErrors: number;
  /** Timeout of `claude --version`. */
  readonly versionTimeoutMs: number;
  /** Time that background tasks may run after a result; 0 ends the run at its first result. */
  readonly backgroundWaitMs: number;
  /** Time to wait for late output and the exit after the last result. */
  readonly drainMs: number;
  /** Maximum number of late messages to deliver; further ones are only counted. */
  readonly maxLateMessages: number;
  /** Time to read stdout after the exit, or to wait for the exit after stdout ended or stdin was closed. */
  readonly exitReadMs: number;
  /** Time for a finished CLI to exit. */
  readonly graceMs: number;
  /** Time between SIGINT and SIGTERM for a one-shot CLI. */
  readonly interruptMs: number;
  /** Time between SIGTERM and killing the whole process tree. */
  readonly termMs: number;
  /** Time that `break` in a loop waits for the process to exit. */
  readonly breakWaitMs: number;
  /** Maximum silence of the CLI during the handshake of a session. */
  readonly startTimeoutMs: number;
  /** Maximum duration of the handshake of a session, whatever the CLI sends meanwhile. */
  readonly startTotalMs: number;
  /** Time that the first prompt waits for external MCP servers. The CLI itself gives up on them after 30 s. */
  readonly serverStartMs: number;
  /** Maximum number of sessions that start at the same time in this process; 0 means twice the number of cores. */
  readonly parallelStarts: number;
  /** Timeout of a hook; 0 means no limit. A number, or one per event (`{ PreToolUse: 5_000 }`) with 60 s for the others. */
  readonly hookTimeoutMs: number | Readonly<Record<string, number>>;
  /** Timeout of a permission decision; 0 means no limit. */
  readonly permissionTimeoutMs: number;
  /** Timeout of an in-process tool server for its start and for every request except a tool call. */
  readonly toolRequestTimeoutMs: number;
  /** Timeout of an in-process tool call; 0 means no limit. */
  readonly toolCallTimeoutMs: number;
  /** Time for an in-process tool server to close. */
  readonly toolCloseMs: number;
  /** Maximum number of hook callbacks that run at the same time. */
  readonly maxRunningHooks: number;
  /** Maximum number of waiting hook callbacks. */
  readonly maxWaitingHooks: number;
  /** Maximum number of unanswered permission requests of the CLI, and of unanswered requests of other kinds except hooks. */
  readonly maxOpenRequests: number;
  /** Maximum number of waiting turns. */
  readonly maxWaitingTurns: number;
  /** Maximum number of operations that wait for a session to be ready. */
  readonly maxQueuedOperations: number;
  /** Maximum number of unanswered control requests. */
  readonly maxPendingRequests: number;
  /** Timeout of a control request; restarts whenever the CLI reports progress. */
  readonly controlTimeoutMs: number;
  /** Maximum duration of a control request, whatever progress the CLI reports; at least the request's own timeout. */
  readonly controlTotalMs: number;
  /** Timeout for the answer to an interrupt and for the end of the interrupted turn. */
  readonly interruptTimeoutMs: number;
  /** Maximum size of a turn's unread messages while the pipe cannot be paused. */
  readonly backlogBytes: number;
  /** Maximum size of the backlog of a slow observer. */
  readonly observerBytes: number;
  /** Timeout of one session store call, except `load`. */
  readonly storeTimeoutMs: number;
  /** Timeout of loading a conversation from a session store. */
  readonly storeLoadMs: number;
  /** Number of attempts per session store call. */
  readonly storeAttempts: number;
  /** Delay before the second attempt of a store call; doubles with each attempt. */
  readonly storeRetryMs: number;
  /** Maximum size of a file beside the transcripts, such as a tool result, that is copied to a session store. */
  readonly maxBlobBytes: number;
}

/** As `Limits`, but every value is a number. */
type DefaultLimits = Limits & { readonly hookTimeoutMs: number };

export const defaultLimits: DefaultLimits = {
  maxLineBytes: 16 * 1024 * 1024,
  bufferBytes: 8 * 1024 * 1024,
  stderrTailBytes: 8 * 1024,
  maxDecodeErrors: 5,
  versionTimeoutMs: 20_000,
  backgroundWaitMs: 10 * 60_000,
  drainMs: 1_000,
  maxLateMessages: 10,
  exitReadMs: 500,
  graceMs: 5_000,
  interruptMs: 2_000,
  termMs: 3_000,
  breakWaitMs: 1_000,
  startTimeoutMs: 60_000,
  startTotalMs: 10 * 60_000,
  serverStartMs: 30_000,
  parallelStarts: 0,
  hookTimeoutMs: 60_000,
  permissionTimeoutMs: 0,
  toolRequestTimeoutMs: 20_000,
  toolCallTimeoutMs: 0,
  toolCloseMs: 1_000,
  maxRunningHooks: 32,
  maxWaitingHooks: 1_024,
  maxOpenRequests: 1_024,
  maxWaitingTurns: 1_000,
  maxQueuedOperations: 16,
  maxPendingRequests: 64,
  controlTimeoutMs: 60_000,
  controlTotalMs: 10 * 60_000,
  interruptTimeoutMs: 5_000,
  backlogBytes: 64 * 1024 * 1024,
  observerBytes: 1024 * 1024,
  storeTimeoutMs: 10_000,
  storeLoadMs: 60_000,
  storeAttempts: 3,
  storeRetryMs: 200,
  maxBlobBytes: 64 * 1024 * 1024,
};

/** The defaults of sessions: a version check must not delay the start, and the CLI saves more when it exits. */
export const defaultSessionLimits: DefaultLimits = { ...defaultLimits, versionTimeoutMs: 2_000, termMs: 5_000 };
