// node --import tsx bench/fleet-simulation.mjs: leases, renewals and takeovers of up to thousands of workers, by the same functions
// that the workers use, in simulated time. Prints takeover times and the load of the database.
import { actionAt, canClaim, claimed, renewed, stopAt } from '../packages/fleet/src/lease/lease.ts';
import { defaultFleetLimits } from '../packages/fleet/src/limits.ts';

const { leaseMs, sweepMs, stopBeforeMs, pollMs } = defaultFleetLimits;
const HOUR = 3_600_000;

/** The simulation: each worker has `slots` conversations, and dies on average once in `deathMs`. */
const CASES = [
  { workers: 20, slots: 50, deathMs: 24 * HOUR },
  { workers: 200, slots: 50, deathMs: 24 * HOUR },
  { workers: 2_000, slots: 50, deathMs: 24 * HOUR },
  { workers: 2_000, slots: 50, deathMs: HOUR },
];

console.log(
  `lease ${leaseMs} ms, sweep ${sweepMs} ms, stop ${stopBeforeMs} ms before the end; 10 simulated minutes each`,
);
console.log(
  'workers  conversations  deaths  takeover p50  p99  max (s)  false takeovers  zombies after the lease  statements/s',
);
for (const plan of CASES) {
  const { deaths, takeovers, false_: early, zombies, statements } = simulate(plan, 10 * 60_000);
  const at = (/** @type {number} */ share) =>
    ((takeovers[Math.min(takeovers.length - 1, Math.floor(takeovers.length * share))] ?? 0) / 1000).toFixed(1);
  console.log(
    [plan.workers, plan.workers * plan.slots, deaths, at(0.5), at(0.99), at(1), early, zombies, statements.toFixed(0)]
      .map((cell) => String(cell).padStart(9))
      .join(' '),
  );
}

/**
 * @param {{ workers: number, slots: number, deathMs: number }} plan
 * @param {number} duration
 */
function simulate({ workers: count, slots, deathMs }, duration) {
  const random = numbers(7);
  /** The conversations of one worker are renewed together, so one represents all of them. */
  const workers = Array.from({ length: count }, () => ({
    lease: { askedAt: 0, leaseMs, stopBeforeMs },
    holding: claimed({ owner: null, epoch: 0, leaseUntil: null }, 'w', 0, leaseMs),
    diesAt: -Math.log(1 - random()) * deathMs,
    keepAt: random() * (leaseMs / 6),
    sweepAt: random() * sweepMs * Math.max(1, count / 10),
    held: true,
  }));
  /** @type {number[]} */
  const takeovers = [];
  let [deaths, false_, zombies, statements] = [0, 0, 0, 0];
  for (let now = 0; now < duration; now += 50) {
    let swept = false;
    for (const worker of workers) {
      const alive = now < worker.diesAt;
      if (alive && now >= worker.keepAt) {
        worker.keepAt += leaseMs / 6;
        statements += 1; // its heartbeat
        if (actionAt(worker.lease, now) === 'renew') {
          statements += 1;
          // One request in a thousand takes up to four seconds.
          const late = random() < 0.001 ? random() * 4_000 : random() * 20;
          worker.holding = { ...worker.holding, leaseUntil: now + late + leaseMs };
          worker.lease = renewed(worker.lease, now);
        }
      }
      if (alive && now >= worker.sweepAt) {
        worker.sweepAt += sweepMs * Math.max(1, count / 10) * (0.8 + random() * 0.2);
        statements += 4;
        swept = true;
      }
      if (alive && worker.holding.leaseUntil !== null && stopAt(worker.lease) > worker.holding.leaseUntil) zombies += 1;
    }
    statements += (count * 50) / pollMs; // idle workers look for turns, all look for answers and cancellations
    if (!swept) continue;
    for (const worker of workers) {
      if (!worker.held || !canClaim(worker.holding, now)) continue;
      if (now < worker.diesAt) false_ += 1;
      else {
        deaths += 1;
        takeovers.push(now - worker.diesAt);
        statements += slots * 8;
      }
      worker.held = false;
      // A new worker replaces it.
      worker.lease = { askedAt: now, leaseMs, stopBeforeMs };
      worker.holding = claimed(worker.holding, 'w', now, leaseMs);
      worker.diesAt = now - Math.log(1 - random()) * deathMs;
      worker.held = true;
    }
  }
  takeovers.sort((a, b) => a - b);
  return { deaths, takeovers, false_, zombies, statements: statements / (duration / 1000) };
}

/** @param {number} seed */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
