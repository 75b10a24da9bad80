/** The part of a run that an error belongs to. */
export type ErrorFamily = 'start' | 'stream' | 'control' | 'options' | 'tool';

/** The documentation of one error class. */
export interface ErrorRow {
  readonly family: ErrorFamily;
  /** What it ends: the run (a query, a turn, a job or a session), only the call that it rejects, or one line of output. */
  readonly ends: 'run' | 'call' | 'line';
  readonly cause: string;
  readonly remedy: string;
}

/** Every error class of the library by name; `docs/errors.md` is generated from it. */
export const errorTable: Readonly<Record<string, ErrorRow>> = {
  OptionsError: {
    family: 'options',
    ends: 'run',
    cause:
      'The options or the prompt are invalid. Nothing was started. For an invalid argument of an operation, such as `answerPermission()`, only that call fails.',
    remedy: '`problems` lists everything that is wrong, each with its path and, for a misspelt name, the likely one.',
  },
  UnsupportedOptionError: {
    family: 'options',
    ends: 'run',
    cause:
      'An option needs a flag, a hook event or a part of the protocol that the CLI is known to lack. No prompt was sent.',
    remedy: "Update the CLI to `required`, pass `cli: 'pinned'`, or leave the option out.",
  },
  CliNotFoundError: {
    family: 'start',
    ends: 'run',
    cause: 'No Claude Code CLI was found in any of the places in `searched`.',
    remedy:
      "Install it (`npm install -g @anthropic-ai/claude-code`), set `COXSWAIN_CLI` or the option `cli` to its path, or pass `cli: 'pinned'`.",
  },
  CliInstallError: {
    family: 'start',
    ends: 'run',
    cause: "`cli: 'pinned'` could not install its release: no network, no space, or a package that failed its check.",
    remedy:
      'Read the message and `cause`; check the npm registry and proxy settings, and that `directory` is writable.',
  },
  UnsupportedCliVersionError: {
    family: 'start',
    ends: 'run',
    cause:
      'The CLI is older than `required`; `found` is `unknown` if it has only refused a flag that it does not support.',
    remedy: "Update it (`claude update`), or pass `cli: 'pinned'`.",
  },
  UnknownVersionError: {
    family: 'start',
    ends: 'run',
    cause: '`claude --version` printed no version number: another program, or a wrapper.',
    remedy: "Check what `path` is; `versionCheck: 'warn'` turns this into a warning.",
  },
  VersionDetectionError: {
    family: 'start',
    ends: 'run',
    cause: '`claude --version` failed, or did not answer within `limits.versionTimeoutMs`.',
    remedy: "Run it yourself; raise the limit on a slow machine; `versionCheck: 'warn'` turns this into a warning.",
  },
  SpawnError: {
    family: 'start',
    ends: 'run',
    cause:
      'The process could not be started. `reason` is the cause: a bad `cwd`, a missing or forbidden file, an argument that is too long, a private file that could not be written, no resources, or (`adapter`) an option `transport` or `spawn` that threw or returned something unusable.',
    remedy: 'Fix what `reason` names; `cause` is the error of the operating system, or of your function.',
  },
  ProcessError: {
    family: 'stream',
    ends: 'run',
    cause: 'The CLI ended badly without a result; with `strictExit` also after one (then `result` is set).',
    remedy: 'Read `hint` and `stderrTail`; `exitCode` or `signal` shows how it ended.',
  },
  TransportError: {
    family: 'stream',
    ends: 'run',
    cause: 'Reading from the CLI or writing to it failed while it was running.',
    remedy: 'Check `cause`, and your own transport if you use one; otherwise run again.',
  },
  BufferOverflowError: {
    family: 'stream',
    ends: 'run',
    cause: 'The CLI sent a line longer than `limits.maxLineBytes`.',
    remedy: 'Raise the limit if such answers are expected.',
  },
  TooManyDecodeErrors: {
    family: 'stream',
    ends: 'run',
    cause: '`limits.maxDecodeErrors` lines in a row could not be decoded: the program does not use the protocol.',
    remedy: 'Check the option `cli` and any wrapper around it; `last` is the last bad line.',
  },
  Utf8DecodeError: {
    family: 'stream',
    ends: 'line',
    cause: 'A line on stdout was not valid UTF-8; `bytes` are its exact bytes. The run continues.',
    remedy: "Find out what else writes to the CLI's stdout: a wrapper script, a hook, a shell profile.",
  },
  JsonDecodeError: {
    family: 'stream',
    ends: 'line',
    cause: 'A line on stdout was not JSON; `line` is the exact line. The run continues.',
    remedy: "Find out what else writes to the CLI's stdout: a wrapper script, a hook, an old CLI.",
  },
  UnexpectedMessageError: {
    family: 'stream',
    ends: 'line',
    cause: 'A line was JSON, but not an object with a string `type`; `rawJson` is the line. The run continues.',
    remedy: 'Usually none; report it if the CLI itself sent it.',
  },
  AbortError: {
    family: 'stream',
    ends: 'run',
    cause: "The caller's `signal` was aborted, or the caller cancelled a job of a pool (`by`); `cause` is the reason.",
    remedy: 'None: the caller requested it.',
  },
  TimeoutError: {
    family: 'stream',
    ends: 'run',
    cause: '`timeoutMs` or `idleTimeoutMs` expired; `kind` is the one that did.',
    remedy: 'Raise it, or make the task smaller.',
  },
  StreamConsumedError: {
    family: 'stream',
    ends: 'call',
    cause: 'A stream was iterated a second time.',
    remedy:
      'Iterate once, or keep what you need; `result()`, `text()` and `output()` can be awaited any number of times.',
  },
  NoResultError: {
    family: 'stream',
    ends: 'run',
    cause: '`result()`, `text()` or `output()` was awaited, but the run ended, or was closed, before a result arrived.',
    remedy: 'Do not close the stream before its result; the warnings contain the reason of the exit.',
  },
  ResultError: {
    family: 'stream',
    ends: 'run',
    cause: '`text()` or `output()` was awaited, but the outcome of the run is not `completed`.',
    remedy:
      'Switch on `outcome`; for `rate-limit`, `resetsAt` is when it ends, if the CLI reported it; `outcomeOf(error.result)` has the other details. `result()` does not reject because of an outcome.',
  },
  StructuredOutputError: {
    family: 'stream',
    ends: 'run',
    cause: 'The run has no valid structured output; `reason` is absent, invalid or retries.',
    remedy: 'Check `issues`; simplify the schema, or describe the output in the prompt.',
  },
  ToolServerBusyError: {
    family: 'tool',
    ends: 'run',
    cause: 'An MCP server object was passed to a session while it was connected to another session or transport.',
    remedy: 'Pass `{ create: () => … }` to create a server for each session, or close the other session first.',
  },
  ToolServerStartError: {
    family: 'tool',
    ends: 'run',
    cause:
      'An MCP server in this process could not be created or connected: its `create()` or `connect()` threw or hung.',
    remedy: 'Check `cause`, and fix the server that `server` names.',
  },
  McpLibraryMissingError: {
    family: 'tool',
    ends: 'run',
    cause: '`toolServer()` was used, but `@modelcontextprotocol/server` is not installed or cannot be loaded.',
    remedy: 'Run the command in `install`; check `cause` if it is installed.',
  },
  McpServerUnavailableError: {
    family: 'tool',
    ends: 'run',
    cause:
      'An MCP server that the options require (`required: true`, or named by `allowedTools` or `permissionPromptTool`) failed, needs a login, is disabled, or was not ready within `limits.serverStartMs`. No prompt was sent.',
    remedy: '`servers` has the name, the status and the reason of each. Correct the server, or set `required: false`.',
  },
  McpServerCollisionError: {
    family: 'tool',
    ends: 'run',
    cause:
      'The CLI has loaded an MCP server from its settings whose tools are allowed by a rule for another server, because the names are the same, one begins like the other, or they differ only in characters that the CLI replaces.',
    remedy: 'Rename one of the two, or pass `strictMcpConfig: true`.',
  },
  IsolationUnavailableError: {
    family: 'start',
    ends: 'run',
    cause:
      '`isolate` is set, and bubblewrap is not installed, or does not work: user namespaces may be turned off. Nothing was started.',
    remedy: 'Install `bubblewrap`, or allow user namespaces, as `reason` says.',
  },
  SandboxUnavailableError: {
    family: 'start',
    ends: 'run',
    cause:
      'The options turn the sandbox on, and the CLI cannot use one: on Linux, `bwrap` or `socat` is missing. Nothing was started.',
    remedy: 'Install what `reason` names. With `sandbox.failIfUnavailable: false` commands run without a sandbox.',
  },
  InitializationTimeoutError: {
    family: 'start',
    ends: 'run',
    cause:
      'The CLI did not answer the handshake of a session, and was silent for `limits.startTimeoutMs`, or talked for `limits.startTotalMs`.',
    remedy:
      'Slow `SessionStart` hooks, MCP servers or a busy machine delay it: raise the limit; `stderrTail` and `onStderr` show what it does.',
  },
  InitializationError: {
    family: 'start',
    ends: 'run',
    cause: 'The CLI refused the handshake of a session.',
    remedy: 'The message quotes its reason; check the options it names.',
  },
  CliExitedDuringInitError: {
    family: 'start',
    ends: 'run',
    cause: 'The CLI exited before a session was ready: a bad flag, a conversation that does not exist, no permission.',
    remedy: 'The message quotes its last output and gives a hint.',
  },
  ControlTimeoutError: {
    family: 'control',
    ends: 'call',
    cause: 'The CLI did not answer a control request in time.',
    remedy: 'Check `session.health()`; give the request more time with `timeoutMs`.',
  },
  ControlRequestError: {
    family: 'control',
    ends: 'call',
    cause: 'The CLI refused a control request; `errorCode` is its own code, if it sent one.',
    remedy: 'Check the arguments, and whether this release supports the request (`unsupported_request`).',
  },
  UnsupportedRequestError: {
    family: 'control',
    ends: 'call',
    cause: 'The CLI is known to be older than `required`, which `kind` needs. Nothing was sent; the session continues.',
    remedy: "Update the CLI, pass `cli: 'pinned'`, or do not use it.",
  },
  SessionStoppedError: {
    family: 'control',
    ends: 'run',
    cause: 'An operation was called on a session that was closed or has ended; `cause` is what ended it.',
    remedy: 'Open a new session; `resume` continues the conversation.',
  },
  TooManyPendingRequestsError: {
    family: 'control',
    ends: 'call',
    cause: '`limits.maxPendingRequests` control requests are unanswered.',
    remedy: 'Await some of them first.',
  },
  InitQueueOverflowError: {
    family: 'control',
    ends: 'call',
    cause: 'More than `limits.maxQueuedOperations` operations are waiting for a session that is not ready.',
    remedy: 'Await `session.ready` first.',
  },
  CheckpointingNotEnabledError: {
    family: 'control',
    ends: 'call',
    cause: '`rewindFiles` was called on a session without `fileCheckpointing`.',
    remedy: 'Open the session with `fileCheckpointing: true`.',
  },
  NoSuchPermissionError: {
    family: 'control',
    ends: 'call',
    cause: 'The permission request is not open: it was already answered, or withdrawn by the CLI.',
    remedy: '`session.pendingPermissions()` lists the open ones.',
  },
  TurnQueueFullError: {
    family: 'control',
    ends: 'call',
    cause: '`limits.maxWaitingTurns` turns are already waiting in the session.',
    remedy: 'Await some of them, or distribute the work over several sessions.',
  },
  TurnEndedError: {
    family: 'control',
    ends: 'call',
    cause: '`steer()` was called on a turn that is not running.',
    remedy: 'Use `session.send()`.',
  },
  TurnCancelledError: {
    family: 'control',
    ends: 'run',
    cause: 'A waiting turn was interrupted; its prompt was never sent.',
    remedy: 'Send it again if it is still needed.',
  },
  TurnStuckError: {
    family: 'control',
    ends: 'run',
    cause:
      'The CLI did not end a turn that timed out or was aborted, or did not answer an interrupt; the session was closed.',
    remedy: 'Open a new session with `resume`; `cause` is the reason for the interruption.',
  },
  SessionNotForkableError: {
    family: 'control',
    ends: 'call',
    cause: '`fork()` was called on a session without a finished turn on disk.',
    remedy: 'Await a turn first, and do not set `persistSession: false`.',
  },
  ReaderTooSlowError: {
    family: 'stream',
    ends: 'call',
    cause:
      "A turn's reader fell more than `limits.backlogBytes` behind while the pipe could not be paused; the turn continues.",
    remedy: 'Read faster, raise the limit, or use `result()`.',
  },
  TurnNotKeptError: {
    family: 'stream',
    ends: 'call',
    cause: 'A turn that was not read while it ran grew past `limits.bufferBytes`; only its result was kept.',
    remedy: 'Iterate it right after `send()`, or use `result()` and `text()`.',
  },
  ResultLostError: {
    family: 'stream',
    ends: 'run',
    cause: "A turn's result was on a line longer than `limits.maxLineBytes`.",
    remedy: 'Raise the limit.',
  },
  TurnInterruptedError: {
    family: 'stream',
    ends: 'run',
    cause:
      'The CLI of a session with `restart` died during this turn. It is restarted and the session continues, unless the limit of restarts is reached (`restart-limit`). `text` and `messages` are what had arrived.',
    remedy:
      'Send the prompt again if its work may be done twice; `restart.replay` does so automatically. `cause` describes how the CLI ended.',
  },
  TurnParkedError: {
    family: 'stream',
    ends: 'run',
    cause:
      '`session.park()` ended the process of this turn while its permission request waits, or a session that resumes such a request was closed before the answer. Nothing was run.',
    remedy: 'Open a session with `parked`, with what `park()` or `parkable()` returned, when there is an answer.',
  },
  CannotParkError: {
    family: 'control',
    ends: 'call',
    cause: 'The permission request cannot be parked; `obstacle` is the reason. It still waits.',
    remedy: 'Keep the process, and answer with `answerPermission()`. The guide to parked requests lists the obstacles.',
  },
  ParkedRequestError: {
    family: 'start',
    ends: 'run',
    cause:
      'A parked request cannot be resumed; `problem` is the reason. This session has run nothing; after `answered`, an earlier one may have.',
    remedy:
      '`unguarded`: open the session again. `finished`, `superseded`, `answered`: resume the conversation without `parked`. `not-found`: check `sessionStore` and `storeProject`. `changed`: the store was changed.',
  },
  RestartLimitError: {
    family: 'control',
    ends: 'run',
    cause:
      'The CLI of a session died more than `restart.maxRestarts` times within `restart.windowMs`; the session was closed. It is the error of the event `failed`, and the `cause` of the `session-stopped` of waiting and later turns.',
    remedy: 'Fix what `cause` describes, then open a new session with `resume`.',
  },
  PoolQueueFullError: {
    family: 'control',
    ends: 'call',
    cause: "The pool's queue is full (`queue`), or one key has too many waiting jobs (`perKey`). The job was rejected.",
    remedy:
      'Wait until some jobs finish and submit it again, or raise the limit. `key` is set if that key has too many jobs.',
  },
  PoolClosedError: {
    family: 'control',
    ends: 'call',
    cause: 'The pool was draining or closed, so the job was not started.',
    remedy: 'Submit it to another pool, or create a new one.',
  },
  DuplicateJobError: {
    family: 'control',
    ends: 'call',
    cause: 'A job with the same id is already waiting or running in the pool; this one was rejected.',
    remedy: 'Use another id, or wait for the first to finish.',
  },
  SessionUnhealthyError: {
    family: 'control',
    ends: 'run',
    cause: 'A session of a pool no longer answered a health check, and its process was ended.',
    remedy: "The key's next job continues the conversation in a new process. Submit the job again if it was cut off.",
  },
  SessionNotFoundError: {
    family: 'control',
    ends: 'call',
    cause: "The CLI's files contain no session with this id, or it has no conversation.",
    remedy:
      '`listSessions()` lists the sessions on disk; check `configDir` and `cwd`. `searched` lists the folders that were searched.',
  },
  SubagentNotFoundError: {
    family: 'control',
    ends: 'call',
    cause: 'The session on disk has no transcript of a subagent with this id.',
    remedy: '`getSession()` lists the subagents of a session.',
  },
  MessageNotFoundError: {
    family: 'control',
    ends: 'call',
    cause: '`forkSession` was called with a message that is not part of the conversation.',
    remedy: 'Use the `uuid` of a message that `getSessionMessages()` returns.',
  },
  SessionFileError: {
    family: 'control',
    ends: 'call',
    cause: 'A file or folder of the CLI could not be read, written or removed.',
    remedy: 'Check `path` and `cause`: its owner, its permissions, and the free space on the disk.',
  },
  StoreFailedError: {
    family: 'stream',
    ends: 'run',
    cause:
      'A session store failed or did not answer in time, `attempts` times. With `operation: "append"` or `"blob"` a turn was answered but is not completely stored; with `"load"` a session could not start; a function of `coxswain/transcripts` only rejects.',
    remedy:
      "Check the store; `cause` is its error. Entries that are not stored are kept and tried again with the next turn. `limits.storeTimeoutMs`, `limits.storeAttempts` and `storeFailure: 'warn'` control how strict it is.",
  },
  StoreUnableError: {
    family: 'options',
    ends: 'call',
    cause: 'The session store lacks the optional `method` that a function of `coxswain/transcripts` needs.',
    remedy: 'Use a store that has it, or add it to your adapter.',
  },
};
