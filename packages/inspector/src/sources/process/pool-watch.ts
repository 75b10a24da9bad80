import type { QueueAction, QueueInfo } from '../../api.ts';
import { Refusal } from '../../refusal.ts';
import { oneLine } from '../../transcript/cut.ts';
import { contentText } from '../../transcript/fields.ts';
import type { ConversationRegistry } from '../source.ts';
import type { WatchablePool } from './watchable.ts';

/** Number of waiting jobs listed. */
const LISTED = 200;

/** Where a pool is shown. */
interface PoolPlace {
  readonly id: string;
  readonly label: string;
  readonly source: string;
  readonly registry: ConversationRegistry;
  /** The conversation of a key, if it exists. */
  conversationOf(key: string | null): string | null;
}

/** Follows the queue of a pool. */
export class PoolWatch {
  readonly pool: WatchablePool;
  readonly place: PoolPlace;
  /** Removes the secrets of its sessions from a text. */
  redact: (text: string) => string = (text) => text;
  readonly #events: ReturnType<WatchablePool['events']>;

  constructor(pool: WatchablePool, place: PoolPlace) {
    this.pool = pool;
    this.place = place;
    this.#events = pool.events();
    void this.#follow();
  }

  info(): QueueInfo {
    const { id, label, source, registry, conversationOf } = this.place;
    const { state, size, queued, running, jobs, pausedUntil } = this.pool.stats();
    const pauses =
      pausedUntil === null ? [] : [{ scope: 'pool', reason: 'rate limit or overload', until: pausedUntil }];
    const waiting = this.pool
      .waiting()
      .slice(0, LISTED)
      .map((job) => ({
        ...{ id: job.id, key: job.key, conversation: conversationOf(job.key), since: job.submittedAt, note: null },
        title: oneLine(this.redact(registry.redact(contentText(job.prompt)))),
      }));
    const numbers = { state, slots: size, queued, running, parked: 0, ended: jobs };
    return { id, source, label, ...numbers, pauses, heldBack: [], unserved: [], workers: [], waiting, dead: [] };
  }

  /** @throws Refusal */
  async act({ action, turn }: QueueAction): Promise<void> {
    if (action !== 'cancel') throw new Refusal('not-possible', 'A pool does not keep jobs that have ended.');
    if (!(await this.pool.cancel(turn, 'cancelled in the inspector'))) {
      throw new Refusal('not-possible', 'This job has already ended.');
    }
  }

  end(): void {
    void this.#events.return?.();
  }

  async #follow(): Promise<void> {
    for await (const _ of this.#events) this.place.registry.queuesChanged();
  }
}
