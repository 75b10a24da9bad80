import { LONG_FORM } from '../../packages/sdk/test/support/long-form.ts';
import { cliPath, releases } from '../../scripts/fetch-cli.mjs';

/** The release most tests run against. */
export const pinnedVersion: string = releases().pinned;

/** All releases the suite supports. */
export const testedVersions: readonly string[] = releases().tested;

/**
 * The releases for tests that expect the same of all of them: the pinned one, and the older one in the long form, which
 * `.ci/run` runs with `npm run test:older`. Tests that expect different things use {@link testedVersions}.
 */
export const versionsBehavingAlike: readonly string[] = LONG_FORM ? testedVersions : [pinnedVersion];

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
