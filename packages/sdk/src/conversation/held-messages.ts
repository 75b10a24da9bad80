import type { StoreFailedError } from '../errors/store.ts';
import { TransportError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import type { StoredConversation } from '../store/stored-conversation.ts';
import { ITEM_BYTES, Queue } from '../stream/queue.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { Message, TranscriptMirrorMessage } from '../wire/messages.ts';

/** A message that was read. */
export interface Arrival {
  readonly message: Message;
  readonly rawJson: string;
  readonly at: number;
}

/** The conversation in the store, as far as its messages need it. */
export type MirroredConversation = Pick<StoredConversation, 'pending' | 'take' | 'flush' | 'overflow' | 'lose'>;

/** The parts of the process that holding messages uses. */
export interface HoldingHost {
  readonly limits: Pick<Limits, 'backlogBytes'>;
  readonly stored: MirroredConversation | undefined;
  /** Passes messages on to their turns. */
  readonly receiver: { deliver(arrival: Arrival): void };
  /** A result has arrived, but earlier entries could not be stored. */
  storeFailed(failure: StoreFailedError): void;
  warn(warning: Warning): void;
  fail(failure: Error): void;
}

/**
 * With a session store: passes mirrored entries to the store, and holds each result, and what follows it, until the store has
 * every entry that came before. Control frames do not wait.
 */
export class HeldMessages {
  readonly #host: HoldingHost;
  readonly #held = new Queue<Arrival>();
  #releasing: Promise<void> | undefined;
  #mirroredBytes = 0;

  constructor(host: HoldingHost) {
    this.#host = host;
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
    const { stored } = this.#host;
    if (!stored) return false;
    const { message } = arrival;
    if (message.type === 'transcript_mirror') {
      this.#mirror(stored, message, arrival.rawJson.length);
      return true;
    }
    if (message.type !== 'result' && this.#held.length === 0) return false;
    this.#held.push(arrival, arrival.rawJson.length + ITEM_BYTES);
    this.#releasing ??= this.#release(stored);
    this.#bound(stored, this.#held.bytes);
    return true;
  }

  #mirror(stored: MirroredConversation, { filePath, entries }: TranscriptMirrorMessage, bytes: number): void {
    if (!Array.isArray(entries) || typeof filePath !== 'string' || !stored.take(filePath, entries)) {
      const text = 'The CLI mirrored entries of a file that is not a transcript of this session; they are not stored.';
      return this.#host.warn(warning('store-failed', text, { filePath, entries: 0 }));
    }
    if (stored.pending === entries.length) this.#mirroredBytes = 0;
    this.#mirroredBytes += bytes;
    this.#bound(stored, this.#mirroredBytes);
  }

  #bound(stored: MirroredConversation, bytes: number): void {
    const { backlogBytes } = this.#host.limits;
    if (bytes > backlogBytes) this.#host.fail(stored.overflow(backlogBytes));
  }

  async #release(stored: MirroredConversation): Promise<void> {
    try {
      for (let next = this.#held.first; next; next = this.#held.first) {
        const failure = next.message.type === 'result' ? await stored.flush() : undefined;
        if (failure) this.#host.storeFailed(failure);
        this.#held.shift();
        this.#host.receiver.deliver(next);
      }
    } catch (error) {
      // A fault here ends the session as it does without a store, where the reader of stdout catches it.
      this.#host.fail(new TransportError('A message could not be handed over; start the run again.', error));
    }
    // Set before the promise settles: a message that arrives in between must start another release.
    this.#releasing = undefined;
  }
}
