import { type Warning, warning } from '../warnings/warning.ts';
import type { Message, RateLimitEventMessage, ResultMessage } from '../wire/messages.ts';
import { field, numberField, stringField } from './fields.ts';

/** The API rejected the request because of a rate limit. */
export interface RateLimitOutcome {
  readonly kind: 'rate-limit';
  readonly status: number | undefined;
  /** When the limit resets, in milliseconds since 1970, if known. */
  readonly resetsAt: number | undefined;
  readonly message: string;
}

/** The API failed in another way. */
export interface ApiErrorOutcome {
  readonly kind: 'api-error';
  /** The HTTP status; none if the API could not be reached. */
  readonly status: number | undefined;
  /** The name of the failure, such as `overloaded_error` or `connection_failed`. */
  readonly type: string | undefined;
  readonly message: string;
}

type ApiFailure =
  | RateLimitOutcome
  | ApiErrorOutcome
  | { readonly kind: 'auth'; readonly status: number | undefined; readonly message: string }
  | { readonly kind: 'context-full'; readonly message: string }
  | { readonly kind: 'execution-error'; readonly errors: readonly string[]; readonly message: string };

/** The longest delay that is accepted from the CLI. */
const LONGEST_DELAY_MS = 3_600_000;

/**
 * The outcome of a result with `is_error` and the subtype `success`. The HTTP status decides if there is one. Some failures
 * have none, and older CLIs omit it; then only the text decides.
 */
export function apiFailure(result: unknown, message: string, rateLimit: unknown): ApiFailure {
  if (NOT_THE_API.has(field(result, 'terminal_reason'))) return { kind: 'execution-error', errors: [message], message };
  const status = numberField(result, 'api_error_status');
  if (status === undefined ? NOT_LOGGED_IN.test(message) : status === 401 || status === 403) {
    return { kind: 'auth', status, message };
  }
  if (status === undefined ? LIMIT_REACHED.test(message) : status === 429) {
    return { kind: 'rate-limit', status, resetsAt: resetTime(rateLimit), message };
  }
  if (CONTEXT_FULL.test(message)) return { kind: 'context-full', message };
  const type = stringField(result, 'api_error_type') ?? stringField(result, 'api_error');
  return { kind: 'api-error', status, type, message };
}

/**
 * Records the last rate limit event of a CLI process for the results that follow: a result does not contain the reset time,
 * and the CLI sends the event that does only on a change, so once for many rejected turns.
 */
export class RateLimitTracker {
  #last: RateLimitEventMessage | undefined;

  /** Call it for every message of the process, in order. */
  note(message: Message): void {
    if (message.type === 'rate_limit_event') this.#last = message;
    else if (message.type === 'result' && this.#last) limitEvents.set(message, this.#last);
  }
}

/** The reset time of the limit that was hit, in milliseconds since 1970, from its event. */
export function resetTime(event: unknown): number | undefined {
  const info = field(event, 'rate_limit_info');
  // A limit that still allows requests, with or without a warning, is not the one that was hit.
  const time = field(info, 'status') === 'rejected' ? numberField(info, 'resetsAt') : undefined;
  // The CLI sends seconds; a number too large for that is read as milliseconds.
  return time !== undefined && time < 1e11 ? time * 1000 : time;
}

/** How long the CLI will wait before it retries the API request; 0 for every other message. Never throws. */
export function retryDelayOf(message: Message): number {
  if (message.type !== 'system' || message.subtype !== 'api_retry') return 0;
  return Math.min(Math.max(0, numberField(message, 'retry_delay_ms') ?? 0), LONGEST_DELAY_MS);
}

/** The warning about a message that reports a retry; undefined for any other message. Never throws. */
export function retryWarning(message: Message): Warning | undefined {
  if (message.type !== 'system' || message.subtype !== 'api_retry') return undefined;
  const delayMs = retryDelayOf(message);
  const status = numberField(message, 'error_status') ?? null;
  const error = stringField(message, 'error') ?? 'unknown';
  const attempt = numberField(message, 'attempt') ?? null;
  const maxRetries = numberField(message, 'max_retries') ?? null;
  const what = status === null ? error : `${status} ${error}`;
  const text = `The API failed (${what}); the CLI retries in ${Math.round(delayMs)} ms.`;
  return warning('api-retry', text, { attempt, maxRetries, delayMs, status, error });
}

/** For each result received by this process, the last rate limit event before it. */
export const limitEvents: WeakMap<ResultMessage, RateLimitEventMessage> = new WeakMap();

const NOT_THE_API: ReadonlySet<unknown> = new Set([
  'malformed_tool_use_exhausted',
  'tool_deferred_unavailable',
  'turn_setup_failed',
]);
const NOT_LOGGED_IN =
  /^(?:Not logged in|Invalid API key|Failed to authenticate|Please run \/login)|· Please run \/login/;
const LIMIT_REACHED = /^(?:You've hit your .*limit|API Error: Request rejected \(429\))/;
const CONTEXT_FULL = /^(?:Prompt is too long|API Error: The model has reached its context window limit)/;
