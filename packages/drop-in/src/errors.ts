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

/** What the drop-in cannot do. `code` is `not-supported`; the guide lists the reasons. */
export class NotSupportedError extends Error {
  readonly code = 'not-supported';
  readonly feature: string;

  constructor(feature: string, why: string) {
    super(`${feature} is not supported by @coxswain/drop-in: ${why} See docs/guides/drop-in.md.`);
    this.name = 'NotSupportedError';
    this.feature = feature;
  }
}

/** The error of a request that gets no answer because the query is over. */
export function closedError(cause?: unknown): Error {
  return new Error('Query closed before response received', cause === undefined ? undefined : { cause });
}

/** The error of a control request: the CLI's own words, with the typed error as its cause. */
export function requestError(error: unknown): unknown {
  if (error instanceof ControlRequestError) return new Error(error.said, { cause: error });
  if (error instanceof SessionStoppedError || error instanceof TransportError) return closedError(error);
  return error;
}

/** What a query knows when its process is gone. */
export interface QueryEnd {
  readonly end: RawEnd;
  readonly stderrTail: string;
  /** The last result, if it was an error. */
  readonly errorResult: object | undefined;
  /** The program that was run. */
  readonly command: string;
  readonly isScript: boolean;
}

/** How much of stderr an error quotes. */
const QUOTED = 2_048;

/** The error with which a query ends; `undefined` when it ended well. Programs match on its text. */
export function endError({ end, stderrTail, errorResult, command, isScript }: QueryEnd): Error | undefined {
  const { failure } = end;
  const { exitCode, signal } = end.exit;
  if (failure instanceof SpawnError) return spawnError(failure, command, isScript);
  if (failure instanceof CliNotFoundError) {
    const where = `${process.platform}-${process.arch}`;
    return new Error(`Native CLI binary for ${where} not found. ${failure.message}`, { cause: failure });
  }
  if (failure !== undefined) return failure;
  if (exitCode === 0 || (exitCode === null && signal === null)) return undefined;
  const said = stderrTail.slice(-QUOTED).trim();
  if (errorResult) {
    const errors = 'errors' in errorResult && Array.isArray(errorResult.errors) ? errorResult.errors : [];
    const result = 'result' in errorResult ? String(errorResult.result) : '';
    const text = errors.length > 0 ? errors.join('; ') : result;
    return new Error(`Claude Code returned an error result: ${text}`, { cause: end.exitFailure });
  }
  const how = signal === null ? `exited with code ${exitCode}` : `terminated by signal ${signal}`;
  const message = `Claude Code process ${how}${said === '' ? '' : `. stderr: ${said}`}`;
  return Object.assign(new Error(message, { cause: end.exitFailure }), signal === null ? { exitCode } : { signal });
}

/** A program that could not be started. The class and the code are those of the official SDK. */
function spawnError(failure: SpawnError, command: string, isScript: boolean): Error {
  const code = codeOf(failure.cause);
  const named = (message: string): Error => Object.assign(new ReferenceError(message, { cause: failure }), { code });
  if (failure.reason === 'not-found') {
    const what = isScript ? 'executable' : 'native binary';
    return named(
      `Claude Code ${what} not found at ${command}. Set options.pathToClaudeCodeExecutable to a program that exists.`,
    );
  }
  if (failure.reason === 'cwd') return named(failure.message);
  if (failure.reason === 'permission') {
    return named(
      `Claude Code native binary at ${command} exists but failed to launch (${code}). Make it executable, or set options.pathToClaudeCodeExecutable to another program.`,
    );
  }
  return Object.assign(new Error(`Failed to spawn Claude Code process: ${failure.message}`, { cause: failure }), {
    code,
  });
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}
