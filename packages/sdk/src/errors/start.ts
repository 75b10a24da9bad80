import { CoxswainError } from './base.ts';

/** One place where the CLI was looked for, and why it was not used. */
export interface SearchedPlace {
  readonly place: string;
  readonly reason: string;
}

/** No Claude Code CLI was found; `searched` lists every place looked at, in order. */
export class CliNotFoundError extends CoxswainError {
  declare readonly code: 'cli-not-found';
  declare readonly searched: readonly SearchedPlace[];

  constructor(searched: readonly SearchedPlace[]) {
    const places = searched.map(({ place, reason }) => `  ${place} (${reason})`).join('\n');
    super(
      'CliNotFoundError',
      'The Claude Code CLI was not found. ' +
        "Install it (npm install -g @anthropic-ai/claude-code), set COXSWAIN_CLI to its path, or pass cli: 'pinned' to let Coxswain fetch its own copy.\n" +
        `Looked at, in order:\n${places}`,
    );
    // The message has them already: an error that nobody catches would print each place twice.
    Object.defineProperty(this, 'searched', { value: searched });
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), searched: this.searched.map((place) => ({ ...place })) };
  }
}

/** The pinned CLI could not be installed. */
export class CliInstallError extends CoxswainError {
  declare readonly code: 'cli-install';
  readonly version: string;
  readonly directory: string;

  constructor(message: string, fields: { version: string; directory: string; cause?: unknown }) {
    super(
      'CliInstallError',
      `Claude Code ${fields.version} could not be installed into ${fields.directory}: ${message}`,
      causeOf(fields),
    );
    this.version = fields.version;
    this.directory = fields.directory;
  }
}

/** The CLI is older than what this feature needs. */
export class UnsupportedCliVersionError extends CoxswainError {
  declare readonly code: 'unsupported-cli-version';
  readonly found: string;
  readonly required: string;
  readonly path: string;

  constructor(fields: { found: string; required: string; path: string; feature?: string }) {
    super(
      'UnsupportedCliVersionError',
      `${fields.path} is Claude Code ${fields.found}, but ${fields.feature ?? 'Coxswain'} needs ${fields.required} or newer. ` +
        "Update it (claude update, or npm install -g @anthropic-ai/claude-code@latest), or pass cli: 'pinned'.",
    );
    this.found = fields.found;
    this.required = fields.required;
    this.path = fields.path;
  }
}

/** `claude --version` answered with something that holds no version number. */
export class UnknownVersionError extends CoxswainError {
  declare readonly code: 'unknown-version';
  readonly path: string;
  readonly output: string;

  constructor(fields: { path: string; output: string }) {
    super(
      'UnknownVersionError',
      `${fields.path} --version printed no version number (${JSON.stringify(fields.output.slice(0, 200))}). ` +
        'Check that it is Claude Code, or pass permissiveVersionCheck: true.',
    );
    this.path = fields.path;
    this.output = fields.output;
  }
}

/** `claude --version` failed or did not answer in time. */
export class VersionDetectionError extends CoxswainError {
  declare readonly code: 'version-detection';
  readonly path: string;

  constructor(fields: { path: string; reason: string; cause?: unknown }) {
    super(
      'VersionDetectionError',
      `The version of ${fields.path} could not be found out: ${fields.reason}. ` +
        'Run it with --version by hand, or pass permissiveVersionCheck: true.',
      causeOf(fields),
    );
    this.path = fields.path;
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
  | 'other';

/** The CLI's process could not be started; `reason` says what stood in the way. */
export class SpawnError extends CoxswainError {
  declare readonly code: 'spawn';
  readonly reason: SpawnFailure;
  readonly path: string;

  constructor(message: string, fields: { reason: SpawnFailure; path: string; cause?: unknown }) {
    super('SpawnError', message, causeOf(fields));
    this.reason = fields.reason;
    this.path = fields.path;
  }
}

/** What a CLI said before it failed to start a session. */
interface StartWords {
  /** The last of stderr, redacted. */
  readonly stderrTail: string;
  /** What the CLI said on stdout, if it said why. */
  readonly said?: string | undefined;
  readonly cause?: unknown;
}

/** The CLI did not answer the handshake in time. */
export class InitializationTimeoutError extends CoxswainError {
  declare readonly code: 'initialization-timeout';
  readonly ms: number;
  readonly stderrTail: string;

  constructor(ms: number, words: StartWords) {
    super(
      'InitializationTimeoutError',
      `The CLI did not answer the handshake within ${ms} ms (limits.startTimeoutMs).${lastWords(words)} Slow hooks, MCP servers or a busy machine delay it: raise the limit, or look at onStderr.`,
      causeOf(words),
    );
    this.ms = ms;
    this.stderrTail = words.stderrTail;
  }
}

/** The CLI refused the handshake. */
export class InitializationError extends CoxswainError {
  declare readonly code: 'initialization';
  readonly stderrTail: string;

  constructor(message: string, words: StartWords) {
    super(
      'InitializationError',
      `The CLI refused to start the session: ${message}.${lastWords(words)} Check the options that the message names.`,
      causeOf(words),
    );
    this.stderrTail = words.stderrTail;
  }
}

/** The CLI exited before it had answered the handshake. */
export class CliExitedDuringInitError extends CoxswainError {
  declare readonly code: 'cli-exited-during-init';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;

  constructor(exit: { exitCode: number | null; signal: string | null; hint: string }, words: StartWords) {
    const how = exit.signal === null ? `exited with code ${exit.exitCode}` : `was ended by ${exit.signal}`;
    super(
      'CliExitedDuringInitError',
      `The CLI ${how} before the session was ready.${lastWords(words)} ${exit.hint}`,
      causeOf(words),
    );
    this.exitCode = exit.exitCode;
    this.signal = exit.signal;
    this.stderrTail = words.stderrTail;
  }
}

function lastWords({ said, stderrTail }: StartWords): string {
  const words = said || stderrTail.trim();
  if (!words) return '';
  return ` It said: ${words.slice(-600)}${/[.!?…]$/.test(words) ? '' : '.'}`;
}

function causeOf(fields: { cause?: unknown }): ErrorOptions | undefined {
  return fields.cause === undefined ? undefined : { cause: fields.cause };
}
