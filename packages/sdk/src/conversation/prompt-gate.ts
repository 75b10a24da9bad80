import { Waiters } from '../stream/queue.ts';
import { Timers } from '../timing/timers.ts';

/** Holds the next prompt back while the CLI would merge it into another run. */
export class PromptGate {
  readonly #opened: () => void;
  readonly #runWaitMs: number;
  readonly #timer = new Timers<'run'>();
  #holds = 0;
  readonly #waiters = new Waiters();
  #waitedLongEnough = false;

  /** `opened` is called when a prompt may be sent again; `runWaitMs` bounds the wait for a run. */
  constructor(opened: () => void, runWaitMs: number) {
    this.#opened = opened;
    this.#runWaitMs = runWaitMs;
  }

  get held(): boolean {
    return this.#holds > 0;
  }

  /** No prompt is sent until the returned function is called. */
  hold(): () => void {
    this.#holds++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      if (this.#holds > 0) return;
      this.#waiters.wake();
      this.#opened();
    };
  }

  async released(): Promise<void> {
    if (this.held) await this.#waiters.wait();
  }

  /**
   * True when the next prompt has to wait for a run that is not its own: it might join that run, which would then have the
   * turn's settings. A run that never ends delays it only for a bounded time.
   */
  waitsForRun(free: boolean): boolean {
    if (free) this.forgetRun();
    if (free || this.#waitedLongEnough) return false;
    if (!this.#timer.has('run')) {
      this.#timer.set('run', this.#runWaitMs, () => {
        this.#waitedLongEnough = true;
        this.#opened();
      });
    }
    return true;
  }

  /** No prompt waits for a run from now on. */
  forgetRun(): void {
    this.#waitedLongEnough = false;
    this.#timer.clear();
  }
}
