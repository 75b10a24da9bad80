/** Timeouts and the sizes of buffers and queues. Each can be set through the option `limits`. */
export interface Limits {
  /** The longest line of the CLI that is accepted. */
  readonly maxLineBytes: number;
  /** How much unread output is buffered. Once a reader has started, the CLI is already paused at 1 MiB. */
  readonly bufferBytes: number;
  /** How much of the end of stderr is kept for errors. */
  readonly stderrTailBytes: number;
  /** The number of undecodable lines in a row after which a query fails. */
  readonly maxDecodeErrors: number;
  /** How long `claude --version` may take. */
  readonly versionTimeoutMs: number;
  /** How long background tasks may continue after a result; 0 ends the run at its first result. */
  readonly backgroundWaitMs: number;
  /** How long the run waits for late output and the exit after the last result. */
  readonly drainMs: number;
  /** How many late messages are delivered; the rest is only counted. */
  readonly maxLateMessages: number;
  /** How long stdout is still read after the process has exited, or the exit is awaited after stdout has ended or stdin was closed. */
  readonly exitReadMs: number;
  /** How long a CLI that has finished may take to exit. */
  readonly graceMs: number;
  /** How long a one-shot CLI has between SIGINT and SIGTERM. */
  readonly interruptMs: number;
  /** How long the CLI has after SIGTERM before its whole process tree is killed. */
  readonly termMs: number;
  /** How long leaving a loop early waits for the process to end. */
  readonly breakWaitMs: number;
  /** How long the CLI may be silent during a session's handshake. */
  readonly startTimeoutMs: number;
  /** How long a session's handshake may take in all, whatever the CLI sends meanwhile. */
  readonly startTotalMs: number;
  /** How long the first prompt waits for MCP servers outside of this process; the CLI itself gives them up after 30 s. */
  readonly serverStartMs: number;
  /** How many sessions may start at the same time in this process; 0 means twice the number of cores. */
  readonly parallelStarts: number;
  /** How long a hook may take; 0 means no limit. A number, or one per event (`{ PreToolUse: 5_000 }`) with 60 s for the others. */
  readonly hookTimeoutMs: number | Readonly<Record<string, number>>;
  /** How long the decision about a permission may take; 0 means no limit. */
  readonly permissionTimeoutMs: number;
  /** How long an in-process tool server may take to start, and to answer any request except a tool call. */
  readonly toolRequestTimeoutMs: number;
  /** How long a call of an in-process tool may take; 0 means no limit. */
  readonly toolCallTimeoutMs: number;
  /** How long an in-process tool server may take to close. */
  readonly toolCloseMs: number;
  /** How many hook callbacks run at the same time. */
  readonly maxRunningHooks: number;
  /** How many hook callbacks may wait. */
  readonly maxWaitingHooks: number;
  /** How many permission requests of the CLI may be unanswered, and how many requests of other kinds except hooks. */
  readonly maxOpenRequests: number;
  /** How many turns may wait. */
  readonly maxWaitingTurns: number;
  /** How many operations may wait for a session to be ready. */
  readonly maxQueuedOperations: number;
  /** How many control requests may be unanswered. */
  readonly maxPendingRequests: number;
  /** How long a control request may take; progress that the CLI reports starts this time again. */
  readonly controlTimeoutMs: number;
  /** How long a control request may take in all, whatever progress the CLI reports; at least the request's own timeout. */
  readonly controlTotalMs: number;
  /** How long the answer to an interrupt, and the end of an interrupted turn, may take. */
  readonly interruptTimeoutMs: number;
  /** How much of a turn's unread messages is kept while the pipe cannot be paused. */
  readonly backlogBytes: number;
  /** How much is kept for an observer that falls behind. */
  readonly observerBytes: number;
  /** How long one call of a session store may take, except loading. */
  readonly storeTimeoutMs: number;
  /** How long loading a conversation from a session store may take. */
  readonly storeLoadMs: number;
  /** How often a call of a session store is tried. */
  readonly storeAttempts: number;
  /** The wait before the second attempt of a store call; it doubles each time. */
  readonly storeRetryMs: number;
  /** The largest file beside the transcripts, such as a tool result, that a session store gets. */
  readonly maxBlobBytes: number;
}

/** All defaults are numbers. */
type DefaultLimits = Limits & { readonly hookTimeoutMs: number };

/** The defaults. */
export const defaultLimits: DefaultLimits = {
  maxLineBytes: 16 * 1024 * 1024,
  bufferBytes: 8 * 1024 * 1024,
  stderrTailBytes: 8 * 1024,
  maxDecodeErrors: 5,
  versionTimeoutMs: 5_000,
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

/** The defaults of sessions: the version check must not delay the start, and the CLI has more to save when it ends. */
export const defaultSessionLimits: DefaultLimits = { ...defaultLimits, versionTimeoutMs: 2_000, termMs: 5_000 };
