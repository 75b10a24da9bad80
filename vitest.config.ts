import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** These put another module in the place of one that other files use. */
const MOCKING = ['process/new-pids', 'process/tree', 'cli/locate', 'cli/locate-pinned', 'mcp/tool-server'].map(
  (name) => `packages/sdk/test/${name}.test.ts`,
);

/** These need what `npm install` does not bring: CLI releases, the checkers of tools/, the npm registry. */
const NEEDS_MORE = '{packages/*/test,scripts/test,examples/test}/**/*.real.test.ts';

/** Each runs the same on the official SDK and on the drop-in: `npm run do -- test:clients`. */
const BESIDE_OFFICIAL = 'packages/drop-in/test/both/*.real.test.ts';

/** These run only the oldest supported releases: `npm run do -- test:older`. */
const ON_OLDEST = 'conformance/minimum.test.ts';

/** What the real CLI does with parked requests: `npm run do -- test:parked`. */
const PARKED = 'conformance/{parked,parking}/*.test.ts';

/** Guards attacked, conversations recorded and rehearsed, hundreds of CLIs: `npm run do -- test:rehearsals`. */
const REHEARSALS = 'conformance/rehearsal/{corpus,fleet,hostile,prove,repository}.test.ts';

/** More CLIs at once would only wait for each other: each start takes most of a core for half a second. */
const ON_REAL_CLI = { testTimeout: 60_000, hookTimeout: 60_000, maxConcurrency: 3, isolate: false };

// Node reads these certificates whenever it starts, which doubles what a start costs, and the tests start it a thousand times.
// What asks the npm registry finds them under another name. This file is read once for each project.
process.env.TESTS_EXTRA_CA_CERTS ??= process.env.NODE_EXTRA_CA_CERTS ?? '';
delete process.env.NODE_EXTRA_CA_CERTS;

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: {
      '@coxswain/inspector/text': source('packages/inspector/src/page/text/visible.ts'),
      '@coxswain/inspector': source('packages/inspector/src/index.ts'),
      '@coxswain/rehearsal': source('packages/rehearsal/src/index.ts'),
      '@coxswain/testkit': source('packages/testkit/src/index.ts'),
      '@coxswain/opentelemetry': source('packages/opentelemetry/src/index.ts'),
      '@coxswain/fleet': source('packages/fleet/src/index.ts'),
      '@coxswain/drop-in': source('packages/drop-in/src/sdk.ts'),
      'coxswain/types': source('packages/sdk/src/type-names.ts'),
      'coxswain/observe': source('packages/sdk/src/observe.ts'),
      'coxswain/mcp': source('packages/sdk/src/mcp/index.ts'),
      'coxswain/transcripts': source('packages/sdk/src/transcripts/index.ts'),
      'coxswain/store': source('packages/sdk/src/store/index.ts'),
      'coxswain/cli': source('packages/sdk/src/cli/index.ts'),
      'coxswain/transport': source('packages/sdk/src/transport.ts'),
      'coxswain/raw': source('packages/sdk/src/raw/index.ts'),
      'coxswain/errors': source('packages/sdk/src/errors/index.ts'),
      'create-coxswain': source('packages/create-coxswain/src/index.ts'),
      coxswain: source('packages/sdk/src/index.ts'),
    },
  },
  test: {
    // Most tests wait for a process: two workers more than there are cores keep these busy.
    maxWorkers: availableParallelism() + 2,
    // The default of one second is a race with a busy machine.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{packages/*/test,scripts/test,examples/test}/**/*.test.ts'],
          exclude: [...MOCKING, NEEDS_MORE],
          testTimeout: 60_000,
          setupFiles: ['packages/sdk/test/support/unhandled.ts'],
          // One process runs many files: loading the sources anew for each took a third of the time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'unit-mocking',
          include: MOCKING,
          testTimeout: 60_000,
          setupFiles: ['packages/sdk/test/support/unhandled.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...ON_REAL_CLI,
          name: 'real',
          include: ['conformance/**/*.test.ts', NEEDS_MORE],
          exclude: [BESIDE_OFFICIAL, PARKED, REHEARSALS, ...(process.env.COXSWAIN_LONG ? [] : [ON_OLDEST])],
        },
      },
      { extends: true, test: { ...ON_REAL_CLI, name: 'parked', include: [PARKED] } },
      { extends: true, test: { ...ON_REAL_CLI, name: 'rehearsals', include: [REHEARSALS] } },
      // The first test of a group runs its program on both.
      { extends: true, test: { ...ON_REAL_CLI, name: 'clients', include: [BESIDE_OFFICIAL], testTimeout: 180_000 } },
    ],
  },
});
