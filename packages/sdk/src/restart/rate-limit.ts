import { resetTime, retryDelayOf } from '../messages/api-failure.ts';
import { field, numberField, stringField } from '../messages/fields.ts';
import { outcomeOf } from '../messages/outcome.ts';
import type { Pause } from '../session/session.ts';
import type { Message, RateLimitEventMessage, ResultMessage } from '../wire/messages.ts';
import { backoff, type RateLimitPolicy } from './policy.ts';

/** When no new request should be sent to the API, and why, judging by the messages of the CLI. `throttled` returns the next state. */
export interface Throttle {
  readonly pause: Pause | undefined;
  /** Turns in a row that the API refused. */
  readonly refusals: number;
}

/** The inputs besides a message. `random` is from 0 to 1. */
export interface ThrottleTerms {
  readonly policy: RateLimitPolicy;
  readonly now: number;
  readonly random: number;
}

/** The API has refused nothing. */
export const unthrottled: Throttle = { pause: undefined, refusals: 0 };

/** The state after one message of the CLI; most change nothing. */
export function throttled(throttle: Throttle, message: Message, terms: ThrottleTerms): Throttle {
  if (message.type === 'rate_limit_event') return afterEvent(throttle, message, terms);
  if (message.type === 'result') return afterResult(throttle, message, terms);
  if (message.type === 'system' && message.subtype === 'api_retry') return afterRetry(throttle, message, terms);
  return throttle;
}

/** The current pause, if any. */
export function pauseAt({ pause }: Throttle, now: number): Pause | undefined {
  return pause && pause.until > now ? pause : undefined;
}

/** The CLI retries its request; until then no other request should be sent. */
function afterRetry(throttle: Throttle, message: Message, { now, policy }: ThrottleTerms): Throttle {
  const reason = reasonFor(numberField(message, 'error_status'), stringField(message, 'error'));
  const delay = Math.min(retryDelayOf(message), policy.maxPauseMs);
  if (!reason || delay === 0) return throttle;
  return longer(throttle, { reason, until: now + delay, limit: null }, now);
}

function afterEvent(throttle: Throttle, event: RateLimitEventMessage, { now, policy }: ThrottleTerms): Throttle {
  const info: unknown = event.rate_limit_info;
  const limit = stringField(info, 'rateLimitType') ?? null;
  // Beyond the limit, credits may be used.
  if (field(info, 'status') !== 'rejected' || field(info, 'isUsingOverage') === true) {
    return throttle.pause?.limit === limit && limit !== null ? { ...throttle, pause: undefined } : throttle;
  }
  const resetsAt = resetTime(event);
  if (resetsAt === undefined || resetsAt <= now) return throttle;
  const until = Math.min(resetsAt, now + policy.maxPauseMs);
  return longer(throttle, { reason: 'rate-limit', until, limit }, now);
}

function afterResult(throttle: Throttle, result: ResultMessage, { now, policy, random }: ThrottleTerms): Throttle {
  const outcome = outcomeOf(result);
  const refused =
    outcome.kind === 'rate-limit' ||
    (outcome.kind === 'api-error' && reasonFor(outcome.status, `${outcome.type} ${outcome.message}`) === 'overloaded');
  if (!refused) {
    // A command of the CLI, such as /clear, sends no API request.
    const answered = outcome.kind === 'completed' && numberField(result, 'num_turns') !== 0;
    return answered ? unthrottled : throttle;
  }
  const refusals = throttle.refusals + 1;
  const resetsAt = outcome.kind === 'rate-limit' ? outcome.resetsAt : undefined;
  const until = resetsAt !== undefined && resetsAt > now ? resetsAt : now + backoff(refusals, policy, random);
  const pause: Pause = {
    reason: outcome.kind === 'rate-limit' ? 'rate-limit' : 'overloaded',
    until: Math.min(until, now + policy.maxPauseMs),
    limit: throttle.pause?.limit ?? null,
  };
  return longer({ ...throttle, refusals }, pause, now);
}

/** Of two pauses the longer one counts. */
function longer(throttle: Throttle, pause: Pause, now: number): Throttle {
  const current = pauseAt(throttle, now);
  return current && current.until >= pause.until ? throttle : { ...throttle, pause };
}

/** Releases before 2.1.325 omit the status of an overload. */
function reasonFor(status: number | undefined, words = ''): Pause['reason'] | undefined {
  if (status === 429 || /rate_limit/.test(words)) return 'rate-limit';
  return status === 529 || status === 503 || /\b529\b|overloaded/i.test(words) ? 'overloaded' : undefined;
}
