import { existsSync } from 'node:fs';
import { CliNotFoundError, SpawnError, TransportError } from 'coxswain/errors';
import type { RawEnd } from 'coxswain/raw';
import { classified, refusedError } from './errors.ts';

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
  if (failure instanceof CliNotFoundError) return notFoundError(failure);
  if (failure !== undefined && !exitedMeanwhile(end)) return refusedError(failure, 'initialize') ?? failure;
  if (exitCode === 0 || (exitCode === null && signal === null)) return undefined;
  const said = stderrTail.slice(-QUOTED).trim();
  const cause = end.exitFailure ?? failure;
  if (errorResult) {
    const errors = 'errors' in errorResult && Array.isArray(errorResult.errors) ? errorResult.errors : [];
    const result = 'result' in errorResult ? String(errorResult.result) : '';
    const text = errors.length > 0 ? errors.join('; ') : result;
    const message = 'Claude Code returned an error result';
    return classified(new Error(`${message}: ${text}`, { cause }), 'error_result', message);
  }
  const how = signal === null ? `exited with code ${exitCode}` : `terminated by signal ${signal}`;
  const message = `Claude Code process ${how}`;
  const error = new Error(`${message}${said === '' ? '' : `. stderr: ${said}`}`, { cause });
  return signal === null
    ? Object.assign(classified(error, 'process_exited_nonzero', message), { exitCode })
    : Object.assign(classified(error, 'process_killed_by_signal', message), { signal });
}

/**
 * True if the process exited with an error although its closed pipes were noticed first: a busy machine reports the exit so late that
 * the process seems to run. The codes above 128 may be those of the signal with which it was ended.
 */
function exitedMeanwhile({ failure, exit: { exitCode, signal } }: RawEnd): boolean {
  return failure instanceof TransportError && signal === null && exitCode !== null && exitCode > 0 && exitCode <= 128;
}

/** The error without `pathToClaudeCodeExecutable`, if no CLI was found. */
export function notFoundError(cause: CliNotFoundError): Error {
  const where = `${process.platform}-${process.arch}`;
  const remedy = 'Set options.pathToClaudeCodeExecutable or COXSWAIN_CLI, or install the CLI.';
  return new Error(`Native CLI binary for ${where} not found. ${remedy} ${cause.message}`, { cause });
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
  if (failure.reason === 'not-found' && existsSync(command)) {
    const runner = isScript ? 'set options.executable to another one' : 'correct its first line';
    return unlaunched(`The program that runs it was not found: install it, or ${runner}.`);
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
