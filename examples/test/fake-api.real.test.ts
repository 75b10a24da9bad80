import { expect, it } from 'vitest';
import { cliPath, releases } from '../../scripts/fetch/cli.mjs';
import { runFile } from './run-file.ts';

it('[K-2, K-4] the test in the guide to testing passes on the real CLI and the fake API', async () => {
  const file = new URL('../testing/guide/fake-api.test.ts', import.meta.url);
  const cli = cliPath(releases().pinned) ?? 'not fetched';
  expect(await runFile(file, cli, ['--test', '--test-reporter=tap'], 55_000)).toContain('# pass 1');
});
