import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import type { OptionProblem } from '../errors/options.ts';
import { type Check, oneOf, shape, whole, wrong } from '../options/checks.ts';
import type { Message, UserContent } from '../wire/messages.ts';

/** When and how often the CLI is restarted; every field has a default. */
export interface RestartLimits {
  /** Maximum number of restarts within `windowMs`; one more is a `RestartLimitError`. */
  readonly maxRestarts: number;
  readonly windowMs: number;
  /** The delay before the first restart; it doubles with each until a turn has ended. */
  readonly delayMs: number;
  readonly maxDelayMs: number;
  /** The random share of a delay, from 0 to 1, so that many sessions do not restart at the same time. */
  readonly jitter: number;
  /** Whether the session ends or restarts when an idle CLI exits with code 0. */
  readonly idleExit: 'end' | 'restart';
  /** Whether a failed first start is tried again. */
  readonly firstStart: 'once' | 'retry';
}

/** How long turns are held back; every field has a default. */
export interface RateLimitPolicy {
  /** The longest pause; after it, one turn is sent to test whether the limit still applies. */
  readonly maxPauseMs: number;
  /** The first pause if the API reports no time; it doubles until a turn succeeds. */
  readonly delayMs: number;
  readonly maxDelayMs: number;
  /** The random share of such a pause, from 0 to 1. */
  readonly jitter: number;
}

/** A turn that was interrupted by the death of its CLI. */
export interface InterruptedTurn {
  readonly id: string;
  readonly prompt: UserContent;
  /** How often its prompt has been sent. */
  readonly attempts: number;
  /** True when the model had started to answer, so that tools may have run. */
  readonly answered: boolean;
  readonly text: string;
  readonly messages: readonly Message[];
  readonly cause: Error | undefined;
}

/** Whether the prompt of an interrupted turn is sent again: never, only if the model had not begun to answer, or as the function decides. */
export type Replay = 'never' | 'unanswered' | ((turn: InterruptedTurn) => boolean);

/** The behaviour of a session when its CLI dies or the API refuses requests. */
export interface RestartPolicy extends Partial<Loose<RestartLimits>> {
  /** Whether an interrupted turn is sent again. Default: `never`, it fails with `TurnInterruptedError`. */
  readonly replay?: Replay | undefined;
  /** How new turns are held back while the API refuses requests; `false` sends them anyway. */
  readonly rateLimit?: Partial<Loose<RateLimitPolicy>> | false | undefined;
}

/** A policy with all defaults filled in. */
export interface CheckedPolicy {
  readonly restart: RestartLimits;
  readonly replay: Replay;
  readonly rateLimit: RateLimitPolicy | undefined;
}

/** The default pauses of sessions and pools while the API refuses requests. */
export const defaultRateLimitPolicy: RateLimitPolicy = {
  maxPauseMs: 60 * 60_000,
  delayMs: 5_000,
  maxDelayMs: 5 * 60_000,
  jitter: 0.5,
};

/** The defaults. */
export const defaultPolicy: CheckedPolicy = {
  restart: {
    maxRestarts: 5,
    windowMs: 5 * 60_000,
    delayMs: 500,
    maxDelayMs: 30_000,
    jitter: 0.5,
    idleExit: 'end',
    firstStart: 'once',
  },
  replay: 'never',
  rateLimit: defaultRateLimitPolicy,
};

/** Checks a policy and fills in the defaults; `report` gets every problem. */
export function checkPolicy(policy: unknown, report: (problem: OptionProblem) => void): CheckedPolicy {
  const checked = SHAPE(policy, 'restart', (path, message) => report({ path, message }));
  // A checked policy has exactly these fields.
  const { replay = defaultPolicy.replay, rateLimit, ...restart } = (checked ?? {}) as Checked;
  return {
    restart: { ...defaultPolicy.restart, ...restart },
    replay,
    rateLimit: rateLimit === false ? undefined : { ...defaultRateLimitPolicy, ...rateLimit },
  };
}

/** The restarts so far. `afterDeath` and `afterTurn` return the next state. */
export interface RestartState {
  /** When the CLI was restarted, in ms; only those within the window. */
  readonly restarts: readonly number[];
  /** Restarts since a turn last ended. */
  readonly attempt: number;
}

