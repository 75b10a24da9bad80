// Downloads Debian's bubblewrap to .cache/bubblewrap without installing it: `apt-get download` and `dpkg -x`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../.cache/bubblewrap', import.meta.url));

/** The path of bubblewrap: downloaded on first use. */
export function bubblewrap() {
  const path = join(FOLDER, 'usr/bin/bwrap');
  if (!existsSync(path)) {
    mkdirSync(FOLDER, { recursive: true });
    run('apt-get', ['download', 'bubblewrap']);
    for (const name of readdirSync(FOLDER)) if (name.endsWith('.deb')) run('dpkg', ['-x', name, '.']);
  }
  return path;
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const done = spawnSync(command, args, { cwd: FOLDER, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  if (done.status === 0) return;
  const reason = done.error?.message ?? done.stderr;
  throw new Error(`${command} ${args[0]} failed: ${reason}. Install bubblewrap, or use Debian or Ubuntu.`);
}
