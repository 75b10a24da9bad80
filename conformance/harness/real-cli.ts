import { LONG_FORM } from '../../packages/sdk/test/support/long-form.ts';
import { cliPath, releases } from '../../scripts/fetch-cli.mjs';

/** The release most tests run against. */
export const pinnedVersion: string = releases().pinned;

/**
 * The releases a test runs on: the pinned one, and in the long form the older supported one, too. `.ci/run` runs that with
 * `npm run test:older`, which finds the tests by the release in their titles.
 */
export const testedVersions: readonly string[] = LONG_FORM ? releases().tested : [pinnedVersion];

/** Whether the tests of one release run now: those of the older supported one belong to the long form. */
export const isTestedNow = (version: string): boolean =>
  testedVersions.includes(version) || !releases().tested.includes(version);

/** Whether this Node runs the releases before 2.0.30: they need `SlowBuffer`, which Node 25 removed. */
export const runsOldReleases: boolean = Number.parseInt(process.versions.node, 10) < 25;

/**
 * The path of a real CLI release in the cache.
 * @throws Error when it has not been fetched.
 */
export function realCli(version: string = pinnedVersion): string {
  const path = cliPath(version);
  if (path === undefined) {
    throw new Error(`Claude Code ${version} is not in .cache/cli: run "node scripts/fetch-cli.mjs ${version}" first.`);
  }
  return path;
}
