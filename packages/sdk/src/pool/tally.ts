import type { PoolEventBody } from './pool-events.ts';
import type { PoolStats } from './pool-stats.ts';

/** Counts ended jobs and session events from the events of a pool. */
export class PoolTally {
  readonly #jobs = { finished: 0, failed: 0, cancelled: 0 };
  readonly #totals = { started: 0, adopted: 0, resumed: 0, evicted: 0, failed: 0, replaced: 0 };

  count(event: PoolEventBody): void {
    if (event.type === 'job-ended') this.#jobs[event.outcome.status]++;
    const counter = COUNTERS[event.type];
    if (counter) this.#totals[counter]++;
    if (event.type === 'session-started' && event.resumed) this.#totals.resumed++;
  }

  counts(): Pick<PoolStats, 'jobs' | 'totals'> {
    return { jobs: { ...this.#jobs }, totals: { ...this.#totals } };
  }
}

const COUNTERS: { readonly [T in PoolEventBody['type']]?: keyof PoolStats['totals'] } = {
  'session-started': 'started',
  'session-adopted': 'adopted',
  'session-evicted': 'evicted',
  'session-failed': 'failed',
  'session-replaced': 'replaced',
};
