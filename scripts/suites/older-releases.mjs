// npm run do -- test:older: the tests on all supported releases of the CLI that a test names besides the pinned one, in their long form.
// `npm test` runs none of them.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { everyRelease, fetchCli, releases } from '../fetch/cli.mjs';

const { pinned } = releases();
const others = everyRelease().filter((version) => version !== pinned);
for (const version of others) await fetchCli(version, { log: (text) => console.error(text) });

const names = others.map((version) => version.replaceAll('.', '\\.')).join('|');
const tests = ['--project', 'real', 'conformance', '--testNamePattern', names];
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...tests], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  env: { ...process.env, COXSWAIN_LONG: '1' },
  stdio: ['ignore', 'inherit', 'inherit'],
});
process.exitCode = status ?? 1;
