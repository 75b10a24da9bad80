/** The highest priority there is; the lowest is its negative. */
export const HIGHEST_PRIORITY = 10;
