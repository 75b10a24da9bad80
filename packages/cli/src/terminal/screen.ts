import { once } from 'node:events';
import { harmless } from '../render/measure.ts';
import { WordWrap, wrapLines } from '../render/wrap.ts';
import { CursorColumn } from './cursor-column.ts';
import { canDraw, columnsOf, type Terminal } from './terminal.ts';

/**
 * Writes the answer to stdout and everything else to stderr, with a status line that is always the last line of the
 * terminal and never part of a pipe.
 */
export class Screen {
  readonly #terminal: Terminal;
  readonly #draws: boolean;
  readonly #cursor = new CursorColumn();
  readonly #words = new WordWrap();
  /** Output that is held while a prompt is open. */
  #held: (() => void)[] | undefined;
  #status = '';
  #drawn = false;

  constructor(terminal: Terminal, options: { readonly status: boolean }) {
    this.#terminal = terminal;
    this.#draws = options.status && canDraw(terminal);
  }

  /** Words of the answer: unchanged in a pipe; on a terminal wrapped between words, without control sequences. */
  write(text: string): void {
    this.#now(() => {
      const { stdout } = this.#terminal;
      if (stdout.isTTY !== true) return void stdout.write(text);
      this.#print(this.#words.take(harmless(text), columnsOf(stdout)));
    });
  }

  /** A line for programs: it is never wrapped. */
  data(line: string): void {
    this.#now(() => {
      const { stdout } = this.#terminal;
      if (stdout.isTTY !== true) return void stdout.write(`${line}\n`);
      this.#print(`${this.#words.flush(columnsOf(stdout))}${harmless(line)}\n`);
    });
  }

  /** Writes the command's own lines, with colours, as the requested output. */
  writeLines(text: string): void {
    this.#now(() => {
      const columns = columnsOf(this.#terminal.stdout);
      this.#print(`${this.#words.flush(columns)}${wrapLines(text, columns).join('\n')}\n`);
    });
  }

  /** Writes a line about the answer. */
  note(line: string): void {
    this.#now(() => {
      const { stderr } = this.#terminal;
      this.#finishWord();
      this.#erase();
      stderr.write(`${wrapLines(line, columnsOf(stderr)).join('\n')}\n`);
      this.#draw();
    });
  }

  /** Sets the status line; an empty text removes it. */
  status(line: string): void {
    if (!this.#draws) return;
    this.#status = line;
    if (this.#held !== undefined) return;
    this.#erase();
    this.#draw();
  }

  /** Waits until a slow reader of stdout has read most of the data. */
  async drained(): Promise<void> {
    const { stdout } = this.#terminal;
    if (!stdout.writableNeedDrain || stdout.destroyed) return;
    const done = new AbortController();
    const events = ['drain', 'close'].map((event) => once(stdout, event, { signal: done.signal }));
    await Promise.race(events).catch(() => {});
    done.abort();
    await Promise.allSettled(events);
  }

  /** Lets a prompt use the terminal; output that arrives in the meantime is shown afterwards. */
  async withPrompt<T>(use: () => Promise<T>): Promise<T> {
    this.#finishWord();
    this.#erase();
    this.#held ??= [];
    // Keys pressed too early were echoed.
    if (this.#draws && this.#cursor.column === 0) this.#terminal.stderr.write('\r\u001b[J');
    try {
      return await use();
    } finally {
      const waiting = this.#held ?? [];
      this.#held = undefined;
      for (const act of waiting) act();
      this.#draw();
    }
  }

  close(): void {
    this.#finishWord();
    this.#erase();
    this.#status = '';
  }

  #now(act: () => void): void {
    if (this.#held === undefined) act();
    else this.#held.push(act);
  }

  #finishWord(): void {
    const { stdout } = this.#terminal;
    this.#print(this.#words.flush(columnsOf(stdout)));
  }

  #print(shown: string): void {
    if (shown === '') return;
    const { stdout } = this.#terminal;
    this.#erase();
    stdout.write(shown);
    this.#cursor.move(shown, columnsOf(stdout));
    this.#draw();
  }

  /** Draws below an unfinished line of the answer, unless the position of its end is uncertain. */
  #draw(): void {
    const { stdout, stderr } = this.#terminal;
    if (this.#status === '' || this.#drawn || this.#held !== undefined) return;
    const isShared = stdout.isTTY === true;
    if (isShared && !this.#cursor.isCertain(columnsOf(stdout))) return;
    stderr.write(isShared && this.#cursor.column > 0 ? `\n${this.#status}` : this.#status);
    this.#drawn = true;
  }

  #erase(): void {
    if (!this.#drawn) return;
    this.#drawn = false;
    const { stdout, stderr } = this.#terminal;
    const { column } = this.#cursor;
    const back = stdout.isTTY === true && column > 0 ? `\u001b[1A\u001b[${column + 1}G` : '';
    stderr.write(`\r\u001b[J${back}`);
  }
}
