/**
 * Whole milliseconds of a monotonic clock, for deadlines and durations. The time of day is for timestamps only: setting it
 * back would stretch everything measured with it.
 */
export function steadyNow(): number {
  return Math.floor(performance.now());
}
