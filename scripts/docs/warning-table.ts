import type { WarningCode } from '../../packages/sdk/src/warnings/warning.ts';

/** The documentation of one warning. */
export interface WarningRow {
  readonly cause: string;
  readonly remedy: string;
}

/** Every warning of the library by its code; `docs/warnings.md` is generated from it. */
export const warningTable: Readonly<Record<WarningCode, WarningRow>> = {
  'api-retry': {
    cause: 'The API failed or rejected a request, and the CLI retries it after a delay, which is in the context.',
    remedy:
      'None if a retry succeeds. Set `maxRetries` or `idleTimeoutMs` to wait less, `fallbackModel` for times of overload.',
  },
  'background-tasks-abandoned': {
    cause: 'Background tasks were still running `limits.backgroundWaitMs` after the result, and the run was ended.',
    remedy: 'Raise the limit, or instruct the model to wait for its tasks. The last result may be a preliminary one.',
  },
  'bad-line-after-result': {
    cause: 'A line that could not be decoded came after the result.',
    remedy: 'None: the result is complete. Another program may be writing to the same stdout.',
  },
  'callback-failed': {
    cause: 'A callback (`onElicitation`, `onControlRequest`) threw, rejected or returned an unusable value.',
    remedy: 'Fix the callback; the CLI received a refusal.',
  },
  'callbacks-queued': {
    cause:
      'More hooks were requested at the same time than `limits.maxRunningHooks`; the rest are queued in order, and their timeouts are already running. Reported once per burst.',
    remedy: 'None if they answer in time; make the hooks faster, or raise the limit.',
  },
  'capabilities-missing': {
    cause: 'The CLI answered the handshake of a session without listing commands, models, agents or capabilities.',
    remedy:
      'Check that the option `cli` or `transport` starts Claude Code. The session works, but `session.commands`, `models` and `agents` are empty.',
  },
  'clean-exit-no-result': {
    cause: 'The CLI exited with 0 but sent no result, as it does after a SIGINT.',
    remedy: 'Treat the run as unfinished; resume it with its session id.',
  },
  'conversation-lost': {
    cause:
      'The CLI of a session with `restart` died during its first turn or right after it, before it had written the conversation to disk. The conversation started over.',
    remedy: 'Repeat lost information in the next prompt. Nothing older than a second was lost.',
  },
  'decision-not-expressible': {
    cause:
      'A callback returned a decision, or a field of one, that its event or this release of the CLI does not support; the message describes what was done instead.',
    remedy: 'See the table of events and decisions in the guide on hooks.',
  },
  'empty-response': {
    cause: 'The CLI exited with 0 without any output.',
    remedy: 'Check that the option `cli` points to Claude Code, and what it writes to stderr (`onStderr`).',
  },
  'fallback-equals-model': {
    cause: '`fallbackModel` is the same as `model`, so it is not a fallback.',
    remedy: 'Name another model, or leave `fallbackModel` out.',
  },
  'guard-replaced': {
    cause:
      'A call passes hooks of a guard event, `disallowedTools`, `settings` or a `sandbox`, which replace those of the client, so that its guards have no effect; or `applySettings()` replaces rules that deny.',
    remedy: 'Pass both in one list: `client.defaults` contains those of the client.',
  },
  'hook-failed': {
    cause:
      'A hook threw, returned an unusable value, timed out, received a malformed request, exceeded the limit of waiting hooks, or was interrupted by the end of the session. The context has the hook, the failure and what was done instead.',
    remedy:
      "Fix the hook. `onFailure: 'block'` makes it block when it fails, `onFailure: 'continue'` makes it allow the action.",
  },
  'hook-input-changed': {
    cause:
      'The CLI sent the input of a hook without a field that it has always had, or with one that is missing from the types. The hook ran anyway. Reported once per event and field.',
    remedy: 'Check that the hook does not rely on a missing field; update Coxswain.',
  },
  'hook-output-suspect': {
    cause: "A hook returned an answer in the CLI's own format that the CLI is known to ignore.",
    remedy: 'Use `deny()`, `stopTurn()` and the other decisions, which are encoded in the form that the CLI follows.',
  },
  'incomplete-last-line': {
    cause: 'The CLI exited with 0 in the middle of a line; the beginning of it is in the context.',
    remedy: 'The last message is lost. Run again if there is no result.',
  },
  'line-too-long': {
    cause:
      'The CLI sent a session a line longer than `limits.maxLineBytes`, which was dropped. A request in it was answered according to its failure policy.',
    remedy: 'Raise the limit if such lines are expected.',
  },
  'long-line': {
    cause:
      'A line of the CLI has grown past 1 MiB and is still unfinished, for instance because a tool returned a large result. The context has its size. Reported once per line.',
    remedy:
      'None if such lines are expected: a line is accepted up to `limits.maxLineBytes`. Otherwise make the tool return less.',
  },
  'malformed-control-frame': {
    cause: 'The CLI sent a control frame without a field that every control frame has.',
    remedy: 'None if the session continues; otherwise update the CLI or this package.',
  },
  'matcher-never-matches': {
    cause: 'The matcher of a hook matches no tool of the session, so the hook is never called.',
    remedy: 'Names must be exact (`Bash`, `Write|Edit`); for the tools of a server write `mcp__files__.*`.',
  },
  'mcp-server-unavailable': {
    cause:
      'An MCP server could not be started or reached, or needs a login; the message has the reason. Its tools do not exist for the model. For a server that the options require it is the error `McpServerUnavailableError`.',
    remedy: 'Correct its command or address; set `required: true` if the agent must not run without it.',
  },
  'non-zero-exit-after-result': {
    cause: 'The CLI sent its result and then exited with an unexpected code, or was killed by a signal.',
    remedy: 'The result is valid. In pipelines, set `strictExit` to turn this into a `ProcessError`.',
  },
  'option-ignored': {
    cause: 'An option has no effect together with another one, such as `continue` with `resume`, and was not used.',
    remedy: 'Leave one of the two out.',
  },
  'orphan-guard-unavailable': {
    cause:
      'The guard process that ends the CLI if the host is killed could not be started, or exited immediately; the start is retried every second.',
    remedy:
      'Until it runs, a SIGKILL of the host may leave the CLI running. `orphanGuard: false` turns the guard and this warning off.',
  },
  'output-after-end': {
    cause: 'The CLI continued to write after its result; the context has the number of dropped messages.',
    remedy: 'None in general; raise `limits.drainMs` or `limits.maxLateMessages` to see them.',
  },
  'permission-denied': {
    cause: 'A result lists tools that were not allowed to run; the context has their names.',
    remedy: 'Allow them with a rule or in `canUseTool` if the task needs them.',
  },
  'permission-failed': {
    cause:
      'A permission could not be decided: `canUseTool` threw, returned an unusable value or timed out, or the request was malformed. The tool was denied.',
    remedy: 'Read the cause in the context and fix the callback.',
  },
  'permission-repeated': {
    cause:
      'The CLI of a session with `restart` and a `sessionStore` died while a permission request was waiting. Another CLI asks for it again, and the turn continues.',
    remedy:
      'None. `canUseTool` is called again with the same `toolUseId`; the earlier request can no longer be answered.',
  },
  'permissions-shadowed': {
    cause:
      '`canUseTool` is set, but the permission mode, also that of an agent, or `allowedTools` decides before it is called; or the CLI runs in another mode than it was started in.',
    remedy:
      'Remove the tool from `allowedTools`, change `permissionMode`, or use a PreToolUse hook, which is called for every tool use. `permissions({ allow, ask })` shows that it is intended.',
  },
  'private-file-left': {
    cause: 'A file with settings or MCP servers for the CLI could not be removed; the context has its path.',
    remedy: 'Remove it: it may contain secrets.',
  },
  'process-tree-unseen': {
    cause:
      'Linux: `/proc` cannot be read, or is that of another PID namespace. A CLI that must be killed is killed with its process group; commands that it runs in separate sessions may keep running.',
    remedy: 'Mount `/proc` for this process (`mount -t proc proc /proc` in its namespaces), or allow it to be read.',
  },
  'question-not-answered': {
    cause:
      '`canUseTool` allowed a question of the model without answering it, so the model was informed that there is no answer.',
    remedy: "Return `answerQuestions({ 'The question?': 'The choice' })`, or refuse it with `deny()`.",
  },
  'sandbox-unavailable': {
    cause:
      'The settings turn the sandbox on, the CLI cannot use one, and `failIfUnavailable` is off, as it is by default in settings on disk: commands run without a sandbox.',
    remedy:
      'Install what the message names, or set `failIfUnavailable: true`, so that the CLI does not start without it.',
  },
  'session-abandoned': {
    cause: 'A session was dropped without `close()`; it was ended when it was garbage-collected.',
    remedy: 'Close sessions, or use `await using`.',
  },
  'session-id-changed': {
    cause:
      'The CLI of a session with `restart` died while the conversation was empty, as after `clear()`, and the next one could neither continue it nor reuse its id. The session continues with a new id.',
    remedy: 'None for the session itself. If you store the id, replace `before` with `sessionId` of the context.',
  },
  'setting-not-restored': {
    cause: 'The CLI of a session was restarted, and refused a setting of the previous one.',
    remedy: 'Check the error in the context; set it again, or continue without it.',
  },
  'store-failed': {
    cause:
      'Entries of the conversation could not be stored (`context.entries` of them wait): with a turn that failed, with one that succeeded because of `storeFailure: "warn"`, or at the end of the session. If `entries` is 0, a line with entries exceeded `limits.maxLineBytes`, a file is missing, or the CLI mirrored a transcript that is not of this session.',
    remedy:
      'Check the store; the message names the limit to raise. While the session runs, they are retried with the next turn; after its end the conversation in the store lacks them, and the files on this machine still have them.',
  },
  'stream-abandoned': {
    cause: 'A stream was neither read nor closed before it was garbage-collected; its run was ended.',
    remedy: 'Read it, `close()` it, or use `await using`.',
  },
  'tool-message-malformed': {
    cause:
      'The CLI or a tool server sent an MCP message that is not JSON-RPC, or a tool returned a value that is not JSON.',
    remedy:
      'Check what the tool returns: a BigInt, or an object that contains itself, cannot be written as JSON. The call failed for the caller.',
  },
  'tool-failed': {
    cause: 'A tool of this program threw an error, or returned something that is not a result; the call failed.',
    remedy:
      'The message has the reason. The model only learns that the tool failed: return `{ content, isError: true }` for what it should read, or set `exposeErrors` of `toolServer()`.',
  },
  'tool-server-failed': {
    cause: 'An in-process tool server could not be started or crashed; its calls fail.',
    remedy: 'Check the error in the context.',
  },
  'tool-server-timeout': {
    cause: 'An in-process tool server did not answer in time; the call failed.',
    remedy: 'Make the tool faster, or raise its timeout.',
  },
  'tool-server-unknown': {
    cause: 'The CLI requested a tool server that this session does not have.',
    remedy: 'None; the CLI received an error.',
  },
  'turn-replayed': {
    cause:
      'The CLI died during this turn, and the prompt was sent again because of `restart.replay`. The output before this warning comes from the first attempt.',
    remedy: 'None; discard what was read before if it must not count twice.',
  },
  'undecodable-line': {
    cause:
      'A line of the CLI could not be decoded, and the stream is read as plain messages; the error is in the context.',
    remedy: "Find out what else writes to the CLI's stdout. `items()` yields the error itself in its place.",
  },
  'unexpected-message-after-result': {
    cause: 'A message that does not usually follow a result came after it; the context has the message.',
    remedy: 'None in general: the result is valid.',
  },
  'newer-cli-version': {
    cause:
      'The CLI is newer than the newest release that was measured. Reported once per process and release, with what is known to differ.',
    remedy:
      "Update Coxswain, or use `cli: 'pinned'`; [newer releases](compatibility.md#newer-releases) lists known differences.",
  },
  'unknown-cli-version': {
    cause: "`claude --version` printed no version number, in a session or with `versionCheck: 'warn'`.",
    remedy: 'Check what the option `cli` points to; the run may fail on a flag that the CLI does not support.',
  },
  'unknown-hook': {
    cause: 'The CLI called a hook that was never registered. The session continues without it.',
    remedy: 'None; a second client may have registered hooks in the same session.',
  },
  'unknown-message-type': {
    cause: 'The CLI sent a message of a type that is unknown to this release of Coxswain. It is passed on unchanged.',
    remedy: 'Narrow with `isUnknownMessage`; update Coxswain for its types. Reported once per type and stream.',
  },
  'unrequested-configuration': {
    cause:
      '`settingSources` is not set, and the CLI has loaded settings, hooks, MCP servers, CLAUDE.md files, plugins, skills or agents of the user or the project; `context` lists the kinds and where they come from.',
    remedy:
      'Set `settingSources`: `[]` for none, or the sources that the agent may read. `session.loaded()` lists what was loaded.',
  },
  'unknown-tool': {
    cause:
      'A rule of `allowedTools` names a tool that the CLI did not list and that no known release has; or one of `disallowedTools` resembles the name of a tool.',
    remedy:
      'Correct the name: `Bash`, `mcp__files__read`, `mcp__files` for a whole server. A rule for a tool that does not exist allows nothing and denies nothing.',
  },
  'unsupported-cli-version': {
    cause:
      'The version check found a CLI that is too old, for the run or for one of its options, only after a tool had been called, or after `close()`: nothing was ended for it.',
    remedy: 'Update the CLI. The behaviour of the run may differ from its options.',
  },
  'version-check-failed': {
    cause: "`claude --version` failed or timed out, in a session or with `versionCheck: 'warn'`.",
    remedy: 'Run it yourself; raise `limits.versionTimeoutMs` on a slow machine.',
  },
  'warnings-dropped': {
    cause: 'A query had more warnings than its list keeps; this one replaces the missing ones in the list.',
    remedy: 'Use `onWarning`, which receives all of them.',
  },
};
