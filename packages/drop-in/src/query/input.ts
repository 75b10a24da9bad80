import { isObject } from '@coxswain/shared/is-object';
import { OptionsError } from 'coxswain/errors';
import type { SDKUserMessage } from '../declarations/messages.ts';
import { RunEnd, type RunFrame } from './run-end.ts';

/** The part of a session that prompts are written to. */
export interface InputSession {
  send(frame: object): Promise<void>;
  endInput(): Promise<void>;
}

export interface InputOptions {
  /** True if a callback or a tool server may be called during the run: stdin must stay open until its end. */
  readonly answers: () => boolean;
  readonly verbatimPrompts: boolean;
  /** Resolves when the first prompt may be written. */
  readonly ready: Promise<unknown>;
}

/** Time for the CLI to continue after its last result before stdin is closed nevertheless. */
const CEILING_MS = 600_000;

/** Time to wait for a prompt that the CLI may not have read when it reported idle. */
const OVERLAP_MS = 250;

/** Writes prompts, and closes stdin when there are no more and no answers are needed. */
export class Input {
  readonly run: RunEnd = new RunEnd();
  private readonly session: InputSession;
  private readonly options: InputOptions;
  /** Number of iterables that are still being read. */
  private sources = 0;
  private begun = false;
  private waitForRun = false;
  private closed = false;
  /** True once stdin was closed because everything was written and answered. */
  ended = false;
  private ceiling: NodeJS.Timeout | undefined;
  private overlap: NodeJS.Timeout | undefined;

  constructor(session: InputSession, options: InputOptions) {
    this.session = session;
    this.options = options;
  }

  /** Writes a text. stdin stays open until it is answered. */
  async text(prompt: string): Promise<void> {
    this.begun = true;
    this.waitForRun = true;
    const content = [{ type: 'text', text: prompt }];
    const message = { role: 'user', content };
    await this.write({ type: 'user', session_id: '', message, parent_tool_use_id: null });
    this.settle();
  }

  /**
   * Writes every frame of an iterable unchanged; resolves with false if the query ended before. Rejects with the iterable's exception,
   * or with the reason why a frame cannot be written as JSON; `onThrow` receives it first.
   */
  async stream(source: AsyncIterable<SDKUserMessage>, onThrow: (thrown: unknown) => void = () => {}): Promise<boolean> {
    this.begun = true;
    this.sources += 1;
    let hasThrown = false;
    const reader = new SourceReader(source, (thrown) => {
      hasThrown = true;
      onThrow(thrown);
    });
    try {
      for (;;) {
        const next = await reader.next();
        if (next.done) return true;
        if (this.closed) return false;
        if (!isReadByCli(next.value)) continue;
        await this.write(next.value).catch((error: unknown) => {
          if (!(error instanceof OptionsError)) throw error;
          this.run.refused();
          throw reader.failed(error);
        });
      }
    } finally {
      reader.stop();
      this.sources -= 1;
      // A CLI without stdin cannot be asked to stop.
      if (this.run.prompts > 0 && (hasThrown || this.options.answers())) this.waitForRun = true;
      this.settle();
    }
  }

  /** Declares that no prompt will follow. */
  abandon(): void {
    this.begun = true;
    this.settle();
  }

  /** Handles a frame of the CLI. */
  frame(frame: RunFrame): void {
    if (!this.run.frame(frame)) return;
    clearTimeout(this.overlap);
    if (frame.type === 'result') this.armCeiling();
    this.settle();
  }

  /** Handles the end of the query. */
  close(): void {
    this.closed = true;
    clearTimeout(this.ceiling);
    clearTimeout(this.overlap);
  }

  private async write(frame: object): Promise<void> {
    await this.options.ready;
    this.run.prompt();
    // Programs in JavaScript also yield null, which the session refuses.
    const isMarked = this.options.verbatimPrompts && isObject(frame);
    await this.session.send(isMarked ? { ...frame, client_composed: true } : frame);
  }

  private settle(): void {
    if (this.closed || !this.begun || this.sources > 0) return;
    if (!this.waitForRun) return this.end();
    if (!this.run.hasEnded) return;
    if (!this.run.overlapping) return this.end();
    clearTimeout(this.overlap);
    this.overlap = setTimeout(() => {
      if (this.run.hasEnded) this.end();
    }, OVERLAP_MS);
  }

  private armCeiling(): void {
    clearTimeout(this.ceiling);
    this.ceiling = setTimeout(() => {
      if (this.sources === 0) this.end();
    }, CEILING_MS).unref();
  }

  private end(): void {
    this.close();
    this.ended = true;
    this.session.endInput().catch(() => {});
  }
}

/** Reads an iterable step by step, and reports its exception. */
class SourceReader<T> {
  private readonly source: AsyncIterable<T>;
  private readonly onThrow: (thrown: unknown) => void;
  private iterator: AsyncIterator<T> | Iterator<T> | undefined;
  private ended = false;

  constructor(source: AsyncIterable<T>, onThrow: (thrown: unknown) => void) {
    this.source = source;
    this.onThrow = onThrow;
  }

  async next(): Promise<IteratorResult<T>> {
    try {
      this.iterator ??= iteratorOf(this.source);
      const next = await this.iterator.next();
      if (next.done) this.ended = true;
      return next;
    } catch (thrown) {
      this.ended = true;
      this.onThrow(thrown);
      throw thrown;
    }
  }

  /** Reports a value that cannot be written, like an exception of the iterable. Returns its error. */
  failed(error: unknown): unknown {
    this.onThrow(error);
    return error;
  }

  /** Lets a generator run its `finally` blocks, as `for await` does, but does not wait for them. Their exceptions have no receiver. */
  stop(): void {
    if (this.ended) return;
    this.ended = true;
    new Promise((resolve) => resolve(this.iterator?.return?.())).catch(() => {});
  }
}

/** False for a string, a number or a list, which programs in JavaScript also yield: the CLI ignores such lines. */
function isReadByCli(value: unknown): boolean {
  return isObject(value) || value === null || value === undefined;
}

/** Programs in JavaScript also pass lists: the official SDK reads prompts with `for await`. */
function iteratorOf<T>(source: AsyncIterable<T> | Iterable<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}
