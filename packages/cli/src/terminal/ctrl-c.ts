/** The effects of Ctrl-C. */
export interface CtrlCSteps {
  /** The first press: interrupts what is running. */
  interrupt(): void;
  /** The second press: ends everything gracefully. */
  end(): void;
  /** From the third press on: ends everything immediately. */
  kill(): void;
}

/** Counts presses of Ctrl-C from its creation until it is disposed. */
export class CtrlC implements Disposable {
  readonly #steps: CtrlCSteps;
  readonly #listener = (): void => this.press();
  #presses = 0;

  constructor(steps: CtrlCSteps) {
    this.#steps = steps;
    process.on('SIGINT', this.#listener);
  }

  get presses(): number {
    return this.#presses;
  }

  /** Also called for a Ctrl-C that a prompt has received. */
  press(): void {
    this.#presses += 1;
    if (this.#presses === 1) this.#steps.interrupt();
    else if (this.#presses === 2) this.#steps.end();
    else this.#steps.kill();
  }

  /** Called when a turn starts: the next press interrupts again. */
  reset(): void {
    this.#presses = 0;
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#listener);
  }
}
