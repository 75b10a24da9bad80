import { describe, expect, it } from 'vitest';
import { cliPath, releases } from '../../scripts/fetch-cli.mjs';
import { runFile } from './run-file.ts';

describe('code in the documentation that runs the real CLI on the fake API', () => {
  it.each([
    ['[K-2] the test of the guarded agent in the README passes', '../readme/fake-api.test.ts'],
    ['[K-2, K-4] the test in the guide to testing passes', '../testing/guide/fake-api.test.ts'],
  ])('%s', async (_, file) => {
    const cli = cliPath(releases().pinned) ?? 'not fetched';
    const test = ['--test', '--test-reporter=tap'];
    expect(await runFile(new URL(file, import.meta.url), cli, test, 55_000)).toContain('# pass 1');
  });
});
