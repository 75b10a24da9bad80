import type { WarningCode } from './warning.ts';

/** What the documentation says about one warning. */
export interface WarningRow {
  readonly cause: string;
  readonly remedy: string;
}

/** Every warning of the library by its code; `docs/warnings.md` is made from it. */
export const warningTable: Readonly<Record<WarningCode, WarningRow>> = {
  'background-tasks-abandoned': {
    cause:
      'A result had come, but background tasks were still open after `limits.backgroundWaitMs`; the run was ended.',
    remedy: 'Raise the limit, or tell the model to wait for its tasks. The last result may be a preliminary one.',
  },
  'bad-line-after-result': {
    cause: 'A line that could not be decoded came after the result.',
    remedy: 'None: the result is complete. Something else may write to the same stdout.',
  },
  'clean-exit-no-result': {
    cause: 'The CLI exited with 0, but sent no result; it does so after a SIGINT.',
    remedy: 'Treat the run as unfinished; resume it by its session id.',
  },
  'empty-response': {
    cause: 'The CLI exited with 0 and had sent nothing at all.',
    remedy: 'Check that the option `cli` names Claude Code, and see what it writes to stderr (`onStderr`).',
  },
  'fallback-equals-model': {
    cause: '`fallbackModel` is the same as `model`, so there is nothing to fall back to.',
    remedy: 'Name another model, or leave `fallbackModel` out.',
  },
  'incomplete-last-line': {
    cause: 'The CLI exited with 0 in the middle of a line; what there was of it is in the context.',
    remedy: 'The last message is lost. Run again if there is no result.',
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
    cause: 'The guard process that ends the CLI when the host is killed could not be started.',
    remedy: 'A SIGKILL of the host may leave the CLI running. `orphanGuard: false` says that this is fine.',
  },
  'output-after-end': {
    cause: 'The CLI went on writing after its result; the context has the count of messages that were dropped.',
    remedy: 'None in general; raise `limits.drainMs` or `limits.maxLateMessages` to see them.',
  },
  'private-file-left': {
    cause: 'A file with settings or MCP servers for the CLI could not be removed; the context has its path.',
    remedy: 'Remove it: it may hold secrets.',
  },
  'stream-abandoned': {
    cause: 'A stream was neither read nor closed and has become garbage; its run was ended.',
    remedy: 'Read it, `close()` it, or use `await using`.',
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
    cause: '`claude --version` printed no version number, and `permissiveVersionCheck` is set.',
    remedy: 'Check what the option `cli` names; the run may fail on a flag the CLI does not know.',
  },
  'unknown-message-type': {
    cause: 'The CLI sent a message of a type this release of Coxswain does not know. It is passed on untouched.',
    remedy: 'Narrow with `isUnknownMessage`; update Coxswain for a typed one. Said once per type and stream.',
  },
  'version-check-failed': {
    cause: '`claude --version` failed or timed out, and `permissiveVersionCheck` is set.',
    remedy: 'Run it by hand; raise `limits.versionTimeoutMs` on a slow machine.',
  },
};
