import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { printNotice, type Terminal } from '../terminal/terminal.ts';
import { type FleetFlags, loadFleet, openFleetOf } from './open.ts';

/** `cox fleet migrate`: creates the tables of a fleet, or upgrades them. */
export async function migrate(flags: FleetFlags, terminal: Terminal): Promise<ExitCode> {
  await (await openFleetOf(flags, { create: true })).close();
  printNotice(terminal, `The schema ${flags.schema ?? 'coxswain'} has the tables of this release.`);
  return EXIT.ok;
}

/** `cox fleet grants`: prints SQL, without a database. @throws UsageError */
export async function grants(
  { schema, prefix }: { readonly schema?: string; readonly prefix?: string },
  terminal: Terminal,
): Promise<ExitCode> {
  const { fleetGrants, isFleetError } = await loadFleet();
  try {
    terminal.stdout.write(fleetGrants({ schema, prefix }));
    return EXIT.ok;
  } catch (error) {
    throw isFleetError(error, 'fleet-input') ? new UsageError(error.message) : error;
  }
}
