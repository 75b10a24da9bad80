import type * as FleetPackage from '@coxswain/fleet';
import { UsageError } from '../exit-codes.ts';

/** The flags that say which fleet. */
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

/** Which database, from the flags. */
export function placeOf({ database, schema, dir }: FleetFlags): FleetPackage.ConnectOptions {
  return { database, schema, embedded: { directory: dir } };
}

/** Opens the fleet of the flags. @throws UsageError */
export async function openFleetOf(flags: FleetFlags): Promise<FleetPackage.Fleet> {
  const { openFleet } = await loadFleet();
  return openFleet(placeOf(flags));
}

/** Opens the fleet, does something with it, and closes it. */
export async function withFleet<T>(flags: FleetFlags, work: (fleet: FleetPackage.Fleet) => Promise<T>): Promise<T> {
  const fleet = await openFleetOf(flags);
  try {
    return await work(fleet);
  } finally {
    await fleet.close();
  }
}
