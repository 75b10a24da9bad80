import type { CoxswainError } from '../errors/base.ts';
import { UnsupportedCliVersionError } from '../errors/start.ts';
import { flagTable, ownsFlag } from '../options/flag-table.ts';
import { isOlder, MINIMUM_VERSION } from './version.ts';

/**
 * The error for a CLI that exited because it lacks a flag that the SDK passed: it is too old. `undefined` if it reported
 * something else or a flag from `extraArgs`, or if its release should have the flag.
 */
export function flagRefusal(
  cause: CoxswainError,
  stderr: string,
  { path, release: found }: { path: string; release: string | undefined },
): UnsupportedCliVersionError | undefined {
  const flag = /unknown option '(--[\w-]+)/i.exec(stderr)?.[1];
  if (flag === undefined || !ownsFlag(flag)) return undefined;
  const required = flagTable.find((row) => row.flag === flag)?.since ?? MINIMUM_VERSION;
  if (found !== undefined && !isOlder(found, required)) return undefined;
  return new UnsupportedCliVersionError({ found, required, path, feature: `the flag ${flag}`, cause });
}
