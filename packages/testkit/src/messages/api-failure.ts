import type { AssistantMessage } from 'coxswain';

/** A failure of the API as the CLI reports it. */
export interface ApiFailure {
  /** The CLI's own name for it. */
  readonly error: NonNullable<AssistantMessage['error']>;
  /** The API's name for it; empty if the API was not asked. */
  readonly type: string;
  /** What the user reads. */
  readonly text: string;
}

/**
 * How CLI 2.1.325 names and words a failure of the API; `null` means the user is not logged in. `reason` is the API's message, which
 * the CLI repeats.
 */
export function apiFailure(status: number | null, reason: string): ApiFailure {
  if (status === null) return { error: 'authentication_failed', type: '', text: 'Not logged in · Please run /login' };
  const isServerError = status >= 500;
  return {
    error: ERRORS[status] ?? (isServerError ? 'server_error' : 'unknown'),
    type: TYPES[status] ?? (isServerError ? 'api_error' : 'invalid_request_error'),
    text: textOf(status, reason),
  };
}

/** Why the CLI tries again; `null` is a failed connection. */
export function retryReason(status: number | null): ApiFailure['error'] {
  return status === null ? 'unknown' : apiFailure(status, '').error;
}

const ERRORS: Readonly<Record<number, ApiFailure['error']>> = {
  401: 'authentication_failed',
  429: 'rate_limit',
  529: 'overloaded',
};

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function textOf(status: number, reason: string): string {
  if (status === 401) return 'Invalid API key · Fix external API key';
  return status === 429 ? `API Error: Request rejected (429) · ${reason}` : `API Error: ${status} ${reason}`;
}
