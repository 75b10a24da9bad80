/** A cell of the screen: a character, its style, and when it was last written, in ms. */
export interface Cell {
  readonly text: string;
  readonly style: string;
  readonly at: number;
}

/** A terminal in memory: it interprets the output of this package and its prompts, and keeps every line that scrolls off. */
export class VirtualScreen {
  readonly columns: number;
  readonly rows: number;
  readonly #lines: Cell[][] = [[]];
  /** The first line that is still on the screen. */
  #top = 0;
  #row = 0;
  #column = 0;
  #style = '';
  #rest = '';

  constructor(columns = 80, rows = 24) {
    this.columns = columns;
    this.rows = rows;
  }

  /** All output that was not erased, line by line. */
  get lines(): string[] {
    return this.#lines.map((line) =>
      line
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    );
  }

  get cells(): readonly (readonly Cell[])[] {
    return this.#lines;
  }

  get text(): string {
    return this.lines.join('\n').trimEnd();
  }

  write(data: string, at = 0): void {
    const text = this.#rest + data;
    this.#rest = '';
    for (let index = 0; index < text.length; ) {
      if (text[index] === '\u001b') {
        const [sequence, final = '', args = ''] = sequenceAt(text.slice(index));
        if (sequence === undefined) {
          this.#rest = text.slice(index);
          return;
        }
        this.#obey(final, args);
        index += sequence.length;
      } else {
        const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
        this.#put(character, at);
        index += character.length;
      }
    }
  }

  #put(character: string, at: number): void {
    if (character === '\n') return this.#down();
    if (character === '\r') {
      this.#column = 0;
      return;
    }
    if (character === '\b') {
      this.#column = Math.max(0, this.#column - 1);
      return;
    }
    if (character < ' ') return;
    // The cursor stays on the last column; only the next character wraps.
    if (this.#column >= this.columns) {
      this.#column = 0;
      this.#down();
    }
    const line = this.#line();
    while (line.length < this.#column) line.push(BLANK);
    line[this.#column] = { text: character, style: this.#style, at };
    this.#column += 1;
  }

  #down(): void {
    this.#row += 1;
    this.#line();
    this.#top = Math.max(this.#top, this.#row - this.rows + 1);
  }

  #line(): Cell[] {
    while (this.#lines.length <= this.#row) this.#lines.push([]);
    return this.#lines[this.#row] ?? [];
  }

  #obey(final: string, args: string): void {
    const number = Number.parseInt(args, 10) || 1;
    const column = Math.min(this.#column, this.columns - 1);
    if (final === 'm') this.#style = styleAfter(this.#style, args);
    if (final === 'A') this.#row = Math.max(this.#top, this.#row - number);
    if (final === 'B') this.#row = Math.min(this.#top + this.rows - 1, this.#row + number);
    if (final === 'C') this.#column = Math.min(this.columns - 1, column + number);
    if (final === 'D') this.#column = Math.max(0, column - number);
    if (final === 'G') this.#column = Math.min(this.columns, number) - 1;
    if (final === 'K') this.#erase(args);
    if (final === 'J') {
      this.#erase('');
      this.#lines.length = Math.min(this.#lines.length, this.#row + 1);
    }
  }

  #erase(args: string): void {
    const line = this.#line();
    if (args === '2') line.length = 0;
    else if (args === '1') line.fill(BLANK, 0, Math.min(line.length, this.#column + 1));
    else line.length = Math.min(line.length, this.#column);
  }
}

const BLANK: Cell = { text: ' ', style: '', at: 0 };

/** A complete escape sequence at the start of the text, its last letter and its arguments; undefined if it is incomplete. */
function sequenceAt(text: string): readonly [sequence: string | undefined, final?: string, args?: string] {
  const [sequence, args, final] = /^\p{Cc}\[([0-?]*)[ -/]*([@-~])/u.exec(text) ?? [];
  if (sequence !== undefined) return [sequence, final ?? '', args ?? ''];
  if (/^.(?:$|\[)/s.test(text) && text.length < 16) return [undefined];
  return [text.slice(0, 2)];
}

/** Styles are kept as sorted SGR numbers, so that equal styles are equal strings. */
function styleAfter(style: string, args: string): string {
  let on = style.split(';').filter(Boolean).map(Number);
  for (const code of (args || '0').split(';').map(Number)) {
    if (code === 0) on = [];
    else if (code === 22) on = on.filter((other) => other !== 1 && other !== 2);
    else if (code === 39) on = on.filter((other) => other < 30 || other > 37);
    else if (code === 49) on = on.filter((other) => other < 40 || other > 47);
    else if (code > 22 && code < 30) on = on.filter((other) => other !== code - 20);
    else on = [...on.filter((other) => other !== code), code];
  }
  return on.sort((a, b) => a - b).join(';');
}
