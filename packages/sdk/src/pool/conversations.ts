/** What is known of a key's conversation. */
export interface Conversation {
  /** The session id to resume. */
  readonly id: string;
  /** A turn of it has come to its end, so the CLI has it on disk. */
  readonly kept: boolean;
  /** The directory it was last in. */
  readonly cwd: string;
  /** The model to go on with, where a job of the key had another one. */
  readonly model: string | undefined;
  /** The slot that failed while it had the conversation. */
  readonly lostBy: number | undefined;
}

/** The conversations of many keys; of too many the least recently used is forgotten. */
export class Conversations {
  readonly #max: number;
  readonly #onForget: (key: string, id: string) => void;
  /** The least recently used first. */
  readonly #byKey = new Map<string, Conversation>();

  constructor(max: number, onForget: (key: string, id: string) => void) {
    this.#max = max;
    this.#onForget = onForget;
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): Conversation | undefined {
    return this.#byKey.get(key);
  }

  /** The CLI has begun a turn of it, or ended one. */
  note(key: string, { id, kept, cwd, model }: Omit<Conversation, 'lostBy'>): void {
    const known = this.#byKey.get(key);
    const same = known?.id === id ? known : undefined;
    this.#set(key, { id, kept: kept || same?.kept === true, cwd, model: model ?? same?.model, lostBy: undefined });
  }

  /** Its process failed. */
  lost(key: string, slot: number): void {
    const known = this.#byKey.get(key);
    if (known) this.#byKey.set(key, { ...known, lostBy: slot });
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  #set(key: string, conversation: Conversation): void {
    this.#byKey.delete(key);
    this.#byKey.set(key, conversation);
    if (this.#byKey.size <= this.#max) return;
    for (const [oldest, { id }] of this.#byKey) {
      this.#byKey.delete(oldest);
      this.#onForget(oldest, id);
      return;
    }
  }
}
