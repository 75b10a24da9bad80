import type { WatchableFleet } from '@coxswain/inspector';
import { UsageError } from '../exit-codes.ts';

/** What is used of `@coxswain/fleet`, which is loaded only when a fleet is asked for. */
interface FleetModule {
  openFleet(options: { readonly database?: string }): Promise<WatchableFleet & AsyncDisposable>;
}

/** Opens the fleet of a database: that of the flag, else that which the fleet finds by itself. @throws UsageError */
export async function joinFleet(flag: string | true): Promise<WatchableFleet & AsyncDisposable> {
  const { openFleet } = await load('@coxswain/fleet');
  return openFleet(flag === true ? {} : { database: flag });
}

async function load(name: string): Promise<FleetModule> {
  try {
    // By a variable: the package may not be installed.
    return (await import(name)) as FleetModule;
  } catch (cause) {
    throw new UsageError('A fleet needs @coxswain/fleet: npm install @coxswain/fleet.', { cause });
  }
}
