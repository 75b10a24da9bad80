import { LONG_FORM } from '../../packages/sdk/test/support/long-form.ts';
import { cliPath, releases } from '../../scripts/fetch/cli.mjs';

/** The release most tests run against. */
export const pinnedVersion: string = releases().pinned;

/**
 * True if the tests of a release run now: those of the pinned one always, those of all others in the long form. `.ci/run` runs
 * these with `npm run do -- test:older`, which finds them by the release in their titles.
 */
export const isTestedNow = (version: string): boolean => LONG_FORM || version === pinnedVersion;

/** The releases that most tests run on now. */
export const testedVersions: readonly string[] = releases().tested.filter(isTestedNow);

/** The oldest release that the SDK supports. */
export const oldestVersion: string = releases().oldest;

/** The releases for what must hold on each supported one, now: also the oldest, and the one that starts in the mode `auto`. */
export const supportedVersions: readonly string[] = [
  ...new Set([...testedVersions, ...[oldestVersion, releases().peculiar.startsInAuto].filter(isTestedNow)]),
];

/**
 * The path of a real CLI release in the cache.
 * @throws Error if it has not been fetched.
 */
export function realCli(version: string = pinnedVersion): string {
  const path = cliPath(version);
  if (path === undefined) {
    throw new Error(`Claude Code ${version} is not in .cache/cli: run "node scripts/fetch/cli.mjs ${version}" first.`);
  }
  return path;
}
