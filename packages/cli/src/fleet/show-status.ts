import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet, FleetStats } from '@coxswain/fleet';
import { columnsOf, paintFor, printNotice, type Terminal } from '../terminal/terminal.ts';
import { loadFleet } from './open.ts';
import { statusLines } from './status.ts';

/** Prints the state of a fleet. */
export function showStatus(stats: FleetStats, { json }: { readonly json?: boolean }, { stdout, env }: Terminal): void {
  const lines = json ? [JSON.stringify(stats)] : statusLines(stats, paintFor(stdout, env), columnsOf(stdout));
  stdout.write(`${lines.join('\n')}\n`);
}

/** Prints the state repeatedly, and continues after an outage of the database. Any other error ends it. */
export async function watchStatus(
  fleet: Pick<Fleet, 'stats'>,
  flags: { readonly json?: boolean },
  terminal: Terminal,
  everyMs = 1_000,
): Promise<never> {
  const { isFleetError } = await loadFleet();
  const clear = (): void => {
    if (terminal.stdout.isTTY && !flags.json) terminal.stdout.write('\x1b[H\x1b[2J');
  };
  for (;;) {
    try {
      const stats = await fleet.stats();
      clear();
      showStatus(stats, flags, terminal);
    } catch (error) {
      if (!isFleetError(error, 'database-unavailable')) throw error;
      clear();
      printNotice(terminal, error.message);
    }
    await delay(everyMs);
  }
}
