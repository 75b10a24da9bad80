import { describe, expect, it } from 'vitest';
import type { TurnOutcome } from '../../src/turn/outcome.ts';
import { checkedRetry, problemOfRetry, retryDelayMs, storedRetry } from '../../src/turn/retry-policy.ts';

const overloaded: TurnOutcome = { kind: 'api-error', status: 529, type: undefined, message: '' };
// The type has the codes of the SDK.
const failed = (code: 'agent-failed' | 'turn-data'): TurnOutcome =>
  ({ kind: 'failed', error: { name: 'Error', message: 'x', code }, message: 'x' }) as TurnOutcome;

describe('a policy of retries', () => {
  const policy = checkedRetry({ attempts: 4, backoffMs: 1_000, maxBackoffMs: 3_000 });

  it('[F-44] doubles the time between two attempts up to its limit, and ends after the last attempt', () => {
    const delays = [0, 1, 2, 3].map((retries) => retryDelayMs({ policy, retries, outcome: overloaded, random: 0 }));
    expect(delays).toEqual([1_000, 2_000, 3_000, undefined]);
    expect(retryDelayMs({ policy, retries: 1, outcome: overloaded, random: 1 })).toBe(1_000);
  });

  it('[F-44] counts no attempt twice, however many there were', () => {
    const many = checkedRetry({ attempts: 100, backoffMs: 1, maxBackoffMs: 3_000 });
    expect(retryDelayMs({ policy: many, retries: 98, outcome: overloaded, random: 0 })).toBe(3_000);
    expect(retryDelayMs({ policy: many, retries: 99, outcome: overloaded, random: 0 })).toBeUndefined();
  });

  it('[F-44] concerns only the outcomes of its list, and no data that the agent refuses', () => {
    const all = checkedRetry({ outcomes: ['failed'] });
    const once = { retries: 0, random: 0 };
    expect(retryDelayMs({ ...once, policy: all, outcome: overloaded })).toBeUndefined();
    expect(retryDelayMs({ ...once, policy: all, outcome: failed('agent-failed') })).toBe(5_000);
    expect(retryDelayMs({ ...once, policy: all, outcome: failed('turn-data') })).toBeUndefined();
    const completed: TurnOutcome = { kind: 'completed', text: '', structuredOutput: undefined };
    expect(retryDelayMs({ ...once, policy, outcome: completed })).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['', null],
    ['', [3]],
    ['.when', { when: 'always' }],
    ['.outcomes', { outcomes: 'api-error' }],
    ['.outcomes', { outcomes: [] }],
    ['.outcomes', { outcomes: ['completed'] }],
    ['.outcomes', { outcomes: ['interrupted'] }],
    ['.attempts', { attempts: 0 }],
    ['.attempts', { attempts: 101 }],
    ['.attempts', { attempts: 1.5 }],
    ['.backoffMs', { backoffMs: -1 }],
    ['.backoffMs', { backoffMs: Number.NaN }],
    ['.maxBackoffMs', { maxBackoffMs: Number.POSITIVE_INFINITY }],
  ])('[F-16, F-44] with a wrong field %s is refused', (field, given) => {
    expect(problemOfRetry(given)?.field).toBe(field);
    expect(storedRetry(given)).toBeUndefined();
  });

  it('[F-44] that is stored has its defaults', () => {
    const stored = { outcomes: ['api-error', 'rate-limit'], attempts: 3, backoffMs: 5_000, maxBackoffMs: 300_000 };
    expect(checkedRetry({})).toEqual(stored);
    expect(storedRetry(stored)).toEqual(stored);
  });
});
