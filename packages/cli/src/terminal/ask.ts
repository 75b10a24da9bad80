import type { Readable } from 'node:stream';
import { visible } from '@coxswain/inspector/text';
import type { Paint } from '../render/paint.ts';
import { askKey, type KeyQuestion } from './key-prompt.ts';
import { PromptKeys } from './prompt-keys.ts';
import type { Terminal } from './terminal.ts';

/** Asks one question at a time on the terminal. An answer is `undefined` if Ctrl-C was pressed or the signal was aborted. */
export class Asker {
  readonly #terminal: Terminal;
  readonly #paint: Paint;
  #last: Promise<unknown> = Promise.resolve();

  constructor(terminal: Terminal, paint: Paint) {
    this.#terminal = terminal;
    this.#paint = paint;
  }

  /** Waits for earlier questions, then asks. */
  inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(ask);
    this.#last = mine.catch(() => {});
    return mine;
  }

  /** Asks for one key. */
  key(question: KeyQuestion, signal: AbortSignal): Promise<string | undefined> {
    return askKey(this.#terminal, question, this.#paint, signal);
  }

  /** Asks for a text; everything typed from now on is part of the answer. */
  async text(message: string, signal: AbortSignal): Promise<string | undefined> {
    const { text } = await import('@clack/prompts');
    const { stdin } = this.#terminal;
    const answer = await this.#ask(stdin, signal, (common) => text({ message, ...common }));
    return typeof answer === 'symbol' ? undefined : answer;
  }

  async one(message: string, options: readonly Labelled[], signal: AbortSignal): Promise<string | undefined> {
    const { select } = await import('@clack/prompts');
    using keys = new PromptKeys(this.#terminal.stdin);
    const list = { message, options: options.map(asOption) };
    const answer = await this.#ask(keys.stream, signal, (common) => select({ ...list, ...common }));
    return typeof answer === 'symbol' ? undefined : answer;
  }

  async several(message: string, options: readonly Labelled[], signal: AbortSignal): Promise<string[] | undefined> {
    const { multiselect } = await import('@clack/prompts');
    using keys = new PromptKeys(this.#terminal.stdin);
    const list = { message, options: options.map(asOption) };
    const answer = await this.#ask(keys.stream, signal, (common) => multiselect({ ...list, ...common }));
    return typeof answer === 'symbol' ? undefined : answer;
  }

  async #ask<T>(input: Readable, signal: AbortSignal, prompt: (common: Common) => Promise<T>): Promise<T> {
    const { stderr } = this.#terminal;
    // An answered prompt still writes when its signal is aborted, so it gets its own signal.
    const open = new AbortController();
    const withdraw = (): void => open.abort();
    if (signal.aborted) withdraw();
    signal.addEventListener('abort', withdraw);
    try {
      const answer = await prompt({ input, output: stderr, signal: open.signal, withGuide: false });
      // A cancelled list leaves the current choice on the screen, struck through, which looks like an answer.
      if (typeof answer === 'symbol') stderr.write('\u001b[1A\r\u001b[JNo answer.\n');
      return answer;
    } finally {
      signal.removeEventListener('abort', withdraw);
    }
  }
}

/** The options of all prompts. */
interface Common {
  readonly input: Readable;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  readonly withGuide: false;
}

/** The choices of a list. */
export interface Labelled {
  readonly label: string;
  readonly description?: string | undefined;
}

function asOption({ label, description }: Labelled): { value: string; label: string; hint?: string } {
  return { value: label, label: visible(label), ...(description ? { hint: visible(description) } : {}) };
}
