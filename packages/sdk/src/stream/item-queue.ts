import type { CoxswainError } from '../errors/base.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';
import type { StreamItem } from './items.ts';

/** Items between the one who reads the wire and the one who reads the stream. */
export class ItemQueue {
  /** The first item; mostly there is no other, and an array would cost 3 % of a 100,000-message run. */
  #first: StreamItem | undefined;
  readonly #items: StreamItem[] = [];
  #head = 0;
  #seq = 0;
  #waiting: (() => void)[] = [];
  #over = false;
  #failure: Error | undefined;
  #settle: (failure: Error | undefined) => void = () => {};
  readonly #onDemand: () => void;
  /** When the items that are being decoded were read. Set once per chunk: a clock call per message would show. */
  at: number = Date.now();
  /** Settles when nothing will be added any more. */
  readonly ended: Promise<Error | undefined> = new Promise((resolve) => {
    this.#settle = resolve;
  });

  /** `onDemand` is called when a reader waits and nothing is there. */
  constructor(onDemand: () => void) {
    this.#onDemand = onDemand;
  }

  /** True when a reader has nothing to take. */
  get empty(): boolean {
    return this.#first === undefined && this.#head === this.#items.length;
  }

  /** True when a reader waits for something to take. */
  get wanted(): boolean {
    return this.#waiting.length > 0;
  }

  message(message: Message, rawJson: string): void {
    this.#add({ kind: 'message', message, rawJson, seq: this.#seq++, at: this.at });
  }

  warning(warning: Warning): void {
    this.#add({ kind: 'warning', warning, seq: this.#seq++, at: Date.now() });
  }

  error(error: CoxswainError): void {
    this.#add({ kind: 'error', error, seq: this.#seq++, at: Date.now() });
  }

  take(): StreamItem | undefined {
    const first = this.#first;
    if (first !== undefined) {
      this.#first = undefined;
      return first;
    }
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head++;
    if (this.#head === this.#items.length) this.clear();
    return item;
  }

  /** True: something may be there to take. False: the end. @throws the terminal error, once */
  async more(): Promise<boolean> {
    if (!this.empty) return true;
    if (this.#over) {
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure) throw failure;
      return false;
    }
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#onDemand();
    });
    return true;
  }

  /** Nothing is added any more; the reader gets what is left, then the failure. */
  end(failure?: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#failure = failure;
    this.#settle(failure);
    this.wake();
  }

  /** Forgets what nobody will read. */
  clear(): void {
    this.#first = undefined;
    this.#items.length = 0;
    this.#head = 0;
  }

  /** What comes after the end, such as a late warning, has other ways to be heard. */
  #add(item: StreamItem): void {
    if (this.#over) return;
    if (this.empty) this.#first = item;
    else this.#items.push(item);
    this.wake();
  }

  /** Lets a reader that waits look again. */
  wake(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
