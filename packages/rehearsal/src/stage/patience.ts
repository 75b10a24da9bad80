/**
 * How many milliseconds a rehearsal waits for a CLI to start, or to end a turn. A CLI that exits ends the wait at once, so only a busy
 * machine needs this time.
 */
export const LONGEST_WAIT_MS = 600_000;

/** Limits of a CLI on a busy machine. One that is ended before it has written its transcript would look like one that ran no tools. */
export const PATIENT: Readonly<{ startTimeoutMs: number; graceMs: number }> = {
  startTimeoutMs: LONGEST_WAIT_MS,
  graceMs: 20_000,
};

/** How many milliseconds a rehearsal waits for the next request of a subagent that runs in the background. */
export const LONGEST_SILENCE_MS = 20_000;
