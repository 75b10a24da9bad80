import type { QueueInfo } from '../../api.ts';
import type { WatchablePool } from './watchable.ts';

/** How many waiting jobs are listed. */
const LISTED = 200;

/** Follows the queue of a pool. */
export class PoolWatch {
  readonly #pool: WatchablePool;
  readonly #source: string;
  readonly #waiting = new Map<string, { readonly key: string | null; readonly since: number }>();
  readonly #events: ReturnType<WatchablePool['events']>;

  constructor(pool: WatchablePool, source: string, changed: () => void) {
    this.#pool = pool;
    this.#source = source;
    this.#events = pool.events();
    void this.#follow(changed);
  }

  info(): QueueInfo {
    const { state, size, queued, running, jobs, pausedUntil } = this.#pool.stats();
    const pauses =
      pausedUntil === null ? [] : [{ scope: 'pool', reason: 'rate limit or overload', until: pausedUntil }];
    const waiting = [...this.#waiting].slice(0, LISTED).map(([id, { key, since }]) => ({
      ...{ id, key, conversation: null, title: '', since, note: null },
    }));
    const numbers = { state, slots: size, queued, running, ended: jobs };
    return { source: this.#source, label: 'pool', ...numbers, pauses, workers: [], waiting, dead: [] };
  }

  end(): void {
    void this.#events.return?.();
  }

  async #follow(changed: () => void): Promise<void> {
    for await (const event of this.#events) {
      if (event.type === 'job-queued') this.#waiting.set(event.job, { key: event.key, since: event.at });
      else if (event.type === 'job-started' || event.type === 'job-ended') this.#waiting.delete(event.job);
      changed();
    }
  }
}
