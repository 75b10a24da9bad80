import { existsSync } from 'node:fs';
import {
  CliNotFoundError,
  ControlRequestError,
  SessionStoppedError,
  SpawnError,
  TransportError,
} from 'coxswain/errors';
import type { RawEnd } from 'coxswain/raw';

/** The caller aborted the query. As in the official SDK, its name is `Error`: test with `instanceof`. */
export class AbortError extends Error {}

/** An unsupported operation. `code` is `not-supported`; the guide lists the reasons. */
export class NotSupportedError extends Error {
  readonly code = 'not-supported';
  readonly feature: string;

  constructor(feature: string, why: string) {
    super(`${feature} is not supported by @coxswain/drop-in: ${why} See docs/guides/drop-in.md.`);
    this.name = 'NotSupportedError';
    this.feature = feature;
  }
}

/**
 * Adds the two fields by which programs classify errors without reading their text.
 * @param text A short text without paths and output of the CLI.
 */
export function classified<E extends Error>(error: E, errorClass: ErrorClass, text: string = error.message): E {
  return Object.assign(error, { telemetryMessage: text, errorClass });
}

type ErrorClass =
  | 'aborted'
  | 'error_result'
  | 'executable_launch_failed'
  | 'executable_not_found'
  | 'initialize_timeout'
  | 'process_exited_nonzero'
  | 'process_killed_by_signal';

/** The error of a request that gets no answer because the query has ended. */
export function closedError(cause?: unknown): Error {
  return new Error('Query closed before response received', cause === undefined ? undefined : { cause });
}

/** The error of a control request: the CLI's own message, with the typed error as its cause. */
export function requestError(error: unknown): unknown {
  if (error instanceof ControlRequestError) return new Error(error.said, { cause: error });
  if (error instanceof SessionStoppedError || error instanceof TransportError) return closedError(error);
  return error;
}

/** The error of a CLI that has ignored the MCP servers of the handshake. */
export function serversNotAppliedError(release: unknown): Error {
  const which = typeof release === 'string' ? ` (version ${release})` : '';
  const error = new Error(
    `This Claude Code${which} is too old to read MCP servers from the initialize request, so it started without them. The session was ended. Update it, or omit mcpServersDelivery: they are then passed in a file that only this user can read.`,
  );
  const telemetryMessage = 'Claude Code too old to read MCP servers from initialize';
  return Object.assign(error, { telemetryMessage, errorClass: undefined, name: 'TelemetrySafeError' });
}

/** The data of a query after the exit of its process. */
export interface QueryEnd {
  readonly end: RawEnd;
  readonly stderrTail: string;
  /** The last result, if it was an error. */
  readonly errorResult: object | undefined;
  /** The executed program. */
  readonly command: string;
  readonly isScript: boolean;
}

/** Maximum length of quoted stderr. */
const QUOTED = 2_048;

/** The error with which a query ends; `undefined` if it succeeded. Programs match on its text. */
export function endError({ end, stderrTail, errorResult, command, isScript }: QueryEnd): Error | undefined {
  const { failure } = end;
  const { exitCode, signal } = end.exit;
  if (failure instanceof SpawnError) return spawnError(failure, command, isScript);
  if (failure instanceof CliNotFoundError) {
    const where = `${process.platform}-${process.arch}`;
    const remedy = 'Set options.pathToClaudeCodeExecutable or COXSWAIN_CLI, or install the CLI.';
    return new Error(`Native CLI binary for ${where} not found. ${remedy} ${failure.message}`, { cause: failure });
  }
  if (failure !== undefined) return failure;
  if (exitCode === 0 || (exitCode === null && signal === null)) return undefined;
  const said = stderrTail.slice(-QUOTED).trim();
  if (errorResult) {
    const errors = 'errors' in errorResult && Array.isArray(errorResult.errors) ? errorResult.errors : [];
    const result = 'result' in errorResult ? String(errorResult.result) : '';
    const text = errors.length > 0 ? errors.join('; ') : result;
    const message = 'Claude Code returned an error result';
    return classified(new Error(`${message}: ${text}`, { cause: end.exitFailure }), 'error_result', message);
  }
  const how = signal === null ? `exited with code ${exitCode}` : `terminated by signal ${signal}`;
  const message = `Claude Code process ${how}`;
  const error = new Error(`${message}${said === '' ? '' : `. stderr: ${said}`}`, { cause: end.exitFailure });
  return signal === null
    ? Object.assign(classified(error, 'process_exited_nonzero', message), { exitCode })
    : Object.assign(classified(error, 'process_killed_by_signal', message), { signal });
}

/** The error for a program that could not be started. Its class and code are those of the official SDK. */
function spawnError(failure: SpawnError, command: string, isScript: boolean): Error {
  const code = codeOf(failure.cause);
  const what = `Claude Code ${isScript ? 'executable' : 'native binary'}`;
  const named = (message: string): Error => Object.assign(new ReferenceError(message, { cause: failure }), { code });
  const exists = `exists at the configured path but failed to launch (${code})`;
  const unlaunched = (why: string): Error =>
    classified(
      named(`${what} at ${command} exists but failed to launch (${code}). ${why}`),
      'executable_launch_failed',
      `${what} ${exists}`,
    );
  if (failure.reason === 'cwd') return unlaunched(failure.message);
  // What runs a script may be missing, too.
  if (failure.reason === 'not-found' && isScript && existsSync(command)) {
    return unlaunched('The program that runs it was not found: install it, or set options.executable to another one.');
  }
  if (failure.reason === 'not-found') {
    const remedy = 'Set options.pathToClaudeCodeExecutable to a program that exists.';
    const error = named(`${what} not found at ${command}. ${remedy}`);
    return classified(error, 'executable_not_found', `${what} not found at the configured path (${code})`);
  }
  if (failure.reason === 'permission') {
    return unlaunched('Make it executable, or set options.pathToClaudeCodeExecutable to another program.');
  }
  return Object.assign(new Error(`Failed to spawn Claude Code process: ${failure.message}`, { cause: failure }), {
    code,
  });
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}
