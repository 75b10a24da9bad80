import { join } from 'node:path';
import { movePins } from './pins.mjs';
import { runLogged } from './run-logged.mjs';
import { writeHashes } from './tarball-hashes.mjs';

/** Folders with a lockfile that names the release. */
const LOCKED = ['.', 'packages/drop-in/clients/node-20', 'packages/drop-in/clients/node-22'];
const LOCK = ['npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'];

/**
 * Moves the pins, the hashes and the lockfiles to the new release, and builds the packages.
 * @param {import('./steps.mjs').Followed} followed
 */
export async function move({ root, from, to, journal }) {
  const missing = movePins(root, from, to);
  writeHashes(root, to.cli);
  const log = join(journal.folder, 'move.log');
  for (const folder of LOCKED) {
    const code = await runLogged(LOCK, { root: join(root, folder), log });
    if (code !== 0) throw new Error(`npm could not write the lockfile of ${folder}: see ${log}`);
  }
  const built = await runLogged(['npm', 'run', '-s', 'build'], { root, log });
  if (built !== 0) throw new Error(`The packages could not be built: see ${log}`);
  return { missing };
}
