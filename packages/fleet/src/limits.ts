import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import { FleetInputError } from './errors.ts';

/** Timeouts, intervals and sizes of a fleet. */
export interface FleetLimits {
  /** Time a conversation stays with a worker that does not renew its lease; workers renew after a third of it. */
  readonly leaseMs: number;
  /** Interval at which a worker searches for expired leases. Another worker takes over after `leaseMs` plus at most this. */
  readonly sweepMs: number;
  /** Time before the end of a lease at which a worker that cannot renew it ends the agent's processes. */
  readonly stopBeforeMs: number;
  /** Interval at which idle workers and followers poll, in case a notification was lost. */
  readonly pollMs: number;
  /** Time for which messages are collected before they are written. */
  readonly flushMs: number;
  /** Bytes of unwritten messages that a turn may hold; beyond this, the agent's output is not read. */
  readonly bufferBytes: number;
  /** Number of workers that may claim a turn before it is dead. Only workers that die before they send the prompt count. */
  readonly maxAttempts: number;
  /** Time an interrupted turn has to end. */
  readonly interruptMs: number;
  /** Time for `options()` together with `workspace.prepare()` of the agent, and for `workspace.save()`; then the turn fails. */
  readonly agentCallMs: number;
  /** Size of the connection pool of one process. One more connection listens, one is for the queue's maintenance, and a worker has one for its leases. */
  readonly connections: number;
}

/** The defaults. */
export const defaultFleetLimits: FleetLimits = {
  leaseMs: 15_000,
  sweepMs: 3_000,
  stopBeforeMs: 3_000,
  pollMs: 2_000,
  flushMs: 100,
  bufferBytes: 8 * 1024 * 1024,
  maxAttempts: 5,
  interruptMs: 10_000,
  agentCallMs: 15 * 60_000,
  connections: 4,
};

/** Checks limits and adds the defaults. @throws FleetInputError */
export function fleetLimits(given: Partial<FleetLimits> = {}): FleetLimits {
  const limits: { -readonly [L in keyof FleetLimits]: number } = { ...defaultFleetLimits };
  for (const [name, value] of Object.entries(given)) {
    if (!isLimit(name))
      throw new FleetInputError(`limits.${name}`, `is not a known limit; use one of ${NAMES.join(', ')}.`);
    if (value === undefined) continue;
    const least = MINIMUM[name] ?? 1;
    const isWhole = !COUNTS.has(name) || Number.isInteger(value);
    if (typeof value !== 'number' || !isWhole || !(value >= least && value <= LONGEST_TIMER_MS))
      throw new FleetInputError(
        `limits.${name}`,
        `must be a ${COUNTS.has(name) ? 'whole ' : ''}number from ${least} to ${LONGEST_TIMER_MS}.`,
      );
    limits[name] = value;
  }
  // At least three quarters of a short lease are for work.
  return { ...limits, stopBeforeMs: Math.min(limits.stopBeforeMs, limits.leaseMs / 4) };
}

const NAMES: readonly string[] = Object.keys(defaultFleetLimits);

/** The minimum of each limit, if it is not 1. A shorter lease would expire before it can be renewed. */
const MINIMUM: Partial<FleetLimits> = { leaseMs: 500, stopBeforeMs: 0, flushMs: 0, interruptMs: 0 };

/** The limits other than times. */
const COUNTS: ReadonlySet<string> = new Set([
  'bufferBytes',
  'maxAttempts',
  'connections',
] satisfies (keyof FleetLimits)[]);

function isLimit(name: string): name is keyof FleetLimits {
  return NAMES.includes(name);
}
