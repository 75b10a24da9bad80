import type { InterruptReceipt } from '../control/operations.ts';
import { snapshot } from '../options/copied.ts';
import type { Turn } from '../session/turn.ts';
import type { UserContent } from '../wire/messages.ts';
import type { Late } from './late.ts';
import { LateStream } from './late-stream.ts';

/** A turn of a session that opens as soon as the engine is loaded. */
export class LateTurn<T> extends LateStream<T, Turn<T>> implements Turn<T> {
  readonly #firstId: string;

  constructor(id: string, late: Late<Turn<T>>) {
    super(late);
    this.#firstId = id;
  }

  get id(): string {
    return this.late.now?.id ?? this.#firstId;
  }

  steer(content: UserContent): Promise<void> {
    const asked = snapshot(content);
    return this.late.ask((turn) => turn.steer(asked));
  }

  interrupt(): Promise<InterruptReceipt> {
    return this.late.ask((turn) => turn.interrupt());
  }
}
