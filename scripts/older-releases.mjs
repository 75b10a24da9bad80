// npm run test:older: the conformance suite on the releases that it supports besides the pinned one, with the long form of each
// test. `npm test` runs nothing there.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { releases } from './fetch-cli.mjs';

const { pinned, tested } = releases();
for (const version of tested.filter((each) => each !== pinned)) {
  const name = version.replaceAll('.', '\\.');
  const tests = ['--project', 'real', '--project', 'chaos', 'conformance', '--testNamePattern', name];
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...tests], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, COXSWAIN_LONG: '1' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exitCode = 1;
}
