import { createInterface } from 'node:readline';
import type { Paint } from '../render/paint.ts';
import { canAsk, type Terminal } from '../terminal/terminal.ts';

/** The result of waiting for a line: the line, the end of the input, Ctrl-C twice, or that the terminal is needed. */
export type Input =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'end' | 'interrupted' | 'called' };

/** The source of prompts: typed one at a time, or piped in, one per line. */
export interface PromptSource {
  /** Reads the next prompt. If `called` is aborted, it releases the terminal and keeps the typed text for the next call. */
  next(called: AbortSignal): Promise<Input>;
  /** Whether the prompt is interactive, so that background work can be shown later. */
  readonly isTyped: boolean;
  /** Newest first. */
  readonly history: readonly string[];
}

/** Prompts from a terminal, or from a pipe. */
export function promptSource(terminal: Terminal, paint: Paint, history: readonly string[]): PromptSource {
  return canAsk(terminal) ? new TypedPrompts(terminal, paint, history) : new PipedPrompts(terminal);
}

/** Each line is a turn, without a prompt and without an echo. */
class PipedPrompts implements PromptSource {
  readonly isTyped = false;
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

/** A line editor with history. It uses the terminal only while it waits, so that other prompts can use it in between. */
class TypedPrompts implements PromptSource {
  readonly isTyped = true;
  readonly #terminal: Terminal;
  readonly #paint: Paint;
  #history: string[];
  /** Text that was pasted after the last line end, or typed when the terminal was needed. */
  #rest = '';
  /** The lines of the prompt so far. */
  #lines: string[] = [];

  constructor(terminal: Terminal, paint: Paint, history: readonly string[]) {
    this.#terminal = terminal;
    this.#paint = paint;
    this.#history = [...history];
  }

  get history(): readonly string[] {
    return this.#history;
  }

  next(called: AbortSignal): Promise<Input> {
    if (called.aborted) return Promise.resolve({ kind: 'called' });
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
      const lines = this.#lines;
      let presses = 0;
      let timer: NodeJS.Timeout | undefined;
      const finish = (input: Input): void => {
        clearTimeout(timer);
        called.removeEventListener('abort', giveWay);
        this.#rest = editor.line ?? '';
        if (input.kind !== 'called') this.#lines = [];
        resolve(input);
        editor.close();
      };
      const giveWay = (): void => {
        // A line that was just entered is handled first.
        if (timer !== undefined) return;
        const { rows } = editor.getCursorPos();
        stderr.write(`${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[J`);
        finish({ kind: 'called' });
      };
      called.addEventListener('abort', giveWay);
      editor.on('history', (history) => {
        this.#history = [...history];
      });
      editor.on('line', (line) => {
        presses = 0;
        lines.push(line.endsWith('\\') ? line.slice(0, -1) : line);
        clearTimeout(timer);
        timer = undefined;
        // Lines that arrive together were pasted, and form one prompt.
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
          `\n${this.#paint.dim(hadWords ? '(cleared; Ctrl-C again exits)' : '(Ctrl-C again, or /exit, exits)')}\n`,
        );
        editor.prompt();
      });
      editor.on('close', () => {
        called.removeEventListener('abort', giveWay);
        resolve({ kind: 'end' });
      });
      editor.prompt();
      if (this.#rest !== '') editor.write(this.#rest);
    });
  }
}

const PASTED_MS = 15;
