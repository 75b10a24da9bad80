/** Where in the life of a run an error belongs. */
export type ErrorFamily = 'start' | 'stream' | 'control' | 'options' | 'tool';

/** What the documentation says about one error class. */
export interface ErrorRow {
  readonly family: ErrorFamily;
  /** Whether the run is over with it. */
  readonly terminal: boolean;
  readonly cause: string;
  readonly remedy: string;
}

/** Every error class of the library by its name; `docs/errors.md` is made from it. */
export const errorTable: Readonly<Record<string, ErrorRow>> = {
  OptionsError: {
    family: 'options',
    terminal: true,
    cause: 'The options, or the prompt, cannot be used. Nothing was started.',
    remedy: '`problems` lists everything that is wrong, each with its path and, for a misspelt name, the likely one.',
  },
  UnsupportedOptionError: {
    family: 'options',
    terminal: true,
    cause:
      'An option needs a flag, a hook event or a part of the protocol that the CLI which was found is known to lack. No prompt was sent.',
    remedy: "Update the CLI to `required`, pass `cli: 'pinned'`, or leave the option out.",
  },
  CliNotFoundError: {
    family: 'start',
    terminal: true,
    cause: 'No Claude Code CLI was found at any of the places in `searched`.',
    remedy:
      "Install it (`npm install -g @anthropic-ai/claude-code`), set `COXSWAIN_CLI` or the option `cli` to its path, or pass `cli: 'pinned'`.",
  },
  CliInstallError: {
    family: 'start',
    terminal: true,
    cause: "`cli: 'pinned'` could not install its release: no network, no space, or a package that failed its check.",
    remedy:
      'Read the message and `cause`; check the npm registry and proxy settings, and that `directory` is writable.',
  },
  UnsupportedCliVersionError: {
    family: 'start',
    terminal: true,
    cause: 'The CLI is older than `required`.',
    remedy: "Update it (`claude update`), or pass `cli: 'pinned'`.",
  },
  UnknownVersionError: {
    family: 'start',
    terminal: true,
    cause: '`claude --version` printed no version number: another program, or a wrapper.',
    remedy: 'Check what `path` is; `permissiveVersionCheck: true` turns this into a warning.',
  },
  VersionDetectionError: {
    family: 'start',
    terminal: true,
    cause: '`claude --version` failed, or did not answer within `limits.versionTimeoutMs`.',
    remedy:
      'Run it by hand; raise the limit on a slow machine; `permissiveVersionCheck: true` turns this into a warning.',
  },
  SpawnError: {
    family: 'start',
    terminal: true,
    cause:
      'The process could not be started. `reason` says why: a bad `cwd`, a missing or forbidden file, an argument that is too long, a private file that could not be written, no resources.',
    remedy: 'Mend what `reason` names; `cause` is what the operating system said.',
  },
  ProcessError: {
    family: 'stream',
    terminal: true,
    cause: 'The CLI ended badly without a result; with `strictExit` also after one (then `result` is set).',
    remedy: 'Read `hint` and `stderrTail`; `exitCode` or `signal` says how it ended.',
  },
  TransportError: {
    family: 'stream',
    terminal: true,
    cause: 'Reading from the CLI or writing to it failed while it was alive.',
    remedy: 'See `cause`. With a transport of your own, look there first; else run again.',
  },
  BufferOverflowError: {
    family: 'stream',
    terminal: true,
    cause: 'The CLI sent a line longer than `limits.maxLineBytes`.',
    remedy: 'Raise the limit if such answers are expected.',
  },
  TooManyDecodeErrors: {
    family: 'stream',
    terminal: true,
    cause: '`limits.maxDecodeErrors` lines in a row could not be decoded: the program does not speak the protocol.',
    remedy: 'Check the option `cli` and any wrapper around it; `last` is the last bad line.',
  },
  Utf8DecodeError: {
    family: 'stream',
    terminal: false,
    cause: 'A line on stdout was not valid UTF-8; `bytes` are its exact bytes. The run goes on.',
    remedy: "Find out what else writes to the CLI's stdout: a wrapper script, a hook, a shell profile.",
  },
  JsonDecodeError: {
    family: 'stream',
    terminal: false,
    cause: 'A line on stdout was not JSON; `line` is the exact line. The run goes on.',
    remedy: "Find out what else writes to the CLI's stdout: a wrapper script, a hook, an old CLI.",
  },
  UnexpectedMessageError: {
    family: 'stream',
    terminal: false,
    cause: 'A line was JSON, but not an object with a string `type`; `rawJson` is the line. The run goes on.',
    remedy: 'Usually none; report it if the CLI itself sent it.',
  },
  AbortError: {
    family: 'stream',
    terminal: true,
    cause: "The caller's `signal` was aborted, or the caller cancelled a job of a pool (`by`); `cause` is the reason.",
    remedy: 'None: you asked for it.',
  },
  TimeoutError: {
    family: 'stream',
    terminal: true,
    cause: '`timeoutMs` or `idleTimeoutMs` ran out; `kind` says which.',
    remedy: 'Raise it, or make the task smaller.',
  },
  StreamConsumedError: {
    family: 'stream',
    terminal: true,
    cause: 'A stream was iterated a second time.',
    remedy:
      'Iterate once, or keep what you need; `result()`, `text()` and `output()` may be awaited as often as you like.',
  },
  NoResultError: {
    family: 'stream',
    terminal: true,
    cause: '`result()`, `text()` or `output()` was awaited, but the run ended, or was closed, before a result came.',
    remedy: 'Do not close the stream before its result; see `stream.warnings` for why the CLI left.',
  },
  ResultError: {
    family: 'stream',
    terminal: true,
    cause: '`text()` or `output()` was awaited, but the outcome of the run is not `completed`.',
    remedy:
      'Switch on `outcome`; of a `rate-limit`, `resetsAt` says when it ends, if the CLI has said so; `outcomeOf(error.result)` has the other details. `result()` does not reject for an outcome.',
  },
  StructuredOutputError: {
    family: 'stream',
    terminal: true,
    cause: 'The run has no valid structured output; `reason` is absent, invalid or retries.',
    remedy: 'See `issues`; make the schema simpler, or say in the prompt what is wanted.',
  },
  ToolServerBusyError: {
    family: 'tool',
    terminal: true,
    cause: 'An MCP server object was given to a session while another session, or a transport of your own, has it.',
    remedy: 'Pass `{ create: () => … }` to make a server for each session, or stop the other session first.',
  },
  ToolServerStartError: {
    family: 'tool',
    terminal: true,
    cause: 'An MCP server in this process could not be made or connected: its `create()` or `connect()` threw or hung.',
    remedy: 'See `cause`, and mend the server that `server` names.',
  },
  McpLibraryMissingError: {
    family: 'tool',
    terminal: true,
    cause: '`toolServer()` was used, but `@modelcontextprotocol/server` is not installed or cannot be loaded.',
    remedy: 'Run the command in `install`; see `cause` if it is installed.',
  },
  InitializationTimeoutError: {
    family: 'start',
    terminal: true,
    cause:
      'The CLI did not answer the handshake of a session within `limits.startTimeoutMs`, and said nothing meanwhile.',
    remedy:
      'Slow `SessionStart` hooks, MCP servers or a busy machine delay it: raise the limit; `stderrTail` and `onStderr` show what it does.',
  },
  InitializationError: {
    family: 'start',
    terminal: true,
    cause: 'The CLI refused the handshake of a session.',
    remedy: 'The message holds its own words; check the options they name.',
  },
  CliExitedDuringInitError: {
    family: 'start',
    terminal: true,
    cause: 'The CLI left before a session was ready: a bad flag, a conversation that does not exist, no permission.',
    remedy: 'The message holds its last words and a hint.',
  },
  ControlTimeoutError: {
    family: 'control',
    terminal: true,
    cause: 'The CLI did not answer a control request in time.',
    remedy: 'Look at `session.health()`; give the request more time with `timeoutMs`.',
  },
  ControlRequestError: {
    family: 'control',
    terminal: true,
    cause: 'The CLI refused a control request; `errorCode` is its own code, where it has one.',
    remedy: 'Check the arguments, and whether this release knows the request (`unsupported_request`).',
  },
  UnsupportedRequestError: {
    family: 'control',
    terminal: true,
    cause: 'The CLI is known to be older than `required`, which `kind` needs. Nothing was sent; the session goes on.',
    remedy: "Update the CLI, pass `cli: 'pinned'`, or do without.",
  },
  SessionStoppedError: {
    family: 'control',
    terminal: true,
    cause: 'Something was asked of a session that was stopped or has ended; `cause` is what ended it.',
    remedy: 'Start a new session; `resume` takes up the conversation.',
  },
  TooManyPendingRequestsError: {
    family: 'control',
    terminal: true,
    cause: '`limits.maxPendingRequests` control requests are unanswered.',
    remedy: 'Await some of them first.',
  },
  InitQueueOverflowError: {
    family: 'control',
    terminal: true,
    cause: 'More than `limits.maxQueuedOperations` operations were asked of a session that was not ready.',
    remedy: 'Await `session.ready` first.',
  },
  CheckpointingNotEnabledError: {
    family: 'control',
    terminal: true,
    cause: '`rewindFiles` was called on a session without `fileCheckpointing`.',
    remedy: 'Start the session with `fileCheckpointing: true`.',
  },
  NoSuchPermissionError: {
    family: 'control',
    terminal: true,
    cause: 'A permission was answered that nobody waits for: answered already, or withdrawn by the CLI.',
    remedy: '`session.pendingPermissions()` lists the open ones.',
  },
  TurnQueueFullError: {
    family: 'control',
    terminal: true,
    cause: '`limits.maxWaitingTurns` turns already wait in the session.',
    remedy: 'Await some of them, or spread the work over several sessions.',
  },
  TurnEndedError: {
    family: 'control',
    terminal: true,
    cause: '`steer()` was called on a turn that is not running.',
    remedy: 'Use `session.send()`.',
  },
  TurnCancelledError: {
    family: 'control',
    terminal: true,
    cause: 'A waiting turn was interrupted; its prompt was never sent.',
    remedy: 'Send it again if it is still wanted.',
  },
  TurnStuckError: {
    family: 'control',
    terminal: true,
    cause: 'The CLI did not end a turn that was timed out or aborted; the session was given up.',
    remedy: 'Start a new session with `resume`; `cause` says why the turn was to end.',
  },
  SessionNotForkableError: {
    family: 'control',
    terminal: true,
    cause: '`fork()` was called on a session without a finished turn on disk.',
    remedy: 'Await a turn first, and do not set `persistSession: false`.',
  },
  ReaderTooSlowError: {
    family: 'stream',
    terminal: true,
    cause:
      "A turn's reader fell more than `limits.backlogBytes` behind where the pipe could not be paused; the turn goes on.",
    remedy: 'Read faster, raise the limit, or use `result()`.',
  },
  TurnNotKeptError: {
    family: 'stream',
    terminal: true,
    cause: 'A turn that nobody read while it ran grew past `limits.bufferBytes`; only its result was kept.',
    remedy: 'Iterate it at once, or use `result()` and `text()`.',
  },
  ResultLostError: {
    family: 'stream',
    terminal: true,
    cause: "A turn's result came on a line over `limits.maxLineBytes`.",
    remedy: 'Raise the limit.',
  },
  TurnInterruptedError: {
    family: 'stream',
    terminal: true,
    cause:
      'The CLI of a supervised session died while it was at this turn; it was started again, and the session goes on. `text` and `messages` are what had come.',
    remedy:
      'Send the prompt again if what was done by then may be done twice; `policy.replay` does so by itself. `cause` is how the CLI died.',
  },
  RestartLimitError: {
    family: 'control',
    terminal: true,
    cause:
      'The CLI of a supervised session died more than `policy.maxRestarts` times within `policy.windowMs`; the session was given up.',
    remedy: 'See `cause` and mend it, then start a new session with `resume`.',
  },
  PoolQueueFullError: {
    family: 'control',
    terminal: true,
    cause:
      'So many jobs wait in a pool as its `queue` holds, or as many of one key as `perKey` allows. The job was not taken.',
    remedy:
      'Let some end first and submit it again, or raise the limit. `key` is set when it is the one that has too many.',
  },
  PoolClosedError: {
    family: 'control',
    terminal: true,
    cause: 'The pool was draining or stopped, so the job was never started.',
    remedy: 'Give it to another pool, or make a new one.',
  },
  DuplicateJobError: {
    family: 'control',
    terminal: true,
    cause: 'A job with the same id waits or runs in the pool already; this one was not taken.',
    remedy: 'Use another id, or wait for the first to end.',
  },
  SessionUnhealthyError: {
    family: 'control',
    terminal: true,
    cause: 'A session of a pool did not answer a health check any more, and its process was ended.',
    remedy: "The key's next job takes the conversation up in a new process. Submit the job again if it was cut off.",
  },
  SessionNotFoundError: {
    family: 'control',
    terminal: true,
    cause: "There is no session with this id among the CLI's files, or there is no conversation in it.",
    remedy:
      '`listSessions()` shows what there is; check `configDir` and `cwd`. `searched` lists where it was looked for.',
  },
  SubagentNotFoundError: {
    family: 'control',
    terminal: true,
    cause: 'The session on disk has no transcript of a subagent with this id.',
    remedy: '`getSession()` lists the subagents of a session.',
  },
  MessageNotFoundError: {
    family: 'control',
    terminal: true,
    cause: '`forkSession` was to copy up to a message that is not part of the conversation.',
    remedy: 'Take the `uuid` of a message that `getSessionMessages()` gives.',
  },
  SessionFileError: {
    family: 'control',
    terminal: true,
    cause: 'A file or folder of the CLI could not be read, written or removed.',
    remedy: 'See `path` and `cause`: look who owns it, and whether there is room on the disk.',
  },
};
