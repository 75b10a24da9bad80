import type { OptionProblem } from '../errors/options.ts';
import { LONGEST_TIMER_MS } from '../limits.ts';
import { type Check, oneOf, shape, whole, wrong } from '../options/checks.ts';
import type { Message, UserContent } from '../wire/messages.ts';
import type { RestartLimits } from './policy.ts';
import { defaultRateLimitPolicy, type RateLimitPolicy } from './rate-limit.ts';

/** A turn that was cut off by the death of its CLI. */
export interface CutTurn {
  readonly id: string;
  readonly prompt: UserContent;
  /** How often its prompt has been sent. */
  readonly attempts: number;
  /** The model had begun to answer: tools may have run. */
  readonly answered: boolean;
  readonly text: string;
  readonly messages: readonly Message[];
  readonly cause: Error | undefined;
}

/** Whether the prompt of a cut turn is sent again: never, if the model had not begun to answer, or as you say. */
export type Replay = 'never' | 'unanswered' | ((cut: CutTurn) => boolean);

/** How a supervised session goes on when its CLI dies, or the API turns it away. */
export interface RestartPolicy extends Partial<Loose<RestartLimits>> {
  /** What becomes of the turn that was cut. `never` by default: it fails with `TurnInterruptedError`. */
  readonly replay?: Replay | undefined;
  /** How new turns are held back while the API turns requests away; `false` sends them all the same. */
  readonly rateLimit?: Partial<Loose<RateLimitPolicy>> | false | undefined;
}

/** The same with everything filled in. */
export interface Supervision {
  readonly restart: RestartLimits;
  readonly replay: Replay;
  readonly rateLimit: RateLimitPolicy | undefined;
}

/** The defaults. */
export const defaultSupervision: Supervision = {
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

/** Checks a policy and fills in the defaults; `report` is told what is wrong with it. */
export function checkPolicy(policy: RestartPolicy, report: (problem: OptionProblem) => void): Supervision {
  const checked = SHAPE(policy, 'policy', (path, message) => report({ path, message }));
  // What passed the check has these fields and no others.
  const { replay, rateLimit, ...restart } = (checked ?? {}) as Checked;
  const { restart: usual, replay: usualReplay, rateLimit: usualLimit } = defaultSupervision;
  return {
    restart: { ...usual, ...restart },
    replay: replay ?? usualReplay,
    rateLimit: rateLimit === false || !usualLimit ? undefined : { ...usualLimit, ...rateLimit },
  };
}

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
