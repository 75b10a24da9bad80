import { fetchCli } from '../fetch/cli.mjs';
import { runTests } from './tests.mjs';

/** @typedef {import('./steps.mjs').Followed} Followed */

/**
 * The conformance suite on the real CLI.
 * @param {Followed} followed
 */
export async function realSuite({ root, to, journal }) {
  await fetchCli(to.cli);
  return runTests('real', ['--project', 'real', '--project', 'rehearsals', 'conformance', 'packages/sdk'], {
    root,
    folder: journal.folder,
  });
}

/**
 * The tests on parked requests, compared with the measurements of the previous release.
 * @param {Followed} followed
 */
export async function parked({ root, journal }) {
  return runTests('parked', ['--project', 'parked'], { root, folder: journal.folder });
}

/**
 * The behaviours of the official SDK, compared with those of the drop-in, fact by fact.
 * @param {Followed} followed
 */
export async function behaviours({ root, journal }) {
  const args = ['--project', 'clients', '--exclude', '**/clients.real.test.ts'];
  return runTests('behaviours', args, { root, folder: journal.folder, env: { COXSWAIN_CLIENTS: 'node-20' } });
}

/**
 * Unmodified clients from npm on both.
 * @param {Followed} followed
 */
export async function clients({ root, journal }) {
  const args = ['--project', 'clients', 'both/clients.real.test.ts'];
  return runTests('clients', args, { root, folder: journal.folder, env: { COXSWAIN_CLIENTS: 'node-20' } });
}
