import type { Paint } from './paint.ts';

/** The appearance of a transcript. */
export interface Look {
  readonly paint: Paint;
  /** The current width of the terminal. */
  columns(): number;
  /** Shows the complete thinking instead of one line about it. */
  readonly thinking: boolean;
}
