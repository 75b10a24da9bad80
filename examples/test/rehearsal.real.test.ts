import { expect, it } from 'vitest';
import { cliPath, releases } from '../../scripts/fetch/cli.mjs';
import { runFile } from './run-file.ts';

it('[N-1, N-4] the code in the guide to rehearsals reports the difference between two agents', async () => {
  const file = new URL('../guides/rehearsal.ts', import.meta.url);
  const lines = await runFile(file, cliPath(releases().pinned) ?? 'not fetched', ['--import', 'tsx']);
  expect(lines).toEqual([
    '1 of 2 calls would now be refused.',
    expect.stringMatching(/^Bash\(npm publish\): allowed without asking → refused because nobody could be asked: /),
  ]);
});
