import { widthOf } from '../render/measure.ts';

/** Tracks the cursor through the output of a terminal. */
export class CursorColumn {
  #column = 0;
  #strange = false;

  /** Counted from 0. */
  get column(): number {
    return this.#column;
  }

  /**
   * False where terminals differ: after characters whose width varies, and right at the edge,
   * where the cursor stays on the last column until the next character arrives.
   */
  isCertain(columns: number): boolean {
    return !this.#strange && this.#column < columns;
  }

  move(text: string, columns: number): void {
    for (const character of text) {
      if (character === '\n') {
        this.#column = 0;
        this.#strange = false;
      } else if (character === '\t') {
        this.#column = Math.min(columns, (Math.floor(this.#column / 8) + 1) * 8);
      } else {
        this.#forward(character, columns);
      }
    }
  }

  #forward(character: string, columns: number): void {
    if (character > '\u024f' && !/[‐-―‘-”•…←-↓✓✗∴─-╿]/.test(character)) this.#strange = true;
    const width = widthOf(character);
    this.#column = this.#column + width > columns ? width : this.#column + width;
  }
}
