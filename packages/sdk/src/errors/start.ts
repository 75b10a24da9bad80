import { CoxswainError, describeExit, quoteOutput, refusalReason } from './base.ts';

/** One place where the CLI was searched for, and why it was not used. */
export interface SearchedPlace {
  readonly place: string;
  readonly reason: string;
}

/** No Claude Code CLI was found; `searched` lists every place, in order. */
export class CliNotFoundError extends CoxswainError<'cli-not-found'> {
  declare readonly searched: readonly SearchedPlace[];

  /** `named` is the option or variable that holds the wrong path. */
  constructor(searched: readonly SearchedPlace[], named?: 'cli' | 'COXSWAIN_CLI') {
    const places = searched.map(({ place, reason }) => `  ${place} (${reason})`).join('\n');
    const message =
      `The Claude Code CLI was not found${named ? ` at the path in ${named}` : ''}. ` +
      `${named ? `Correct ${named}` : 'Install it (npm install -g @anthropic-ai/claude-code), pass its path as cli'}, ` +
      "or pass cli: 'pinned' to let Coxswain install its own copy.\n" +
      `Searched, in order:\n${places}`;
    super('CliNotFoundError', message);
    // Not enumerable: Node prints the fields of an uncaught error, and the message already lists the places.
    Object.defineProperty(this, 'searched', { value: searched });
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), searched: this.searched.map((place) => ({ ...place })) };
  }
}

/** The pinned CLI could not be installed. */
export class CliInstallError extends CoxswainError<'cli-install'> {
  declare readonly version: string;
  declare readonly directory: string;

  constructor(reason: string, fields: { version: string; directory: string; cause?: unknown }) {
    const message = `Claude Code ${fields.version} could not be installed into ${fields.directory}: ${reason}`;
    super('CliInstallError', message, fields);
  }
}

/** The CLI is older than a feature needs. */
export class UnsupportedCliVersionError extends CoxswainError<'unsupported-cli-version'> {
  /** The version, or `unknown`. */
  declare readonly found: string;
  declare readonly required: string;
  declare readonly path: string;

  /** Omit `found` if the CLI itself refused the feature. */
  constructor({ feature, found, ...fields }: TooOld) {
    const lacks =
      found === undefined ? `does not support ${feature}, which` : `is Claude Code ${found}, but ${feature}`;
    const message =
      `${fields.path} ${lacks} needs ${fields.required} or newer. ` +
      "Update it (claude update, or npm install -g @anthropic-ai/claude-code@latest), or pass cli: 'pinned'.";
    super('UnsupportedCliVersionError', message, { found: found ?? 'unknown', ...fields });
  }
}

interface TooOld {
  readonly found: string | undefined;
  readonly required: string;
  readonly path: string;
  readonly feature: string;
  readonly cause?: unknown;
}

/** The output of `claude --version` contains no version number. */
export class UnknownVersionError extends CoxswainError<'unknown-version'> {
  declare readonly path: string;
  declare readonly output: string;

  constructor(fields: { path: string; output: string }) {
    const message =
      `${fields.path} --version printed no version number (${JSON.stringify(fields.output.slice(0, 200))}). ` +
      "Check that it is Claude Code, or pass versionCheck: 'warn'.";
    super('UnknownVersionError', message, fields);
  }
}

/** `claude --version` failed or did not answer in time. */
export class VersionDetectionError extends CoxswainError<'version-detection'> {
  declare readonly path: string;

  constructor({ reason, ...fields }: { path: string; reason: string; cause?: unknown }) {
    const message =
      `The version of ${fields.path} could not be determined: ${reason}. ` +
      "Run it with --version yourself, or pass versionCheck: 'warn'.";
    super('VersionDetectionError', message, fields);
  }
}

/** Why a process could not be started. */
export type SpawnFailure =
  | 'cwd'
  | 'not-found'
  | 'permission'
  | 'argument-too-long'
  | 'private-file'
  | 'resources'
  /** The option `transport` or `spawn` failed or returned something unusable. */
  | 'adapter'
  | 'other';

/** The CLI process could not be started; `reason` is the kind of failure. */
export class SpawnError extends CoxswainError<'spawn'> {
  declare readonly reason: SpawnFailure;
  declare readonly path: string;

  constructor(message: string, fields: { reason: SpawnFailure; path: string; cause?: unknown }) {
    super('SpawnError', message, fields);
  }
}

/** The CLI did not answer the handshake in time. */
export class InitializationTimeoutError extends CoxswainError<'initialization-timeout'> {
  declare readonly ms: number;
  declare readonly stderrTail: string;

  constructor(
    ms: number,
    { said, hint = DELAYED, ...fields }: StartOutput,
    limit: 'startTimeoutMs' | 'startTotalMs' = 'startTimeoutMs',
  ) {
    const message = `The CLI did not answer the handshake within ${ms} ms (limits.${limit}).${quoteOutput(said || fields.stderrTail)} ${hint}`;
    super('InitializationTimeoutError', message, { ms, ...fields });
  }
}

const DELAYED = 'Slow hooks, MCP servers or a busy machine can delay it: raise the limit, or check onStderr.';

/** The CLI refused the handshake. */
export class InitializationError extends CoxswainError<'initialization'> {
  declare readonly stderrTail: string;

  constructor(reason: string, { said, hint: _, ...fields }: StartOutput) {
    const message = `The CLI refused to start the session: ${refusalReason(reason)}.${quoteOutput(said || fields.stderrTail)} Check the options that the message names.`;
    super('InitializationError', message, fields);
  }
}

/** The CLI exited before it answered the handshake. */
export class CliExitedDuringInitError extends CoxswainError<'cli-exited-during-init'> {
  declare readonly exitCode: number | null;
  declare readonly signal: string | null;
  declare readonly stderrTail: string;

  constructor(
    { hint, ...exit }: { exitCode: number | null; signal: string | null; hint: string },
    { said, hint: _, ...fields }: StartOutput,
  ) {
    const message = `The CLI ${describeExit(exit)} before the session was ready.${quoteOutput(said || fields.stderrTail)} ${hint}`;
    super('CliExitedDuringInitError', message, { ...exit, ...fields });
  }
}

/** The sandbox that the options require is not available. Nothing was started. */
export class SandboxUnavailableError extends CoxswainError<'sandbox-unavailable'> {
  /** What is missing, as reported by the CLI. */
  declare readonly reason: string;

  constructor(reason: string) {
    const message = `The CLI cannot use the sandbox that the options require: ${reason}. Install what is missing, or set sandbox.failIfUnavailable: false to run commands without a sandbox.`;
    super('SandboxUnavailableError', message, { reason });
  }
}

/** The isolation that the options require is not available. Nothing was started. */
export class IsolationUnavailableError extends CoxswainError<'isolation-unavailable'> {
  /** What is missing. */
  declare readonly reason: string;

  constructor(reason: string) {
    const message = `The CLI cannot be isolated as the options require: ${reason}. Install bubblewrap (apt-get install bubblewrap), allow user namespaces, or leave out isolate to run the CLI without isolation.`;
    super('IsolationUnavailableError', message, { reason });
  }
}

/** Output of a CLI that failed to start a session. */
interface StartOutput {
  /** The end of stderr, redacted. */
  readonly stderrTail: string;
  /** Output on stdout and stderr, if there is more than the end of stderr. */
  readonly said?: string | undefined;
  /** Advice derived from the output. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}
