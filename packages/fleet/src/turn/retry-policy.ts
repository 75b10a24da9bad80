import { isObject } from '@coxswain/shared/is-object';
import type { TurnOutcome } from './outcome.ts';

/** The outcomes after which a policy can repeat a turn. */
export type RetriedOutcome = Exclude<
  TurnOutcome['kind'],
  'completed' | 'interrupted' | 'cancelled' | 'dead' | 'deferred' | 'budget'
>;

/** When a turn gets another attempt instead of its outcome. */
export interface RetryPolicy {
  /** `api-error` and `rate-limit` by default. */
  readonly outcomes?: readonly RetriedOutcome[] | undefined;
  /** The number of attempts, with the first one; from 1 (none is repeated) to 100, 3 by default. */
  readonly attempts?: number | undefined;
  /** Time until the second attempt, 5 s by default. It doubles with each attempt; up to a half of it is taken off at random. */
  readonly backoffMs?: number | undefined;
  /** The longest time between two attempts, 5 min by default. */
  readonly maxBackoffMs?: number | undefined;
}

/** A policy with its defaults, as it is stored with a turn. */
export type CheckedRetry = { readonly [F in keyof RetryPolicy]-?: NonNullable<RetryPolicy[F]> };

/** An attempt that has ended. */
export interface EndedAttempt {
  readonly policy: CheckedRetry;
  /** The number of attempts that were repeated before. */
  readonly retries: number;
  readonly outcome: TurnOutcome;
  /** From 0 to 1. */
  readonly random: number;
}

/** Time until the next attempt in ms; undefined if the policy asks for none. */
export function retryDelayMs({ policy, retries, outcome, random }: EndedAttempt): number | undefined {
  const { outcomes, attempts, backoffMs, maxBackoffMs } = policy;
  const wanted: readonly string[] = outcomes;
  if (!wanted.includes(outcome.kind) || retries + 1 >= attempts) return undefined;
  // Other attempts get the same data.
  const code: string | undefined = outcome.kind === 'failed' ? outcome.error.code : undefined;
  if (code === 'turn-data') return undefined;
  const backoff = Math.min(backoffMs * 2 ** Math.min(retries, 30), maxBackoffMs);
  return Math.round(backoff * (1 - random / 2));
}

/** The problem with a policy, if any, with the name of its field. */
export function problemOfRetry(given: unknown): { readonly field: string; readonly problem: string } | undefined {
  if (!isObject(given)) return { field: '', problem: 'must be an object, such as { attempts: 3 }.' };
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(CHECKS, name));
  if (unknown !== undefined)
    return { field: `.${unknown}`, problem: `is not a field of retry; use one of ${Object.keys(CHECKS).join(', ')}.` };
  for (const [name, problemOf] of Object.entries(CHECKS)) {
    const value = given[name];
    const problem = value === undefined ? undefined : problemOf(value);
    if (problem !== undefined) return { field: `.${name}`, problem };
  }
  return undefined;
}

/** Adds the defaults to a policy that was checked. */
export function checkedRetry(policy: RetryPolicy): CheckedRetry {
  const { outcomes = ['api-error', 'rate-limit'], attempts = 3, backoffMs = 5_000, maxBackoffMs = 5 * 60_000 } = policy;
  return { outcomes, attempts, backoffMs, maxBackoffMs };
}

/** The policy of a stored row; undefined if it has none, or one that was changed. */
export function storedRetry(given: unknown): CheckedRetry | undefined {
  if (given === null || problemOfRetry(given) !== undefined) return undefined;
  // Checked above.
  return checkedRetry(given as RetryPolicy);
}

/** Longer than any outage, and a time that the queue can hold. */
const LONGEST_BACKOFF_MS = 7 * 24 * 3_600_000;

const OUTCOMES: readonly string[] = Object.keys({
  'api-error': true,
  'rate-limit': true,
  failed: true,
  'execution-error': true,
  auth: true,
  refused: true,
  'max-turns': true,
  'structured-output': true,
  'context-full': true,
  'no-such-session': true,
  'stopped-by-hook': true,
  'tool-unavailable': true,
  unknown: true,
} satisfies Record<RetriedOutcome, true>);

type ProblemOf = (value: unknown) => string | undefined;

const ofTime: ProblemOf = (value) =>
  typeof value === 'number' && value >= 0 && value <= LONGEST_BACKOFF_MS
    ? undefined
    : `must be a number of milliseconds from 0 to ${LONGEST_BACKOFF_MS}.`;

const CHECKS: Readonly<Record<keyof RetryPolicy, ProblemOf>> = {
  outcomes: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((kind) => OUTCOMES.includes(kind))
      ? undefined
      : `must be a list of outcomes: ${OUTCOMES.join(', ')}.`,
  attempts: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 100
      ? undefined
      : 'must be a whole number from 1 to 100.',
  backoffMs: ofTime,
  maxBackoffMs: ofTime,
};
