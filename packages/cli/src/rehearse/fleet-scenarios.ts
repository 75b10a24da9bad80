import type { FailedRehearsal, Scenario } from '@coxswain/rehearsal';
import { UsageError } from '../exit-codes.ts';
import { loadFleet, withFleet } from '../fleet/open.ts';
import type { FileChoice } from './scenario-files.ts';

/** The conversations of a fleet that the arguments name: keys, or beginnings of keys as in `ann/*`. Newest first. @throws UsageError */
export async function fleetScenarios(
  names: readonly string[],
  database: string | undefined,
  { since, limit }: FileChoice,
): Promise<{ readonly scenarios: readonly Scenario[]; readonly unreadable: readonly FailedRehearsal[] }> {
  const { fromFleet } = await import('@coxswain/rehearsal');
  const { isFleetError } = await loadFleet();
  // What could not run is exit code 2.
  const couldNotRun = (error: unknown): never => {
    throw isFleetError(error) ? new UsageError(error.message) : error;
  };
  return withFleet({ ...(database === undefined ? {} : { database }) }, async (fleet) => {
    const found = await Promise.all(
      names.map(async (name) => {
        const prefix = name.replace(/\*$/, '');
        const all = await fleet.conversations({ prefix, limit: MOST });
        return prefix === name ? all.filter(({ key }) => key === name) : all;
      }),
    );
    const chosen = found
      .flat()
      .filter(({ updatedAt }) => since === undefined || updatedAt >= since)
      .sort((a, b) => b.updatedAt - a.updatedAt)
      .slice(0, limit);
    if (chosen.length === 0) throw new UsageError(`The fleet has no conversation ${names.join(', ')}.`);
    const scenarios: Scenario[] = [];
    const unreadable: FailedRehearsal[] = [];
    for (const { key } of chosen) {
      await fromFleet(fleet, key).then(
        (scenario) => scenarios.push(scenario),
        (error: unknown) =>
          unreadable.push({ scenario: key, failure: error instanceof Error ? error.message : String(error) }),
      );
    }
    return { scenarios, unreadable };
  }).catch(couldNotRun);
}

/** The most conversations that a fleet lists at once. */
const MOST = 1_000;
