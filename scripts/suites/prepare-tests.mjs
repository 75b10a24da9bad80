// Prepares everything that `npm test` needs besides `npm install`: the built packages, the compilers of the type tests, the
// pinned CLI release (all of them for the long form), PostgreSQL, bubblewrap and a browser.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensureBrowser } from '../fetch/browser.mjs';
import { bubblewrap } from '../fetch/bubblewrap.mjs';
import { releases } from '../fetch/cli.mjs';
import { ensureTools } from '../fetch/tool.mjs';

run('npm', ['run', '-s', 'build']);
ensureTools();
fetchWith('postgres-data.mjs');
ensureBrowser();
prepareBubblewrap();
const versions = process.env.COXSWAIN_LONG === '1' ? [] : [releases().pinned];
fetchWith('cli.mjs', ...versions);

/**
 * @param {string} script
 * @param {readonly string[]} args
 */
function fetchWith(script, ...args) {
  run(process.execPath, [fileURLToPath(new URL(`../fetch/${script}`, import.meta.url)), ...args]);
}

/** Without it, the other tests run, and those that need it fail with this reason. */
function prepareBubblewrap() {
  try {
    bubblewrap();
  } catch (error) {
    console.error(`prepare-tests: no bubblewrap: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function run(command, args) {
  const done = spawnSync(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: command === 'npm' && process.platform === 'win32',
  });
  if (done.status !== 0) {
    console.error(
      `prepare-tests: ${[command, ...args].join(' ')} failed: ${done.error?.message ?? `exit ${done.status}`}`,
    );
    process.exit(1);
  }
}
