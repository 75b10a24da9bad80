import { describe, expect, it } from 'vitest';
import { runFile } from './run-file.ts';

describe('the code in the guide to testing', () => {
  it.each([
    ['[K-1, K-4] the test of an agent passes in memory', 'agent.test.ts'],
    ['[K-1, K-4] the test of a crash passes as a process', 'process.test.ts'],
    ['[K-1, G-5] the test of a parked request passes in memory', 'parked.test.ts'],
    ['[K-4] the test of a message handler passes with made-up messages', 'messages.test.ts'],
  ])('%s', async (_, file) => {
    expect(await pass(file, 'none')).toContain('# pass 1');
  });

  it('[K-1, K-4] the tests of a session pass in memory', async () => {
    expect(await pass('session.test.ts', 'none')).toContain('# pass 4');
  });

  it('[G-6, K-4] the contract of session stores passes for the store of the guide', async () => {
    expect(await pass('store.test.ts', 'none')).toEqual(expect.arrayContaining(['# pass 10', '# fail 0']));
  });
});

function pass(file: string, cli: string): Promise<string[]> {
  return runFile(new URL(`../testing/guide/${file}`, import.meta.url), cli, ['--test', '--test-reporter=tap'], 55_000);
}
