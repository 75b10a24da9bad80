/** The remembered state of a key's conversation. */
export interface KeyState {
  /** The session id to resume. */
  readonly id: string;
  /** A turn has ended, so the CLI has the conversation on disk. */
  readonly kept: boolean;
  /** The directory the conversation was last used in. */
  readonly cwd: string;
  /** The model to continue with, if a job of the key changed it. */
  readonly model: string | undefined;
  /** The slot that failed while it ran the conversation. */
  readonly lostBy: number | undefined;
}

/** The states of up to `max` keys; beyond that the least recently used is forgotten. */
export class KeyStates {
  readonly #max: number;
  readonly #onForget: (key: string, id: string) => void;
  /** The least recently used first. */
  readonly #byKey = new Map<string, KeyState>();
  /** The cost of the processes of each key, for its budget; the least recently used key first. */
  readonly #spentUsd = new Map<string, number>();

  constructor(max: number, onForget: (key: string, id: string) => void) {
    this.#max = max;
    this.#onForget = onForget;
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): KeyState | undefined {
    return this.#byKey.get(key);
  }

  /** Records that a turn of the key has started, or ended if it is `kept`. */
  note(key: string, seen: Omit<KeyState, 'lostBy'>): void {
    const known = this.#byKey.get(key);
    const same = known?.id === seen.id ? known : undefined;
    this.#byKey.delete(key);
    const kept = seen.kept || same?.kept === true;
    this.#byKey.set(key, { ...seen, kept, model: seen.model ?? same?.model, lostBy: undefined });
    const [oldest] = this.#byKey;
    if (!oldest || this.#byKey.size <= this.#max) return;
    this.#byKey.delete(oldest[0]);
    this.#spentUsd.delete(oldest[0]);
    this.#onForget(oldest[0], oldest[1].id);
  }

  /** Records that the key's process failed. */
  lost(key: string, slot: number): void {
    const known = this.#byKey.get(key);
    if (known) this.#byKey.set(key, { ...known, lostBy: slot });
  }

  /** Forgets the conversation of a key, but not its cost. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }

  /** The cost of the exited processes of the key. */
  spentUsd(key: string): number {
    return this.#spentUsd.get(key) ?? 0;
  }

  /** Records the cost of a process of the key. */
  spend(key: string, costUsd: number): void {
    if (costUsd === 0) return;
    const sum = this.spentUsd(key) + costUsd;
    this.#spentUsd.delete(key);
    this.#spentUsd.set(key, sum);
    const [oldest] = this.#spentUsd.keys();
    if (oldest !== undefined && this.#spentUsd.size > this.#max) this.#spentUsd.delete(oldest);
  }
}
