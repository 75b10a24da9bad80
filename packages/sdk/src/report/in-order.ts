/** Runs tasks one after another: a task that is added while another one runs is run after it. Tasks must not throw. */
export class InOrder {
  readonly #waiting: (() => void)[] = [];
  #busy = false;

  run(task: () => void): void {
    this.#waiting.push(task);
    if (this.#busy) return;
    this.#busy = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) next();
    this.#busy = false;
  }
}
