/** Every number the library waits, holds or counts to. Each can be set through the option `limits`. */
export interface Limits {
  /** The longest line of the CLI that is accepted. */
  readonly maxLineBytes: number;
  /** How much unread output is held at most. A reader that has begun is waited for sooner, when 1 MiB waits. */
  readonly bufferBytes: number;
  /** How much of the end of stderr is kept for errors. */
  readonly stderrTailBytes: number;
  /** Undecodable lines in a row after which a query gives up. */
  readonly maxDecodeErrors: number;
  /** How long `claude --version` may take. */
  readonly versionTimeoutMs: number;
  /** How long background tasks may run on after a result; 0 ends the run at its first result. */
  readonly backgroundWaitMs: number;
  /** How long late output and the exit are waited for after the last result. */
  readonly drainMs: number;
  /** How many late messages are handed on before the rest is only counted. */
  readonly maxLateMessages: number;
  /** How long stdout is read on after the process has exited, or the exit is waited for after stdout has ended. */
  readonly exitReadMs: number;
  /** How long a CLI that is done may take to leave by itself. */
  readonly graceMs: number;
  /** How long after SIGINT a one-shot CLI gets before SIGTERM. */
  readonly interruptMs: number;
  /** How long after SIGTERM the CLI gets before its whole tree is killed. */
  readonly termMs: number;
  /** How long leaving a loop early may wait for the process. */
  readonly breakWaitMs: number;
  /** How long a session's handshake may take without a word from the CLI. */
  readonly startTimeoutMs: number;
  /** How many sessions may start at once in this process; 0: twice the number of cores, more while each takes under 0.1 s. */
  readonly parallelStarts: number;
  /** How long a hook may take: one number, or a number per event (`{ PreToolUse: 5_000 }`), with 60 s for the others. */
  readonly hookTimeoutMs: number | Readonly<Record<string, number>>;
  /** How long a permission may take; 0 means as long as it takes. */
  readonly permissionTimeoutMs: number;
  /** How long an in-process tool server may take to start, and for every request but a tool call. */
  readonly toolRequestTimeoutMs: number;
  /** How long a call of an in-process tool may take; 0 means as long as it takes. */
  readonly toolCallTimeoutMs: number;
  /** How long an in-process tool server may take to close. */
  readonly toolCloseMs: number;
  /** How many hook callbacks run at once. */
  readonly maxRunningHooks: number;
  /** How many more may wait. */
  readonly maxWaitingHooks: number;
  /** How many turns may wait. */
  readonly maxWaitingTurns: number;
  /** How many operations may wait for a session to be ready. */
  readonly maxQueuedOperations: number;
  /** How many control requests may be unanswered. */
  readonly maxPendingRequests: number;
  /** How long a control request may take. */
  readonly controlTimeoutMs: number;
  /** How long an interrupt may take to be answered, and an interrupted turn to end. */
  readonly interruptTimeoutMs: number;
  /** How much of a turn's unread messages is kept when the pipe cannot be paused. */
  readonly backlogBytes: number;
  /** How much an observer that falls behind keeps. */
  readonly observerBytes: number;
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
  parallelStarts: 0,
  hookTimeoutMs: 60_000,
  permissionTimeoutMs: 0,
  toolRequestTimeoutMs: 20_000,
  toolCallTimeoutMs: 0,
  toolCloseMs: 1_000,
  maxRunningHooks: 32,
  maxWaitingHooks: 1_024,
  maxWaitingTurns: 1_000,
  maxQueuedOperations: 16,
  maxPendingRequests: 64,
  controlTimeoutMs: 60_000,
  interruptTimeoutMs: 5_000,
  backlogBytes: 64 * 1024 * 1024,
  observerBytes: 1024 * 1024,
};

/** What is different for a session: the probe may not hold up its start, and it has more to put away when it ends. */
export const defaultSessionLimits: DefaultLimits = { ...defaultLimits, versionTimeoutMs: 2_000, termMs: 5_000 };

/** The longest delay a timer takes; more would fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;
