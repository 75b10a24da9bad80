import type * as FleetPackage from '@coxswain/fleet';
import { UsageError } from '../exit-codes.ts';

/** The flags that select a fleet. */
export interface FleetFlags {
  readonly database?: string;
  readonly schema?: string;
  readonly dir?: string;
}

/** Loads the package, which is not installed with cox. @throws UsageError */
export async function loadFleet(): Promise<typeof FleetPackage> {
  try {
    return await import('@coxswain/fleet');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new UsageError('A fleet needs another package. Run: npm install @coxswain/fleet');
  }
}

/** The connection options from the flags. */
export function placeOf({ database, schema, dir }: FleetFlags): FleetPackage.ConnectOptions {
  return { database, schema, embedded: { directory: dir } };
}

/** Opens the selected fleet. Only commands that run a fleet create one, so that a misspelt schema does not create an empty fleet. @throws UsageError */
export async function openFleetOf(
  flags: FleetFlags,
  { create }: { readonly create: boolean },
): Promise<FleetPackage.Fleet> {
  const { openFleet } = await loadFleet();
  return openFleet({ ...placeOf(flags), create });
}

/** Opens an existing fleet, passes it to `work`, and closes it. @throws UsageError */
export async function withFleet<T>(flags: FleetFlags, work: (fleet: FleetPackage.Fleet) => Promise<T>): Promise<T> {
  const { isFleetError } = await loadFleet();
  try {
    await using fleet = await openFleetOf(flags, { create: false });
    return await work(fleet);
  } catch (error) {
    throw isFleetError(error, 'fleet-input') ? new UsageError(error.message) : error;
  }
}
