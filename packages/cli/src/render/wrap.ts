import { columnsOf, widthOf } from './measure.ts';

/**
 * The lines of a text, broken between words if they are wider than the terminal. Continuation lines are
 * indented like the text they belong to. Colour codes have no width; a word wider than a line is not broken,
 * so that an address can still be copied.
 */
export function wrapLines(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, columns));
}

function wrapLine(line: string, columns: number): string[] {
  if (columnsOf(line) <= columns) return [line];
  const [lead = ''] = LEAD.exec(line) ?? [];
  const indent = ' '.repeat(Math.min(columnsOf(lead), Math.floor(columns / 2)));
  const lines: string[] = [];
  let current = lead;
  let isEmpty = true;
  for (const word of line.slice(lead.length).split(' ')) {
    const longer = isEmpty ? current + word : `${current} ${word}`;
    if (isEmpty || columnsOf(longer) <= columns) {
      current = longer;
    } else {
      lines.push(current);
      current = indent + word;
    }
    isEmpty = false;
  }
  return [...lines, current];
}

/** Spaces, and a mark such as `✓ ` or `? `, with their colours. */
const COLOURS = '(?:\u001b\\[[\\d;]*m)*';
const LEAD = new RegExp(`^${COLOURS} *(?:${COLOURS}[✓✗!–·∴→◆◇■?]${COLOURS} +)?`);

/** Breaks streamed words; withholds at most one word until it is complete. */
export class WordWrap {
  #column = 0;
  #blanks = '';
  #word = '';
  #width = 0;
  /** A word wider than a line is passed through as it arrives. */
  #isTooWide = false;

  /** Takes text and returns what can be shown now. */
  take(text: string, columns: number): string {
    let shown = '';
    for (const character of text) {
      if (character === '\n') {
        shown += `${this.flush(columns)}\n`;
        this.#column = 0;
        this.#blanks = '';
      } else if (character === ' ' || character === '\t') {
        shown += this.flush(columns);
        this.#blanks += character === '\t' ? TAB : character;
      } else {
        shown += this.#letter(character, columns);
      }
    }
    return shown;
  }

  /** Returns the withheld word. */
  flush(columns: number): string {
    const word = this.#word;
    const width = this.#width;
    this.#word = '';
    this.#width = 0;
    this.#isTooWide = false;
    return word === '' ? '' : this.#place(word, width, columns);
  }

  #letter(character: string, columns: number): string {
    const width = widthOf(character);
    if (this.#isTooWide) return this.#place(character, width, columns);
    // Scripts with wide characters have no spaces between words: a line may end after each character.
    if (width > 1) return this.flush(columns) + this.#place(character, width, columns);
    this.#word += character;
    this.#width += width;
    if (this.#width <= columns) return '';
    const word = this.flush(columns);
    this.#isTooWide = true;
    return word;
  }

  #place(word: string, width: number, columns: number): string {
    const blanks = this.#blanks;
    this.#blanks = '';
    if (!this.#isTooWide && this.#column > 0 && this.#column + blanks.length + width > columns) {
      this.#column = width;
      return `\n${word}`;
    }
    this.#column = this.#column + blanks.length + width;
    return blanks + word;
  }
}

/** A tab's width depends on its column, which changes when a line is broken. */
const TAB = '    ';
