import { describe, expect, it } from 'vitest';
import { RateLimitTracker } from '../../src/messages/api-failure.ts';
import type { RateLimitPolicy } from '../../src/restart/policy.ts';
import { pauseAt, type Throttle, throttled, unthrottled } from '../../src/restart/rate-limit.ts';
import type { Message } from '../../src/wire/messages.ts';

const NOW = 1_800_000_000_000;
const policy: RateLimitPolicy = { maxPauseMs: 3_600_000, delayMs: 1_000, maxDelayMs: 8_000, jitter: 0 };
const wire = (message: object): Message => message as Message;
const limit = (info: object): Message => wire({ type: 'rate_limit_event', rate_limit_info: info });
const retry = (fields: object): Message =>
  wire({ type: 'system', subtype: 'api_retry', retry_delay_ms: 500, ...fields });
const result = (fields: object): Message =>
  wire({ type: 'result', subtype: 'success', is_error: true, result: 'API Error', num_turns: 1, ...fields });
const rejected = limit({ status: 'rejected', resetsAt: NOW / 1_000 + 60, rateLimitType: 'five_hour' });
const refusal = result({ api_error_status: 429, result: 'API Error: Request rejected (429)' });
const overload = result({ api_error_status: 529, result: 'API Error: 529' });
const answer = result({ is_error: false, result: 'hello' });

const after = (messages: readonly Message[], now = NOW, from: Throttle = unthrottled): Throttle =>
  messages.reduce((throttle, message) => throttled(throttle, message, { policy, now, random: 0 }), from);

/** A refusal of a CLI process after these messages. */
function refusalAfter(...messages: readonly Message[]): Message {
  const tracker = new RateLimitTracker();
  const last = { ...refusal };
  for (const message of [...messages, last]) tracker.note(message);
  return last;
}

describe('a rejection by the API', () => {
  it.each([
    ['a retry of an overload', [retry({ error: 'overloaded', error_status: 529 })], 'overloaded', 500],
    ['a retry of a rate limit', [retry({ error: 'rate_limit', error_status: 429 })], 'rate-limit', 500],
    ['a limit that was reached', [rejected], 'rate-limit', 60_000],
    ['a limit in milliseconds', [limit({ status: 'rejected', resetsAt: NOW + 5 })], 'rate-limit', 5],
    ['a result after such a limit', [rejected, refusal], 'rate-limit', 60_000],
    ['a result without a time', [refusal], 'rate-limit', 1_000],
    ['the second such result', [refusal, refusal], 'rate-limit', 2_000],
    ['the fifth such result', [refusal, refusal, refusal, refusal, refusal], 'rate-limit', 8_000],
    ['an overload', [overload], 'overloaded', 1_000],
    [
      'an overload of an older release, which has no status',
      [result({ result: 'API Error: 529 Overloaded' })],
      'overloaded',
      1_000,
    ],
    ['the longer of two', [rejected, retry({ error: 'overloaded' })], 'rate-limit', 60_000],
  ] as const)('[A-3] %s causes a pause', (_, messages, reason, ms) => {
    expect(pauseAt(after(messages), NOW)).toMatchObject({ reason, until: NOW + ms });
  });

  it.each([
    ['a retry of something else', [retry({ error: 'authentication_failed', error_status: 401 })]],
    ['a limit that is almost reached', [limit({ status: 'allowed_warning', resetsAt: NOW / 1_000 + 60 })]],
    ['a limit that overage covers', [limit({ status: 'rejected', isUsingOverage: true, resetsAt: NOW / 1_000 + 60 })]],
    ['an expired limit', [limit({ status: 'rejected', resetsAt: NOW / 1_000 - 1 })]],
    ['a limit without a time, whose result causes the pause', [limit({ status: 'rejected' })]],
    ['another failure of the API', [result({ api_error_status: 400 })]],
    ['an answer', [answer]],
    ['an answer after a limit', [rejected, refusal, answer]],
    ['a limit that was lifted', [rejected, limit({ status: 'allowed', rateLimitType: 'five_hour' })]],
    ['hostile messages', [limit(null as never), wire({ type: 'rate_limit_event' }), retry({ retry_delay_ms: 'x' })]],
  ] as const)('[A-3] %s causes no pause', (_, messages) => {
    expect(pauseAt(after(messages), NOW)).toBeUndefined();
  });

  it('[A-3] is not ended by a local command of the CLI', () => {
    const local = result({ is_error: false, result: '', num_turns: 0 });
    expect(pauseAt(after([rejected, local]), NOW)).toMatchObject({ until: NOW + 60_000, limit: 'five_hour' });
  });

  it('[A-3] causes a pause with a fixed end, limited by the policy', () => {
    const event = limit({ status: 'rejected', resetsAt: NOW / 1_000 + 86_400 });
    const far = after([event]);
    expect(pauseAt(far, NOW)?.until).toBe(NOW + 3_600_000);
    expect(pauseAt(far, NOW + 3_599_999)).toBeDefined();
    expect(pauseAt(far, NOW + 3_600_000)).toBeUndefined();
    // The turn that tests the API may be refused again, which also counts.
    const later = NOW + 3_600_000;
    expect(pauseAt(after([refusalAfter(event)], later, far), later)?.until).toBe(later + 3_600_000);
    // The process of another session has reported no time.
    expect(pauseAt(after([refusalAfter()], later, far), later)?.until).toBe(later + 1_000);
  });

  it('[A-3] causes a pause of random length if the API reports no time', () => {
    const terms = { policy: { ...policy, jitter: 0.5 }, now: NOW, random: 1 };
    expect(throttled(unthrottled, overload, terms).pause?.until).toBe(NOW + 500);
  });

  it('[A-3] is not affected by other messages', () => {
    expect(throttled(unthrottled, wire({ type: 'assistant' }), { policy, now: NOW, random: 0 })).toBe(unthrottled);
  });
});
