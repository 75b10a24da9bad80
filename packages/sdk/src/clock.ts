/**
 * Milliseconds on a clock that nobody can set, whole ones: for deadlines and durations. The time of day is
 * for timestamps only; a clock that is set back would stretch everything measured by it.
 */
export function steadyNow(): number {
  return Math.floor(performance.now());
}
