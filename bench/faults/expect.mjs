// The parts of vitest that the scenarios need, outside of it.
import { equal } from 'node:assert/strict';

/** Only what the scenarios check themselves. */
export function expect(value) {
  return { toBe: (other) => equal(value, other) };
}
expect.stringContaining = (text) => ({ stringContaining: text });
expect.objectContaining = (fields) => ({ objectContaining: fields });

/** Does nothing: each scenario has its own process. */
export function onTestFinished() {}
