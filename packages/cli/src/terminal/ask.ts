import type { Terminal } from './terminal.ts';

/** Something to choose; `key` answers at once. */
export interface KeyOption {
  readonly key: string;
  readonly label: string;
}

/** Asks one thing at a time on the terminal. Answers are `undefined` when Ctrl-C was pressed or the signal was aborted. */
export class Asker {
  readonly #terminal: Terminal;
  #last: Promise<unknown> = Promise.resolve();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Asks after everybody who asked before. */
  inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(ask);
    this.#last = mine.catch(() => {});
    return mine;
  }

  /** One key is the answer. */
  async key(message: string, options: readonly KeyOption[], signal: AbortSignal): Promise<string | undefined> {
    const { selectKey } = await this.#prompts();
    const keys = options.map(({ key, label }) => ({ value: key, label }));
    return textOrNothing(await selectKey({ message, options: keys, ...this.#streams(signal) }));
  }

  async text(message: string, signal: AbortSignal): Promise<string | undefined> {
    const { text } = await this.#prompts();
    return textOrNothing(await text({ message, ...this.#streams(signal) }));
  }

  async one(message: string, options: readonly Labelled[], signal: AbortSignal): Promise<string | undefined> {
    const { select } = await this.#prompts();
    return textOrNothing(await select({ message, options: options.map(asOption), ...this.#streams(signal) }));
  }

  async several(message: string, options: readonly Labelled[], signal: AbortSignal): Promise<string[] | undefined> {
    const { multiselect } = await this.#prompts();
    const chosen = await multiselect({ message, options: options.map(asOption), ...this.#streams(signal) });
    return typeof chosen === 'symbol' ? undefined : chosen;
  }

  #streams(signal: AbortSignal): Common {
    return { input: this.#terminal.stdin, output: this.#terminal.stderr, signal, withGuide: false };
  }

  /** What was typed before the question was there is no answer to it. */
  async #prompts(): Promise<typeof import('@clack/prompts')> {
    const prompts = await import('@clack/prompts');
    const { stdin } = this.#terminal;
    const drop = (): void => {};
    stdin.setRawMode?.(true);
    stdin.on('data', drop);
    await new Promise((resolve) => setTimeout(resolve, TYPED_AHEAD_MS));
    stdin.off('data', drop);
    stdin.pause();
    return prompts;
  }
}

interface Common {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  readonly withGuide: false;
}

/** What a list offers. */
export interface Labelled {
  readonly label: string;
  readonly description?: string | undefined;
}

/** Enough for the terminal to hand over what it holds. */
const TYPED_AHEAD_MS = 30;

function asOption({ label, description }: Labelled): { value: string; label: string; hint?: string } {
  return { value: label, label, ...(description ? { hint: description } : {}) };
}

/** A cancelled prompt answers with a symbol. */
function textOrNothing(answer: string | symbol | undefined): string | undefined {
  return typeof answer === 'string' ? answer : undefined;
}
