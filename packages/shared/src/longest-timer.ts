/** The longest time that a timer of Node can wait: a longer one fires at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;
