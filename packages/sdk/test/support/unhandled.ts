import { afterEach, beforeEach, expect } from 'vitest';

/** Fails every test with an unhandled rejection or exception. Every test file runs it: see vitest.config.ts. */
const caught: unknown[] = [];
const note = (reason: unknown): void => void caught.push(reason);

beforeEach(() => {
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
});

afterEach(async () => {
  // Node reports a rejection after the microtasks of its iteration.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  process.off('uncaughtException', note);
  expect(caught.splice(0)).toEqual([]);
});
