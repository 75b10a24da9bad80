import type { Message, ResultMessage, Session, StreamItem } from 'coxswain';
import type { View } from './view.ts';

/** The result of waiting for background work. */
export interface BackgroundEnd {
  /** The last result of a turn that the CLI started itself, if any. */
  readonly result: ResultMessage | undefined;
  /** True if the wait ended before the work did. */
  readonly isCutOff: boolean;
}

/**
 * Output that does not belong to a prompt: turns that the CLI itself starts when background work has ended. It is shown immediately
 * while the screen is free, and held while the user types; a starting turn takes the terminal from the prompt.
 */
export class Background implements Disposable {
  readonly #session: Session;
  readonly #view: View;
  readonly #messages: ReturnType<Session['messages']>;
  #held: Extract<StreamItem, { kind: 'message' }>[] = [];
  #isShown = false;
  #seq = 0;
  /** The last result since output is shown. */
  #result: ResultMessage | undefined;
  #turnRuns = false;
  #turnEnded: () => void = () => {};
  #question: Promise<unknown> | undefined;
  #call = new AbortController();

  constructor(session: Session, view: View) {
    this.#session = session;
    this.#view = view;
    this.#messages = session.messages();
    void this.#read().catch(() => {});
  }

  /** Shows the held output, and from then on all output immediately. */
  async show(): Promise<void> {
    this.#result = undefined;
    for (let item = this.#held.shift(); item !== undefined; item = this.#held.shift()) await this.#item(item);
    this.#isShown = true;
  }

  /** Holds output from now on. */
  hold(): void {
    this.#isShown = false;
  }

  /** Waits until all background work has ended, or the wait is aborted. */
  async finished(enough: AbortSignal): Promise<BackgroundEnd> {
    this.#view.waiting('work in the background');
    let isCutOff = true;
    const idle = this.#session.idle().then(
      () => {
        isCutOff = false;
      },
      () => {},
    );
    await Promise.race([idle, aborted(enough)]);
    await lastMessages();
    this.#view.waiting(undefined);
    return { result: this.#result, isCutOff };
  }

  /** Waits until the open question is answered and the running turn has ended; returns its result. @throws the error that ended the session */
  async turn(): Promise<ResultMessage | undefined> {
    await this.#question;
    if (!this.#turnRuns) return this.#result;
    const ended = new Promise<void>((resolve) => {
      this.#turnEnded = resolve;
    });
    await Promise.race([ended, this.#session.idle().then(lastMessages)]);
    this.#turnRuns = false;
    return this.#result;
  }

  /** Aborted when a prompt must release the terminal for a turn or a question. */
  called(): AbortSignal {
    this.#call = new AbortController();
    const turnRuns = this.#turnRuns || this.#held.some(({ message }) => isAnswer(message));
    if (turnRuns || this.#question !== undefined) this.#call.abort();
    return this.#call.signal;
  }

  /** Removes the prompt, then asks. */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    this.#call.abort();
    const answered = question();
    const settled = answered.then(
      () => {},
      () => {},
    );
    this.#question = settled;
    try {
      return await answered;
    } finally {
      this.#question = undefined;
    }
  }

  [Symbol.dispose](): void {
    void this.#messages.return?.().catch(() => {});
  }

  async #read(): Promise<void> {
    for await (const observed of this.#messages) {
      if (observed.kind === 'gap' || observed.turn !== null) continue;
      const { message, rawJson, at } = observed;
      const item = { kind: 'message', message, rawJson, seq: this.#seq++, at } as const;
      if (this.#isShown) await this.#item(item);
      else if (!isOfSubagent(message)) {
        this.#held.push(item);
        if (isAnswer(message)) this.#call.abort();
      }
    }
  }

  async #item(item: Extract<StreamItem, { kind: 'message' }>): Promise<void> {
    await this.#view.item(item);
    if (isAnswer(item.message)) this.#turnRuns = true;
    if (item.message.type !== 'result') return;
    this.#result = item.message;
    this.#turnRuns = false;
    this.#turnEnded();
  }
}

/** Observers receive the last messages right after the session has become idle. */
function lastMessages(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function isAnswer(message: Message): boolean {
  return (message.type === 'assistant' || message.type === 'stream_event') && !isOfSubagent(message);
}

function isOfSubagent(message: Message): boolean {
  return 'parent_tool_use_id' in message && typeof message.parent_tool_use_id === 'string';
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
