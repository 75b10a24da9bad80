import { defineConfig } from 'vitest/config';

/** Not among the projects of `npm test`, and its files are not named `.test.ts`: this suite costs money. */
export default defineConfig({
  test: {
    name: 'live',
    root: import.meta.dirname,
    include: ['*.live.ts'],
    testTimeout: 90_000,
    // One after another and without retries, so that the cost is bounded.
    fileParallelism: false,
    retry: 0,
  },
});
