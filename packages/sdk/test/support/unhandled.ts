import { afterEach, beforeEach, expect } from 'vitest';

/** Fails every test in which a rejection or an exception was not handled. Each test file runs it: see vitest.config.ts. */
const caught: unknown[] = [];
const note = (reason: unknown): void => void caught.push(reason);

beforeEach(() => {
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
});

afterEach(async () => {
  // Node reports a rejection once the microtasks of its turn are through.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  process.off('uncaughtException', note);
  expect(caught.splice(0)).toEqual([]);
});
