// Everything `npm test` needs besides `npm install`: the built packages, the compilers of the type tests, the CLI releases and
// PostgreSQL. `--browser`: a browser, too.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensureBrowser } from './browser.mjs';
import { ensurePostgres } from './fetch-postgres.mjs';
import { ensureTools } from './tool.mjs';

run('npm', ['run', '-s', 'build']);
ensureTools();
ensurePostgres();
if (process.argv.includes('--browser')) ensureBrowser();
run(process.execPath, [fileURLToPath(new URL('./fetch-cli.mjs', import.meta.url))]);

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
