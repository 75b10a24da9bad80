import { surfaceOf } from '../../conformance/matrix/surface.ts';
import { fetchCli } from '../fetch/cli.mjs';
import { compareSurfaces } from './compare-surfaces.mjs';

/**
 * Fetches and examines both releases of the CLI, and compares their surfaces.
 * @param {import('./steps.mjs').Followed} followed
 */
export async function surfaces({ from, to, journal, log }) {
  const { requests } = journal.read('declarations').result;
  const [before, after] = [await surface(from.cli), await surface(to.cli)];
  return { before, after, changes: compareSurfaces(before, after) };

  /** @param {string} version */
  async function surface(version) {
    const cli = await fetchCli(version, { log });
    log(`looking at ${version}`);
    return surfaceOf(cli, requests);
  }
}
