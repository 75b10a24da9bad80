import type { WarningCode } from './warning.ts';

/** What the documentation says about one warning. */
export interface WarningRow {
  readonly cause: string;
  readonly remedy: string;
}

/** Every warning of the library by its code; `docs/warnings.md` is made from it. */
export const warningTable: Readonly<Record<WarningCode, WarningRow>> = {
  'api-retry': {
    cause:
      'The API failed or turned a request away, and the CLI asks it again after a pause; the context says how long.',
    remedy:
      'None if it passes. Set `maxRetries` or `idleTimeoutMs` to wait less, `fallbackModel` to get round an overload.',
  },
  'background-tasks-abandoned': {
    cause:
      'A result had come, but background tasks were still open after `limits.backgroundWaitMs`; the run was ended.',
    remedy: 'Raise the limit, or tell the model to wait for its tasks. The last result may be a preliminary one.',
  },
  'bad-line-after-result': {
    cause: 'A line that could not be decoded came after the result.',
    remedy: 'None: the result is complete. Something else may write to the same stdout.',
  },
  'callback-failed': {
    cause: 'A callback (`onElicitation`, `onControlRequest`) threw, rejected or gave back nothing usable.',
    remedy: 'Mend the callback; the CLI was told no.',
  },
  'callbacks-queued': {
    cause:
      'More hooks were asked for at once than `limits.maxRunningHooks`; the rest wait in order, and their time runs. Said once per burst.',
    remedy: 'None if they answer in time; make the hooks faster, or raise the limit.',
  },
  'capabilities-missing': {
    cause: 'The CLI answered the handshake of a session without listing commands, models, agents or capabilities.',
    remedy:
      'Check that the option `cli` or `transport` starts Claude Code. The session works, but `session.commands`, `models` and `agents` are empty.',
  },
  'clean-exit-no-result': {
    cause: 'The CLI exited with 0, but sent no result; it does so after a SIGINT.',
    remedy: 'Treat the run as unfinished; resume it by its session id.',
  },
  'conversation-lost': {
    cause:
      'The CLI of a supervised session died right after its first answer, before it had written it down. The conversation began anew.',
    remedy: 'Say again what the model must know. Nothing older than a second was lost.',
  },
  'empty-response': {
    cause: 'The CLI exited with 0 and had sent nothing at all.',
    remedy: 'Check that the option `cli` names Claude Code, and see what it writes to stderr (`onStderr`).',
  },
  'fallback-equals-model': {
    cause: '`fallbackModel` is the same as `model`, so there is nothing to fall back to.',
    remedy: 'Name another model, or leave `fallbackModel` out.',
  },
  'guard-replaced': {
    cause:
      'A call gives hooks of a guard event, or `disallowedTools`, and so replaces those of the client it is made on, which then guard nothing.',
    remedy: 'Give both in one list: `client.defaults` has those of the client.',
  },
  'hook-failed': {
    cause:
      'A hook threw, gave back something unusable, took too long, was asked with a malformed request, was one too many, or was cut off by a stop. The context has the hook, how it failed and what was done.',
    remedy:
      "Fix the hook. `onFailure: 'block'` makes it block when it fails, `onFailure: 'continue'` lets things go on.",
  },
  'hook-input-changed': {
    cause:
      'The CLI sent a hook without a field that has always been there, or with one these types do not know. The hook ran all the same. Said once per event and field.',
    remedy: 'For a missing field check that the hook does not rely on it; update Coxswain.',
  },
  'hook-output-suspect': {
    cause: "A hook gave back an answer in the CLI's own form that the CLI is known to ignore or to drop.",
    remedy: 'Use `deny()`, `stopTurn()` and the other decisions, which are encoded as the CLI obeys them.',
  },
  'incomplete-last-line': {
    cause: 'The CLI exited with 0 in the middle of a line; what there was of it is in the context.',
    remedy: 'The last message is lost. Run again if there is no result.',
  },
  'line-too-long': {
    cause:
      'The CLI sent a line over `limits.maxLineBytes` to a session; it was dropped. A request in it was answered by its failure policy.',
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
    remedy: 'None, if the session goes on; else update the CLI or this package.',
  },
  'matcher-never-matches': {
    cause: 'The matcher of a hook fits no tool of the session, so the hook is never called.',
    remedy: 'Names must be exact (`Bash`, `Write|Edit`); for the tools of a server write `mcp__files__.*`.',
  },
  'non-zero-exit-after-result': {
    cause: 'The CLI sent its result and then exited with another code than expected, or by a signal.',
    remedy: 'The result is authoritative. In pipelines set `strictExit`, which makes this a `ProcessError`.',
  },
  'option-ignored': {
    cause: 'An option has no effect beside another one, for instance `continue` beside `resume`, and was not sent.',
    remedy: 'Leave one of the two out.',
  },
  'orphan-guard-unavailable': {
    cause:
      'The guard process that ends the CLI when the host is killed could not be started, or ended at once; it is tried again every second.',
    remedy:
      'Until it runs, a SIGKILL of the host may leave the CLI running. `orphanGuard: false` says that this is fine.',
  },
  'decision-not-expressible': {
    cause:
      'A callback gave back an outcome, or a field of one, that its event or the CLI’s release has no place for; the message says what was done instead.',
    remedy: 'See the table of events and outcomes in the guide on hooks.',
  },
  'output-after-end': {
    cause: 'The CLI went on writing after its result; the context has the count of messages that were dropped.',
    remedy: 'None in general; raise `limits.drainMs` or `limits.maxLateMessages` to see them.',
  },
  'permission-denied': {
    cause: 'A result lists tools that were not permitted to run; the context has their names.',
    remedy: 'Allow them by a rule or in `canUseTool` if the task needs them.',
  },
  'permission-failed': {
    cause:
      'A permission could not be decided: `canUseTool` threw, gave back something unusable or took too long, or the request was malformed. The tool was refused.',
    remedy: 'Read the cause in the context and fix the callback.',
  },
  'permissions-shadowed': {
    cause:
      '`canUseTool` is set, but the permission mode or `allowedTools` decides before it is asked; or the CLI runs in another mode than it was started in.',
    remedy:
      'Take the tool out of `allowedTools`, change `permissionMode`, or use a PreToolUse hook, which is asked about every call. `permissions({ allow, ask })` says that it is meant.',
  },
  'private-file-left': {
    cause: 'A file with settings or MCP servers for the CLI could not be removed; the context has its path.',
    remedy: 'Remove it: it may hold secrets.',
  },
  'process-tree-unseen': {
    cause:
      'Linux: `/proc` cannot be read, or is that of another PID namespace. A CLI that has to be killed is killed with its process group; commands it runs in sessions of their own may go on.',
    remedy: 'Mount `/proc` for this process (`mount -t proc proc /proc` in its namespaces), or allow it to be read.',
  },
  'question-not-answered': {
    cause: '`canUseTool` allowed a question of the model without answering it, so the model was told that nobody did.',
    remedy: "Return `answer({ 'The question?': 'The choice' })`, or refuse it with `deny()`.",
  },
  'session-abandoned': {
    cause: 'A session was dropped without `close()`; it was ended once it was garbage.',
    remedy: 'Stop sessions, or use `await using`.',
  },
  'session-id-changed': {
    cause:
      'The CLI of a supervised session died while the conversation held nothing, as after `clear()`, and the next one could neither take it up nor use its id again. It goes on under a new id.',
    remedy:
      'None for the session itself. If you keep the id, keep `sessionId` of the context in the place of `before`.',
  },
  'setting-not-restored': {
    cause: 'The CLI of a supervised session was started again, and refused what had been set in the one before.',
    remedy: 'See the error in the context; set it again, or go on without it.',
  },
  'stream-abandoned': {
    cause: 'A stream was neither read nor closed and has become garbage; its run was ended.',
    remedy: 'Read it, `close()` it, or use `await using`.',
  },
  'tool-message-malformed': {
    cause:
      'The CLI or a tool server sent an MCP message that is not JSON-RPC, or a tool gave an answer that is no JSON.',
    remedy:
      'Look at what the tool gives back: a BigInt, or an object that contains itself, cannot be written. The other side was told that the call failed.',
  },
  'tool-server-failed': {
    cause: 'An in-process tool server could not be started or crashed; its calls fail.',
    remedy: 'Look at the error in the context.',
  },
  'tool-server-timeout': {
    cause: 'An in-process tool server did not answer in time; the call failed.',
    remedy: 'Make the tool faster, or give it more time.',
  },
  'tool-server-unknown': {
    cause: 'The CLI asked for a tool server that this session does not have.',
    remedy: 'None; the CLI was told so.',
  },
  'turn-replayed': {
    cause:
      'The CLI died at this turn, and `policy.replay` had the prompt sent again. What the turn said before this warning comes from the first attempt.',
    remedy: 'None; forget what was read before if it must not count twice.',
  },
  'undecodable-line': {
    cause:
      'A line of the CLI could not be decoded, and the stream is read as plain messages; the error is in the context.',
    remedy: "Find out what else writes to the CLI's stdout. `items()` gives the error itself in its place.",
  },
  'unexpected-message-after-result': {
    cause: 'A message that does not usually follow a result came after it; the context has the message.',
    remedy: 'None in general: the result stands.',
  },
  'unknown-cli-version': {
    cause: '`claude --version` printed no version number, in a session or with `permissiveVersionCheck`.',
    remedy: 'Check what the option `cli` names; the run may fail on a flag the CLI does not know.',
  },
  'unknown-hook': {
    cause: 'The CLI asked for a hook that was never registered. Things went on without it.',
    remedy: 'None; a second client may have registered hooks in the same session.',
  },
  'unknown-message-type': {
    cause: 'The CLI sent a message of a type this release of Coxswain does not know. It is passed on untouched.',
    remedy: 'Narrow with `isUnknownMessage`; update Coxswain for a typed one. Said once per type and stream.',
  },
  'unknown-tool': {
    cause:
      'A rule of `allowedTools` names a tool that the CLI has not listed and that no release is known to have; or one of `disallowedTools` names something that resembles a tool.',
    remedy:
      'Correct the name: `Bash`, `mcp__files__read`, `mcp__files` for a whole server. A rule for a tool that does not exist allows nothing and denies nothing.',
  },
  'version-check-failed': {
    cause: '`claude --version` failed or timed out, in a session or with `permissiveVersionCheck`.',
    remedy: 'Run it by hand; raise `limits.versionTimeoutMs` on a slow machine.',
  },
};
