import type { PoolEventBody } from './events.ts';
import type { PoolStats } from './pool.ts';

/** Counts what happens in a pool by its events. */
export class Tally {
  readonly #jobs = { finished: 0, failed: 0, cancelled: 0 };
  readonly #totals = { started: 0, adopted: 0, resumed: 0, evicted: 0, failed: 0, replaced: 0 };

  note(event: PoolEventBody): void {
    switch (event.type) {
      case 'job-ended':
        this.#jobs[event.outcome.status]++;
        return;
      case 'session-started':
        this.#totals.started++;
        if (event.resumed) this.#totals.resumed++;
        return;
      case 'session-adopted':
        this.#totals.adopted++;
        return;
      case 'session-evicted':
        this.#totals.evicted++;
        return;
      case 'session-failed':
        this.#totals.failed++;
        return;
      case 'session-replaced':
        this.#totals.replaced++;
    }
  }

  sum(): Pick<PoolStats, 'jobs' | 'totals'> {
    return { jobs: { ...this.#jobs }, totals: { ...this.#totals } };
  }
}
