import { onTestFinished } from 'vitest';
import type { AgentOptions } from '../../src/options/option-types.ts';
import type { ExitReport, StartRequest, Transport, TransportSignal } from '../../src/process/transport.ts';
import { query } from '../../src/query/query.ts';
import { type Run, watch } from './say.ts';

type Step = IteratorResult<Uint8Array, undefined>;

/** An in-memory CLI: a test controls its output and its end. */
export class MemoryTransport implements Transport {
  readonly output: ByteFeed = new ByteFeed();
  readonly errorOutput: ByteFeed = new ByteFeed();
  readonly exited: Promise<ExitReport>;
  readonly pid = undefined;
  readonly signals: TransportSignal[] = [];
  readonly written: string[] = [];
  request: StartRequest | undefined;
  inputEnded = false;
  /** The first signal that ends it. */
  obeys: TransportSignal | 'none' = 'interrupt';
  #resolveExited: (report: ExitReport) => void = () => {};

  constructor() {
    this.exited = new Promise((resolve) => {
      this.#resolveExited = resolve;
    });
  }

  start(request: StartRequest): Promise<void> {
    this.request = request;
    return Promise.resolve();
  }

  write(text: string): Promise<void> {
    this.written.push(text);
    return Promise.resolve();
  }

  endInput(): Promise<void> {
    this.inputEnded = true;
    return Promise.resolve();
  }

  signal(signal: TransportSignal): void {
    this.signals.push(signal);
    if (signal === this.obeys) this.exit(null, 'SIGTERM');
  }

  /** Writes messages, all in one chunk. */
  say(...messages: readonly object[]): void {
    this.print(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  }

  print(text: string): void {
    this.output.push(Buffer.from(text));
  }

  /** Ends the process but not its pipes. */
  exit(exitCode: number | null = 0, signal: string | null = null): void {
    this.#resolveExited({ exitCode, signal, ended: 'by-itself' });
  }

  /** Ends the process and its pipes. */
  end(exitCode = 0): void {
    this.output.end();
    this.errorOutput.end();
    this.exit(exitCode);
  }
}

/** A query over an in-memory transport. */
export function inMemory<T = unknown>(options: AgentOptions<T> = {}): Run<T> & { readonly transport: MemoryTransport } {
  const transport = new MemoryTransport();
  const run = watch((watching) => query<T>('hello', { transport, ...watching, ...options }));
  onTestFinished(() => transport.end());
  return Object.assign(run, { transport });
}

/** A queue of bytes to read. */
class ByteFeed implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #steps: (Step | Error)[] = [];
  #waiting: { resolve(step: Step): void; reject(error: Error): void } | undefined;
  #ended = false;
  /** Number of requested chunks. */
  pulls = 0;

  push(chunk: Uint8Array): void {
    this.#add({ done: false, value: chunk });
  }

  fail(error: Error): void {
    this.#add(error);
  }

  end(): void {
    this.#ended = true;
    this.#waiting?.resolve({ done: true, value: undefined });
    this.#waiting = undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    this.pulls += 1;
    const step = this.#steps.shift();
    if (step instanceof Error) return Promise.reject(step);
    if (step) return Promise.resolve(step);
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  return(): Promise<Step> {
    this.#steps.length = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  #add(step: Step | Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#steps.push(step);
    else if (step instanceof Error) waiting.reject(step);
    else waiting.resolve(step);
  }
}
