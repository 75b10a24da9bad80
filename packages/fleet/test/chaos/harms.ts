/** The kinds of faults: all, or only crashes of PostgreSQL. */
export type Harms = 'everything' | 'crashes';

/** Returns each kind of fault once, then random ones, mostly the death of a worker. `dice` is a number below 1. */
export function nextHarm(
  dice: number,
  harms: Harms = 'everything',
  done: Readonly<Record<string, number>> = {},
): (typeof HARMS)[number] {
  if (harms === 'crashes') return dice < 0.5 ? CRASHES[0] : CRASHES[1];
  // Above a half: the rest of the dice chooses among all.
  const chance = HARMS[Math.floor((dice * 2 - 1) * HARMS.length)] ?? 'kill -9 of a worker';
  return HARMS.find((known) => !(known in done)) ?? (dice < 0.5 ? 'kill -9 of a worker' : chance);
}

/** Crashes of PostgreSQL: only what is on the disk survives. */
const CRASHES = ['immediate shutdown of PostgreSQL', 'kill -9 of all processes of PostgreSQL'] as const;

/** The faults. */
const HARMS = [
  'kill -9 of a worker',
  ...CRASHES,
  'SIGSTOP past the lease, then SIGCONT',
  'all connections cut',
  'SIGTERM of a worker',
  'PostgreSQL stopped, and started again later',
  'all workers drained and replaced',
] as const;

/** Roles with defaults that a fleet must not depend on. Workers and the submitting process use them alternately. */
export const ROLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  plain: {},
  hasty: { synchronous_commit: 'off' },
  impatient: { lock_timeout: '50ms', statement_timeout: '500ms' },
  serial: { default_transaction_isolation: 'serializable' },
  german: { datestyle: 'German, DMY' },
};

/** The steps of a turn at which workers kill themselves. */
export const STEPS = ['fetched', 'claimed', 'sent', 'answering', 'result', 'committing', 'committed'] as const;

/** The same for turns that ask for their tools. */
export const ASKING_STEPS: readonly string[] = [...STEPS, 'opening', 'asked', 'parked', 'ran'];

/** How long requests wait on different workers before their turn is parked. */
export const PARK_AFTER_MS = [0, 50, 500, 'never'] as const;

/** mulberry32: a random generator with a seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
