import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import { FleetInputError } from './errors.ts';

/** Timeouts, intervals and sizes of a fleet. */
export interface FleetLimits {
  /** How long a conversation belongs to a worker that sends no heartbeat; a worker renews its leases after a third of this. */
  readonly leaseMs: number;
  /** How often a worker looks for expired leases. Another worker takes over after `leaseMs` plus at most this. */
  readonly sweepMs: number;
  /** How long before the end of its lease a worker that cannot renew it ends the agent's processes. */
  readonly stopBeforeMs: number;
  /** How often idle workers and followers poll, in case a notification was lost. */
  readonly pollMs: number;
  /** How long messages are collected before they are written. */
  readonly flushMs: number;
  /** How many bytes of unwritten messages a turn may have; beyond it the agent's output is not read. */
  readonly bufferBytes: number;
  /** How often a turn is given to a worker before it is dead. Only workers that die before the prompt was sent count. */
  readonly maxAttempts: number;
  /** How long an interrupted turn may take to end. */
  readonly interruptMs: number;
  /** How long `options()` and `workspace.prepare()` of the agent may take, and `workspace.save()`; the turn then fails. */
  readonly agentCallMs: number;
  /** Connections of the pool of one process; one more listens, one is for the queue's housekeeping, and a worker has one for its leases. */
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

/** The limits with their defaults. @throws FleetInputError */
export function fleetLimits(given: Partial<FleetLimits> = {}): FleetLimits {
  const limits: { -readonly [L in keyof FleetLimits]: number } = { ...defaultFleetLimits };
  for (const [name, value] of Object.entries(given)) {
    if (!isLimit(name))
      throw new FleetInputError(`limits.${name}`, `is not a known limit; use one of ${NAMES.join(', ')}.`);
    if (value === undefined) continue;
    const least = LEAST[name] ?? 1;
    const isWhole = !COUNTS.has(name) || Number.isInteger(value);
    if (typeof value !== 'number' || !isWhole || !(value >= least && value <= LONGEST_TIMER_MS))
      throw new FleetInputError(
        `limits.${name}`,
        `must be a ${COUNTS.has(name) ? 'whole ' : ''}number from ${least} to ${LONGEST_TIMER_MS}.`,
      );
    limits[name] = value;
  }
  // A short lease leaves at least half of it for work.
  return { ...limits, stopBeforeMs: Math.min(limits.stopBeforeMs, limits.leaseMs / 4) };
}

const NAMES: readonly string[] = Object.keys(defaultFleetLimits);

/** What a limit must at least be, if that is not 1. A shorter lease would be over before it can be renewed. */
const LEAST: Partial<FleetLimits> = { leaseMs: 500, stopBeforeMs: 0, flushMs: 0, interruptMs: 0 };

/** The limits that are no times. */
const COUNTS: ReadonlySet<string> = new Set([
  'bufferBytes',
  'maxAttempts',
  'connections',
] satisfies (keyof FleetLimits)[]);

function isLimit(name: string): name is keyof FleetLimits {
  return NAMES.includes(name);
}
