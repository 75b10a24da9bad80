import type { Paint } from './paint.ts';

/** How a transcript looks. */
export interface Look {
  readonly paint: Paint;
  /** The current width of the terminal. */
  columns(): number;
  /** Shows the complete thinking, not only that the model thinks. */
  readonly thinking: boolean;
}
