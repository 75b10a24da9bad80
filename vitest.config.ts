import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: {
      '@coxswain/testkit': source('packages/testkit/src/index.ts'),
      'coxswain/mcp': source('packages/sdk/src/mcp/index.ts'),
      'coxswain/transport': source('packages/sdk/src/transport.ts'),
      coxswain: source('packages/sdk/src/index.ts'),
    },
  },
  test: {
    // Most tests wait for a process; on two cores vitest would otherwise run one file at a time.
    maxWorkers: Math.max(2, availableParallelism()),
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts', 'scripts/test/**/*.test.ts', 'examples/test/**/*.test.ts'],
          testTimeout: 15_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'real',
          include: ['conformance/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
