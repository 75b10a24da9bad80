import type { ApiErrorOutcome, Outcome, RateLimitOutcome } from './outcome.ts';
import { field, numberField, stringField } from './read.ts';

/**
 * What kind of failure a result with `is_error` and the subtype `success` reports. The HTTP status decides where there is one;
 * some failures have none, and older CLIs leave it out, so that only the text is left.
 */
export function apiFailure(result: unknown, message: string, rateLimit: unknown): Outcome {
  if (NOT_THE_API.has(field(result, 'terminal_reason'))) return { kind: 'execution-error', errors: [message], message };
  const status = numberField(result, 'api_error_status');
  if (status === undefined ? NOT_LOGGED_IN.test(message) : status === 401 || status === 403) {
    return { kind: 'auth', status, message };
  }
  if (status === undefined ? LIMIT_REACHED.test(message) : status === 429) {
    return rateLimited(status, message, rateLimit);
  }
  if (CONTEXT_FULL.test(message)) return { kind: 'context-full', message };
  return apiError(result, status, message);
}

const NOT_THE_API: ReadonlySet<unknown> = new Set([
  'malformed_tool_use_exhausted',
  'tool_deferred_unavailable',
  'turn_setup_failed',
]);
const NOT_LOGGED_IN =
  /^(?:Not logged in|Invalid API key|Failed to authenticate|Please run \/login)|· Please run \/login/;
const LIMIT_REACHED = /^(?:Claude AI usage limit reached|You've hit your .*limit|API Error: Request rejected \(429\))/;
const CONTEXT_FULL = /^(?:Prompt is too long|API Error: The model has reached its context window limit)/;

function rateLimited(status: number | undefined, message: string, rateLimit: unknown): RateLimitOutcome {
  const info = field(rateLimit, 'rate_limit_info');
  // A limit that still allows requests, with or without a warning, is not the one that was hit.
  const announced = field(info, 'status') === 'rejected' ? numberField(info, 'resetsAt') : undefined;
  return { kind: 'rate-limit', status, resetsAt: milliseconds(announced ?? resetInText(message)), message };
}

/** Releases before 2.0 end the text with `|` and the time. */
function resetInText(message: string): number | undefined {
  const seconds = /\|(\d{10})\b/.exec(message)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

/** The CLI counts in seconds; a number too large for that is taken as milliseconds. */
function milliseconds(time: number | undefined): number | undefined {
  if (time === undefined) return undefined;
  return time < 1e11 ? time * 1000 : time;
}

function apiError(result: unknown, status: number | undefined, message: string): ApiErrorOutcome {
  const type = stringField(result, 'api_error_type') ?? stringField(result, 'api_error');
  return { kind: 'api-error', status, type, message };
}
