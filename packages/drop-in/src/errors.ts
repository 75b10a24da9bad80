import { ControlRequestError, InitializationError, SessionStoppedError, TransportError } from 'coxswain/errors';

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
  | 'control_request_failed'
  | 'error_result'
  | 'executable_launch_failed'
  | 'executable_not_found'
  | 'initialize_timeout'
  | 'process_exited_nonzero'
  | 'process_killed_by_signal';

/** The error of an aborted query, with the reason of the abort as its cause. */
export function abortError(text: AbortText, cause: unknown): AbortError {
  return classified(new AbortError(text, { cause }), 'aborted');
}

/** The first: nothing had to be stopped. */
export type AbortText = 'Operation aborted' | 'Claude Code process aborted by user';

/**
 * An error by the name that some functions of the official SDK use.
 * @param text A short text without ids and paths.
 */
export function telemetrySafeError(message: string, text: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  return Object.assign(error, { name: 'TelemetrySafeError', telemetryMessage: text, errorClass: undefined });
}

/** The error of a request that gets no answer because the query has ended. */
export function closedError(cause?: unknown): Error {
  return new Error('Query closed before response received', cause === undefined ? undefined : { cause });
}

/** True if something was not written or answered because the query or the CLI has ended. */
export function isEndOfSession(error: unknown): boolean {
  return error instanceof SessionStoppedError || error instanceof TransportError;
}

/** The error of prompts that are not written because the query or the CLI has ended. */
export function notWritableError(cause?: unknown): Error {
  return new Error('ProcessTransport is not ready for writing', cause === undefined ? undefined : { cause });
}

/** The error of a request that the CLI has refused: its own message, with the typed error as its cause. */
export function refusedError(error: unknown, subtype: string): Error | undefined {
  const said = saidBy(error);
  if (said === undefined) return undefined;
  const text = `Claude Code control request failed (${subtype})`;
  return classified(new Error(said, { cause: error }), 'control_request_failed', text);
}

function saidBy(error: unknown): string | undefined {
  if (error instanceof ControlRequestError) return error.said;
  // The refusal of the handshake.
  return error instanceof InitializationError && error.cause instanceof ControlRequestError
    ? error.cause.said
    : undefined;
}

/** The error of a CLI that has ignored the MCP servers of the handshake. */
export function serversNotAppliedError(release: unknown): Error {
  const which = typeof release === 'string' ? ` (version ${release})` : '';
  const message = `This Claude Code${which} is too old to read MCP servers from the initialize request, so it started without them. The session was ended. Update it, or omit mcpServersDelivery: they are then passed in a file that only this user can read.`;
  return telemetrySafeError(message, 'Claude Code too old to read MCP servers from initialize');
}
