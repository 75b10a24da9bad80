import { createInterface } from 'node:readline';
import type { Paint } from '../render/paint.ts';
import { canAsk, type Terminal } from '../terminal/terminal.ts';

/** What came of waiting for a line: the line, the end of the input, or Ctrl-C twice. */
export type Input = { readonly kind: 'line'; readonly text: string } | { readonly kind: 'end' | 'interrupted' };

/** Where prompts come from: typed one at a time, or piped in, one a line. */
export interface PromptSource {
  next(): Promise<Input>;
  /** The newest first. */
  readonly history: readonly string[];
}

/** Prompts from a terminal, or from a pipe. */
export function promptSource(terminal: Terminal, paint: Paint, history: readonly string[]): PromptSource {
  return canAsk(terminal) ? new TypedPrompts(terminal, paint, history) : new PipedPrompts(terminal);
}

/** Each line is a turn; nothing is asked and nothing is echoed. */
class PipedPrompts implements PromptSource {
  readonly history: readonly string[] = [];
  readonly #lines: AsyncIterator<string>;

  constructor({ stdin }: Terminal) {
    this.#lines = createInterface({ input: stdin })[Symbol.asyncIterator]();
  }

  async next(): Promise<Input> {
    const { done, value } = await this.#lines.next();
    return done ? { kind: 'end' } : { kind: 'line', text: value };
  }
}

/** A line editor with history. It holds the terminal only while it waits, so that prompts in between can have it. */
class TypedPrompts implements PromptSource {
  readonly #terminal: Terminal;
  readonly #paint: Paint;
  #history: string[];
  /** What was pasted behind the last line end. */
  #rest = '';

  constructor(terminal: Terminal, paint: Paint, history: readonly string[]) {
    this.#terminal = terminal;
    this.#paint = paint;
    this.#history = [...history];
  }

  get history(): readonly string[] {
    return this.#history;
  }

  next(): Promise<Input> {
    const { stdin, stderr } = this.#terminal;
    const editor = createInterface({
      input: stdin,
      output: stderr,
      prompt: this.#paint.bold('› '),
      history: [...this.#history],
      historySize: 500,
      removeHistoryDuplicates: true,
      terminal: true,
    });
    return new Promise((resolve) => {
      const lines: string[] = [];
      let presses = 0;
      let timer: NodeJS.Timeout | undefined;
      const finish = (input: Input): void => {
        clearTimeout(timer);
        this.#rest = editor.line ?? '';
        resolve(input);
        editor.close();
      };
      editor.on('history', (history) => {
        this.#history = [...history];
      });
      editor.on('line', (line) => {
        presses = 0;
        lines.push(line.endsWith('\\') ? line.slice(0, -1) : line);
        clearTimeout(timer);
        // Lines that come at once were pasted, and belong together.
        if (!line.endsWith('\\')) timer = setTimeout(() => finish({ kind: 'line', text: lines.join('\n') }), PASTED_MS);
        else editor.prompt();
      });
      editor.on('SIGINT', () => {
        presses += 1;
        if (presses > 1) {
          stderr.write('\n');
          return finish({ kind: 'interrupted' });
        }
        const hadWords = editor.line !== '' || lines.length > 0;
        lines.length = 0;
        editor.write(null, { ctrl: true, name: 'e' });
        editor.write(null, { ctrl: true, name: 'u' });
        stderr.write(
          `\n${this.#paint.dim(hadWords ? '(cleared; Ctrl-C again leaves)' : '(Ctrl-C again, or /exit, leaves)')}\n`,
        );
        editor.prompt();
      });
      editor.on('close', () => resolve({ kind: 'end' }));
      editor.prompt();
      if (this.#rest !== '') editor.write(this.#rest);
    });
  }
}

const PASTED_MS = 15;
