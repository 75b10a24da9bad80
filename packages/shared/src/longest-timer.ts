/** The longest delay of a Node timer: with a longer one it fires immediately. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;
