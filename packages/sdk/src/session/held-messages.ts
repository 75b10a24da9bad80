import type { StoreFailedError } from '../errors/store.ts';
import { TransportError } from '../errors/stream.ts';
import { ITEM_BYTES, Queue } from '../stream/queue.ts';
import { warning } from '../warnings/warning.ts';
import type { Message, TranscriptMirrorMessage } from '../wire/messages.ts';
import type { LiveSession } from './live.ts';

/** A message that was read. */
export interface Arrival {
  readonly message: Message;
  readonly rawJson: string;
  readonly at: number;
}

/**
 * With a session store: passes mirrored entries to the store, and holds each result, and what follows it, until the store has
 * every entry that came before. Control frames do not wait.
 */
export class HeldMessages {
  readonly #session: LiveSession;
  readonly #held = new Queue<Arrival>();
  #releasing: Promise<void> | undefined;
  #mirroredBytes = 0;

  constructor(session: LiveSession) {
    this.#session = session;
  }

  /** True while a result waits for the store. */
  get holding(): boolean {
    return this.#releasing !== undefined;
  }

  /** Resolves when no message is held. */
  get settled(): Promise<void> {
    return this.#releasing ?? Promise.resolve();
  }

  /** Takes a message that is for the store, or that must wait for it; false for any other. */
  takes(arrival: Arrival): boolean {
    const { message } = arrival;
    if (message.type === 'transcript_mirror') {
      this.#mirror(message, arrival.rawJson.length);
      return true;
    }
    if (message.type !== 'result' && this.#held.length === 0) return false;
    this.#held.push(arrival, arrival.rawJson.length + ITEM_BYTES);
    this.#releasing ??= this.#release();
    const { stored, limits } = this.#session;
    if (stored && this.#held.bytes > limits.backlogBytes) this.#session.fail(stored.overflow(limits.backlogBytes));
    return true;
  }

  #mirror({ filePath, entries }: TranscriptMirrorMessage, bytes: number): void {
    const { stored, limits } = this.#session;
    if (!stored) return;
    if (!Array.isArray(entries) || typeof filePath !== 'string' || !stored.take(filePath, entries)) {
      const text = 'The CLI mirrored entries of a file that is not a transcript; they are not stored.';
      return this.#session.warn(warning('store-failed', text, { filePath, entries: 0 }));
    }
    if (stored.pending === entries.length) this.#mirroredBytes = 0;
    this.#mirroredBytes += bytes;
    if (this.#mirroredBytes > limits.backlogBytes) this.#session.fail(stored.overflow(limits.backlogBytes));
  }

  async #release(): Promise<void> {
    const { stored, incoming } = this.#session;
    try {
      for (let next = this.#held.first; next && stored; next = this.#held.first) {
        const failure = next.message.type === 'result' ? await stored.flush() : undefined;
        if (failure) this.#tell(failure);
        this.#held.shift();
        incoming.handOver(next.message, next.rawJson, next.at);
      }
    } catch (error) {
      // A fault here ends the session as it does without a store, where the reader of stdout catches it.
      void this.#session.broken(new TransportError('A message could not be handed over; start the run again.', error));
    }
    // At once: a message that comes before the promise has settled must start another release.
    this.#releasing = undefined;
  }

  #tell(failure: StoreFailedError): void {
    const { plan, stored, turns, tap } = this.#session;
    if (plan.run.options.storeFailure !== 'warn') {
      turns.failRunning(failure);
      tap?.failed(failure);
    }
    const { sessionId } = failure;
    this.#session.warn(warning('store-failed', failure.message, { sessionId, entries: stored?.pending ?? 0 }));
  }
}
