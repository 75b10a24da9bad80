import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MINIMUM_VERSION } from '../../packages/sdk/src/cli/version.ts';
import { cliPath, fetchCli } from '../../scripts/fetch/cli.mjs';
import { features } from './all-probes.ts';
import { nextStep, type Search, spanOf } from './bisect.ts';
import { type Measured, noteMeasured } from './measured.ts';
import { runRelease } from './run-release.ts';

/** Where a feature was introduced. */
export interface Began {
  /** The first release that has it. */
  readonly since: string;
  /** The release before it, which was measured and lacks it; undefined if the oldest release considered has it. */
  readonly lackedBy?: string;
}

/** Finds the first release of each feature with as few measurements as possible. Releases it had to fetch are removed. */
export async function searchReleases(
  ids: readonly string[],
  releases: readonly string[],
  measured: Measured,
  log: (text: string) => void,
): Promise<Map<string, Began | undefined>> {
  const wanted = features.filter(({ id }) => ids.includes(id));
  const searches = wanted.map(({ id }): Search => ({ id, floor: MINIMUM_VERSION }));
  const ready = new Set(releases.filter((version) => cliPath(version) !== undefined));
  for (;;) {
    const step = nextStep(searches, releases, measured, ready);
    if (step === undefined) break;
    const { version, features: open } = step;
    log(`${version}: ${open.length} feature${open.length === 1 ? '' : 's'}`);
    const cli = await fetchCli(version);
    const { verdicts } = await runRelease(cli, { only: new Set(open), ungated: true });
    noteMeasured(measured, version, verdicts);
    const lacking = open.filter((id) => verdicts.get(id)?.verdict === 'no');
    if (lacking.length > 0) log(`${version} lacks ${lacking.join(', ')}`);
    if (!ready.has(version)) await rm(dirname(cli), { recursive: true, force: true });
  }
  return new Map(searches.map((search) => [search.id, beganAt(search, releases, measured)]));
}

function beganAt(search: Search, releases: readonly string[], measured: Measured): Began | undefined {
  const { has, lacks } = spanOf(search, releases, measured);
  const since = has === undefined ? undefined : releases[has];
  if (since === undefined) return undefined;
  const lackedBy = lacks >= releases.indexOf(search.floor) ? releases[lacks] : undefined;
  return lackedBy === undefined ? { since } : { since, lackedBy };
}
