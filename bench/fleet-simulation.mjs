// node --import tsx bench/fleet-simulation.mjs: leases, renewals and takeovers of up to thousands of workers in simulated time, with
// the functions that decide in a worker. Prints takeover times and the load of the database.
import { actionAt, renewed, stopAt } from '../packages/fleet/src/lease/lease.ts';
import { defaultFleetLimits } from '../packages/fleet/src/limits.ts';

const { leaseMs, sweepMs, stopBeforeMs, pollMs } = defaultFleetLimits;
const HOUR = 3_600_000;

/** The simulated fleets: each worker has `slots` conversations, and dies once in `deathMs` on average. */
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
    lease: { requestedAt: 0, leaseMs, stopBeforeMs },
    /** By the clock of the database. */
    leaseUntil: leaseMs,
    diesAt: -Math.log(1 - random()) * deathMs,
    keepAt: random() * (leaseMs / 6),
    sweepAt: random() * sweepMs * Math.max(1, count / 10),
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
          worker.leaseUntil = now + late + leaseMs;
          worker.lease = renewed(worker.lease, now);
        }
      }
      if (alive && now >= worker.sweepAt) {
        worker.sweepAt += sweepMs * Math.max(1, count / 10) * (0.8 + random() * 0.2);
        statements += 4;
        swept = true;
      }
      if (alive && stopAt(worker.lease) > worker.leaseUntil) zombies += 1;
    }
    statements += (count * 50) / pollMs; // idle workers poll for turns, all workers poll for answers and cancellations
    if (!swept) continue;
    for (const worker of workers) {
      // The sweep takes a conversation over when its lease has expired.
      if (worker.leaseUntil >= now) continue;
      if (now < worker.diesAt) false_ += 1;
      else {
        deaths += 1;
        takeovers.push(now - worker.diesAt);
        statements += slots * 8;
      }
      // A new worker takes its place.
      worker.lease = { requestedAt: now, leaseMs, stopBeforeMs };
      worker.leaseUntil = now + leaseMs;
      worker.diesAt = now - Math.log(1 - random()) * deathMs;
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
