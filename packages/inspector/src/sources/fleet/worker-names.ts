import type { WatchableFleet } from './watchable-fleet.ts';

/** Number of names kept. */
const KEPT = 1_000;

/** The names of workers by id. If the fleet no longer lists a worker, its id is used. */
export class WorkerNames {
  readonly #fleet: WatchableFleet;
  readonly #names = new Map<string, string>();

  constructor(fleet: WatchableFleet) {
    this.#fleet = fleet;
  }

  async nameOf(id: string): Promise<string> {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const { workers } = await this.#fleet.stats();
    if (this.#names.size > KEPT) this.#names.clear();
    this.#names.set(id, id);
    for (const worker of workers) this.#names.set(worker.id, worker.name);
    return this.#names.get(id) ?? id;
  }
}