/** How a CLI exited. */
export interface Death {
  /** It exited with 0 while no turn ran or waited. */
  readonly idleExit: boolean;
  /** The session has been ready before, in this process or an earlier one. */
  readonly everReady: boolean;
  /** The code of the error that ended it. */
  readonly code: string | undefined;
  /** The CLI refused this start mode, and the other one is left. */
  readonly otherWay: boolean;
  /** The conversation is no longer on disk. */
  readonly lost: boolean;
}

/** What the session does next. */
export type RestartDecision =
  | { readonly kind: 'restart'; readonly attempt: number; readonly delayMs: number }
  /** `limit`: too many restarts. `hopeless`: another start would fail in the same way. */
  | { readonly kind: 'give-up'; readonly why: 'limit' | 'hopeless' }
  | { readonly kind: 'end' };

/** Another CLI replaces one that was ended for it. */
export const AT_ONCE: RestartDecision = { kind: 'restart', attempt: 0, delayMs: 0 };

/** A session without restarts. */
export const untroubled: RestartState = { restarts: [], attempt: 0 };

/** Decides whether a session whose CLI has exited is restarted. `random` is from 0 to 1. */
export function afterDeath(
  state: RestartState,
  death: Death,
  terms: { readonly policy: RestartLimits; readonly now: number; readonly random: number },
): { readonly state: RestartState; readonly decision: RestartDecision } {
  const { policy, now, random } = terms;
  if (death.idleExit && policy.idleExit === 'end') return { state, decision: { kind: 'end' } };
  const onlyOnce = !death.everReady && policy.firstStart === 'once';
  if (onlyOnce || death.lost || HOPELESS.has(death.code)) {
    return { state, decision: { kind: 'give-up', why: 'hopeless' } };
  }
  if (death.otherWay) return { state, decision: { kind: 'restart', attempt: state.attempt, delayMs: 0 } };
  const recent = state.restarts.filter((at) => at > now - policy.windowMs);
  if (recent.length >= policy.maxRestarts) return { state, decision: { kind: 'give-up', why: 'limit' } };
  const attempt = state.attempt + 1;
  return {
    state: { restarts: [...recent, now], attempt },
    decision: { kind: 'restart', attempt, delayMs: backoff(attempt, policy, random) },
  };
}

/** A turn has ended: the CLI works. */
export function afterTurn(state: RestartState): RestartState {
  return state.attempt === 0 ? state : { ...state, attempt: 0 };
}

/** The delay before the `nth` attempt, counted from 1. */
export function backoff(
  nth: number,
  terms: Pick<RestartLimits, 'delayMs' | 'maxDelayMs' | 'jitter'>,
  random: number,
): number {
  const whole = Math.min(terms.maxDelayMs, terms.delayMs * 2 ** (nth - 1));
  return Math.round(whole * (1 - terms.jitter * random));
}

/** Errors that another start cannot change. A missing CLI is not among them: it may be being updated. */
const HOPELESS: ReadonlySet<string | undefined> = new Set([
  'abort',
  'mcp-library-missing',
  'options',
  'unsupported-cli-version',
  'unsupported-option',
]);

type Loose<O> = { readonly [K in keyof O]: O[K] | undefined };

type Checked = Partial<RestartLimits> & {
  readonly replay?: Replay;
  readonly rateLimit?: Partial<RateLimitPolicy> | false;
};

const milliseconds = whole(0, LONGEST_TIMER_MS);

const share: Check = (value, path, report) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? value : wrong(value, path, report, 'a number from 0 to 1');

const rateLimit = shape({ maxPauseMs: milliseconds, delayMs: milliseconds, maxDelayMs: milliseconds, jitter: share });

const SHAPE = shape({
  maxRestarts: whole(0),
  windowMs: whole(1),
  delayMs: milliseconds,
  maxDelayMs: milliseconds,
  jitter: share,
  idleExit: oneOf('end', 'restart'),
  firstStart: oneOf('once', 'retry'),
  replay: (value, path, report) =>
    typeof value === 'function' || value === 'never' || value === 'unanswered'
      ? value
      : wrong(value, path, report, "'never', 'unanswered' or a function"),
  rateLimit: (value, path, report) => (value === false ? value : rateLimit(value, path, report)),
});
