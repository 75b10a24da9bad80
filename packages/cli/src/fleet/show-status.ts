import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet, FleetStats } from '@coxswain/fleet';
import { columnsOf, paintFor, type Terminal, tell } from '../terminal/terminal.ts';
import { loadFleet } from './open.ts';
import { statusLines } from './status.ts';

/** Prints the state of a fleet. */
export function showStatus(stats: FleetStats, { json }: { readonly json?: boolean }, { stdout, env }: Terminal): void {
  const lines = json ? [JSON.stringify(stats)] : statusLines(stats, paintFor(stdout, env), columnsOf(stdout));
  stdout.write(`${lines.join('\n')}\n`);
}

/** Prints it again and again, also after a database that was away. Ends with any other error. */
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
      tell(terminal, error.message);
    }
    await delay(everyMs);
  }
}
