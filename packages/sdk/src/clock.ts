/**
 * Whole milliseconds of a monotonic clock, for deadlines and durations. Use the time of day only for timestamps: setting it
 * back would extend every duration measured with it.
 */
export function steadyNow(): number {
  return Math.floor(performance.now());
}
