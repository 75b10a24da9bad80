import type { OutputPipe } from './fault-data.ts';
import type { CliEvent, Effect, EndlessEffect, FloodEffect, RunEntry } from './interpreter/effects.ts';
import type { Interpreter } from './interpreter/interpreter.ts';
import { Output } from './output.ts';

/** The environment of a scripted CLI: a separate process, or the memory of the test. */
export interface Surroundings {
  /** True if the output has no reader. */
  readonly stdoutClosed: boolean;
  /** Writes to stdout; returns a promise while the reader is behind. */
  write(data: string | Uint8Array): Promise<void> | undefined;
  /** Writes to stderr; returns a promise while the reader is behind. */
  stderr(data: string | Uint8Array): Promise<void> | undefined;
  /** Resolves when everything is written. */
  flushed(): Promise<void>;
  close(what: 'stdin' | OutputPipe): void;
  /** Stops reading. */
  stopReading(): void;
  holdPipe(ms: number): Promise<void>;
  record(entry: RunEntry): void;
  exit(code: number): void;
  crash(signal: string): void;
}

/** Executes the interpreter's effects in order, no faster than the output is read. */
export class Shell {
  readonly #interpreter: Interpreter;
  readonly #surroundings: Surroundings;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  readonly #waiting: Effect[] = [];
  readonly #output: Output;
  /** Callbacks that end the current pauses. */
  readonly #sleeping = new Set<() => void>();
  #working = false;
  #left = false;

  constructor(interpreter: Interpreter, surroundings: Surroundings) {
    this.#interpreter = interpreter;
    this.#surroundings = surroundings;
    this.#output = new Output(
      (data) => surroundings.write(data),
      (ms) => this.#sleep(ms),
    );
  }

  feed(event: CliEvent): void {
    if (this.#left) return;
    for (const effect of this.#interpreter.handle(event)) this.#waiting.push(effect);
    if (!this.#working) void this.#work();
  }

  /** A signal does not wait for unread output. */
  signal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void {
    if (this.#left) return;
    const effects = this.#interpreter.handle({ event: 'signal', signal });
    const exit = effects.find((effect) => effect.effect === 'exit');
    if (exit && this.#working) {
      const lastWords = effects.map((effect) => (effect.effect === 'write' ? effect.text : '')).join('');
      if (lastWords !== '') void this.#surroundings.write(lastWords);
      // Long enough for an active reader, but short for a stopped one.
      setTimeout(() => this.#leave(() => this.#surroundings.exit(exit.code)), 100);
      return;
    }
    for (const effect of effects) this.#waiting.push(effect);
    if (!this.#working) void this.#work();
  }

  /** Stops permanently, like a killed process. */
  stop(): void {
    this.#left = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    for (const wake of this.#sleeping) wake();
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (let effect = this.#waiting.shift(); effect && !this.#left; effect = this.#waiting.shift()) {
      const pending = this.#perform(effect);
      if (pending !== undefined) await pending;
    }
    this.#working = false;
  }

  /** Executes one effect; returns a promise if the next must wait. */
  #perform(effect: Effect): Promise<void> | undefined {
    const surroundings = this.#surroundings;
    switch (effect.effect) {
      case 'write':
        return this.#output.write(this.#joined(effect.text));
      case 'write-bytes':
        return this.#output.write(Buffer.from(effect.base64, 'base64'));
      case 'stderr':
        return surroundings.stderr(effect.text);
      case 'manner':
        this.#output.behave(effect.manner);
        return undefined;
      case 'pause':
        return this.#sleep(effect.ms);
      case 'flood':
        return this.#flood(effect);
      case 'endless-line':
        return this.#endlessLine(effect);
      case 'set-timer':
        this.#timers.set(
          effect.timer,
          setTimeout(() => this.feed({ event: 'timer', timer: effect.timer }), effect.ms),
        );
        return undefined;
      case 'clear-timer':
        clearTimeout(this.#timers.get(effect.timer));
        this.#timers.delete(effect.timer);
        return undefined;
      case 'record':
        surroundings.record(effect.entry);
        return undefined;
      case 'hold-pipe':
        return surroundings.holdPipe(effect.ms);
      case 'deaf':
        surroundings.stopReading();
        return undefined;
      case 'close':
        return this.#flushed().then(() => surroundings.close(effect.what));
      case 'exit':
        return this.#flushed().then(() => this.#leave(() => surroundings.exit(effect.code)));
      case 'crash':
        return this.#flushed().then(() => this.#leave(() => surroundings.crash(effect.signal)));
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#sleeping.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#sleeping.add(wake);
    });
  }

  async #flushed(): Promise<void> {
    await this.#output.flush();
    await this.#surroundings.flushed();
  }

  #leave(how: () => void): void {
    if (this.#left) return;
    this.stop();
    how();
  }

  /** Combines queued lines into one write. */
  #joined(text: string): string {
    const end = this.#waiting.findIndex(({ effect }) => effect !== 'write');
    const joined = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
    return text + joined.map((next) => (next.effect === 'write' ? next.text : '')).join('');
  }

  async #flood({ to, count, head, tail }: FloodEffect): Promise<void> {
    let batch = '';
    for (let n = 0; n < count && !this.#cut(); n += 1) {
      batch += head + String(n).padStart(8, '0') + tail;
      if (batch.length < 65_536 && n < count - 1) continue;
      await this.#pour(to, batch);
      batch = '';
    }
  }

  async #endlessLine({ to, head, bytes }: EndlessEffect): Promise<void> {
    await this.#pour(to, head);
    const chunk = Buffer.alloc(65_536, 'x');
    for (let left = bytes ?? Number.POSITIVE_INFINITY; left > 0 && !this.#cut(); left -= chunk.length) {
      await this.#pour(to, left < chunk.length ? chunk.subarray(0, left) : chunk);
      // A pipe that accepts everything immediately must not starve the signals.
      await new Promise(setImmediate);
    }
  }

  #pour(to: OutputPipe, data: string | Uint8Array): Promise<void> | undefined {
    return to === 'stdout' ? this.#surroundings.write(data) : this.#surroundings.stderr(data);
  }

  #cut(): boolean {
    return this.#left || this.#surroundings.stdoutClosed;
  }
}
