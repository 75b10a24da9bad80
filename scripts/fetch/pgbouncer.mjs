// Downloads Debian's PgBouncer to .cache/pgbouncer without installing it: `apt-get download` and `dpkg -x`.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../.cache/pgbouncer', import.meta.url));

/** The packages with the libraries that a small machine may lack. */
const PACKAGES = ['pgbouncer', 'libc-ares2', 'libevent-2.1-7'];

/** Copies PgBouncer and its libraries to a folder that every user can read; downloads them on first use. @param {string} folder */
export function copyPgBouncer(folder) {
  if (!existsSync(join(FOLDER, 'usr/sbin/pgbouncer'))) {
    console.error(`Downloading ${PACKAGES.join(', ')} (once) …`);
    mkdirSync(FOLDER, { recursive: true });
    run('apt-get', ['download', ...PACKAGES]);
    for (const name of readdirSync(FOLDER)) if (name.endsWith('.deb')) run('dpkg', ['-x', name, '.']);
  }
  cpSync(join(FOLDER, 'usr'), join(folder, 'usr'), { recursive: true });
  const triplet = readdirSync(join(folder, 'usr/lib')).find((name) => name.endsWith('-gnu')) ?? '';
  return { binary: join(folder, 'usr/sbin/pgbouncer'), libraries: join(folder, 'usr/lib', triplet) };
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const done = spawnSync(command, args, { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
  if (done.status !== 0)
    throw new Error(
      `${command} ${args[0]} failed: ${done.error?.message ?? done.status}. This needs Debian or Ubuntu.`,
    );
}
