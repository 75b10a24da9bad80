import { compareVersions } from '@coxswain/shared/version';
import type { CoxswainError } from '../errors/base.ts';
import { UnsupportedCliVersionError } from '../errors/start.ts';
import { flagTable, ownsFlag } from '../options/flag-table.ts';
import { isOlder, minimumFor, type RunMode } from './version.ts';

/**
 * The error for a CLI that exited because it lacks a flag that the SDK has passed: it is too old. `undefined` when it
 * complained about something else, about a flag of `extraArgs`, or has a release that should have the flag.
 */
export function flagRefusal(
  cause: CoxswainError,
  stderr: string,
  { mode, path, release: found }: { mode: RunMode; path: string; release: string | undefined },
): UnsupportedCliVersionError | undefined {
  const flag = /unknown option '(--[\w-]+)/i.exec(stderr)?.[1];
  if (flag === undefined || !ownsFlag(flag)) return undefined;
  const sent = flagTable.flatMap((row) => [row, ...(row.overflow ? [row.overflow] : [])]);
  const since = sent.find((row) => row.flag === flag)?.since ?? '0.0.0';
  const minimum = minimumFor(mode);
  const required = compareVersions(since, minimum) > 0 ? since : minimum;
  if (found !== undefined && !isOlder(found, required)) return undefined;
  return new UnsupportedCliVersionError({ found, required, path, feature: `the flag ${flag}`, cause });
}
