import type { Message } from '../wire/messages.ts';

/** A message with what has to be known of it besides. */
export interface Arrival {
  readonly message: Message;
  readonly rawJson: string;
  readonly at: number;
}

/** The frames of a run of which it is not known yet whether it is the current turn's. */
export class UndecidedFrames {
  readonly #limitBytes: number;
  #frames: Arrival[] = [];
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** False when there are too many: a run of the turn is known by the echo of its prompt long before it has said so much. */
  keep(arrival: Arrival): boolean {
    this.#frames.push(arrival);
    this.#bytes += arrival.rawJson.length;
    return this.#bytes <= this.#limitBytes;
  }

  take(): readonly Arrival[] {
    const frames = this.#frames;
    this.#frames = [];
    this.#bytes = 0;
    return frames;
  }
}
