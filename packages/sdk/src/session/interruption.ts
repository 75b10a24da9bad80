/** What is still to be done about an interrupt of the current turn: the CLI may take a prompt up after it. */
export class Interruption {
  #pending = false;
  #refused = false;

  /** The turn is to end; `missed` when the CLI may still take up a prompt of it. */
  asked(missed: boolean): void {
    this.#pending = missed;
  }

  /** The turn is over, or the caller has said something more to it. */
  forget(): void {
    this.#pending = false;
    this.#refused = false;
  }

  /** A hook is asked about a prompt of the turn, which has not started: true when it is to be refused. */
  refusesPrompt(): boolean {
    if (this.#pending) this.#refused = true;
    return this.#pending;
  }

  /** A run of the turn has started: true when it is to be interrupted. One whose prompt was refused ends at once. */
  runStarted(): boolean {
    const refused = this.#refused;
    this.#refused = false;
    return this.#pending && !refused;
  }
}
