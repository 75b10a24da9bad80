import { PassThrough, type Readable } from 'node:stream';

/**
 * The keys that answer one prompt. Keys typed before the prompt appeared do not answer it, and neither do keys of a user
 * who is still typing at that moment: keys count after a short pause without input. Ctrl-C always counts.
 */
export class PromptKeys implements Disposable {
  readonly #stdin: NodeJS.ReadStream;
  readonly #keys = new PassThrough();
  readonly #onReady: () => void;
  readonly #take = (data: Buffer): void => this.#received(data);
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #isReady = false;

  /** Must be created when the prompt is on the screen. `onReady` is called when keys are accepted. */
  constructor(stdin: NodeJS.ReadStream, onReady: () => void = () => {}) {
    this.#stdin = stdin;
    this.#onReady = onReady;
    stdin.setRawMode?.(true);
    stdin.on('data', this.#take);
    // A stream that was paused, for example by a line editor, stays paused for a new listener.
    stdin.resume();
    this.#wait();
  }

  /** The accepted keys. */
  get stream(): Readable {
    return this.#keys;
  }

  [Symbol.dispose](): void {
    this.#stopWaiting();
    this.#stdin.off('data', this.#take);
    this.#stdin.pause();
    this.#stdin.setRawMode?.(false);
    this.#keys.end();
  }

  #received(data: Buffer): void {
    if (this.#isReady) return void this.#keys.write(data);
    if (data.includes(CTRL_C)) return void this.#keys.write(CTRL_C);
    this.#stopWaiting();
    this.#wait();
  }

  #wait(): void {
    // Buffered keys are read between the two timers, even if the process was too busy to read them in time.
    this.#timer = setTimeout(() => {
      this.#immediate = setImmediate(() => this.#open());
    }, QUIET_MS);
  }

  #open(): void {
    this.#isReady = true;
    this.#onReady();
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
  }
}

const CTRL_C = '\u0003';

/** Longer than the time between two keystrokes, shorter than it takes to read a question. */
const QUIET_MS = 400;
