import type { Fleet, Schedule } from '@coxswain/fleet';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { printNotice, type Terminal } from '../terminal/terminal.ts';
import { dataOf, shortly, userName } from './flag-values.ts';
import { type FleetFlags, loadFleet, withFleet } from './open.ts';
import { writeTable } from './write-table.ts';

export interface SetScheduleFlags extends FleetFlags {
  readonly cron: string;
  readonly timeZone?: string;
  readonly key?: string;
  readonly tenant?: string;
  readonly agent?: string;
  readonly priority?: number;
  readonly data?: string;
}

/** `cox fleet schedule list`. */
export function listSchedules(flags: FleetFlags & { readonly json?: boolean }, terminal: Terminal): Promise<ExitCode> {
  return withFleet(flags, async (fleet) => {
    const found = await Promise.all(
      (await fleet.schedules()).map(async (one) => ({ one, next: await nextOf(fleet, one) })),
    );
    if (flags.json)
      for (const { one, next } of found) terminal.stdout.write(`${JSON.stringify({ ...one, nextRun: next })}\n`);
    else if (found.length === 0)
      printNotice(terminal, 'There are no schedules. To add one: cox fleet schedule set --help');
    else {
      const rows = found.map(({ one, next }) => [
        one.name,
        one.cron,
        one.timeZone ?? 'UTC',
        next === null ? 'never' : timeIn(next, one.timeZone),
        one.key,
        one.tenant ?? 'default',
        shortly(one.prompt),
      ]);
      writeTable(terminal, ['NAME', 'CRON', 'TIME ZONE', 'NEXT RUN', 'KEY', 'TENANT', 'PROMPT'], rows);
    }
    return EXIT.ok;
  });
}

/** `cox fleet schedule set`. @throws UsageError */
export async function setSchedule(
  name: string,
  words: readonly string[],
  { cron, timeZone, key = name, tenant, agent, priority, data, ...flags }: SetScheduleFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const schedule: Schedule = {
    name,
    cron,
    timeZone,
    key,
    tenant,
    agent,
    priority,
    data: dataOf(data),
    prompt: words.join(' '),
  };
  const { isFleetError } = await loadFleet();
  return withFleet(flags, async (fleet) => {
    const isNew = !(await fleet.schedules()).some((one) => one.name === name);
    try {
      await fleet.schedule(schedule);
    } catch (error) {
      throw isFleetError(error, 'submission') ? new UsageError(error.message) : error;
    }
    const next = await nextOf(fleet, schedule);
    const when = next === null ? 'It never runs.' : `Next run: ${timeIn(next, timeZone)} (${timeZone ?? 'UTC'}).`;
    printNotice(terminal, `The schedule ${name} was ${isNew ? 'added' : 'replaced'}. ${when}`);
    return EXIT.ok;
  });
}

/** `cox fleet schedule remove`. */
export function removeSchedule(name: string, flags: FleetFlags, terminal: Terminal): Promise<ExitCode> {
  return withFleet(flags, async (fleet) => {
    if ((await find(fleet, name, terminal)) === undefined) return EXIT.failed;
    await fleet.unschedule(name);
    printNotice(terminal, `The schedule ${name} was removed. Turns that it has submitted are not affected.`);
    return EXIT.ok;
  });
}

/** `cox fleet schedule run`: submits the turn of a schedule now. Its times stay the same. */
export function runSchedule(
  name: string,
  flags: FleetFlags & { readonly by?: string },
  terminal: Terminal,
): Promise<ExitCode> {
  return withFleet(flags, async (fleet) => {
    const schedule = await find(fleet, name, terminal);
    if (schedule === undefined) return EXIT.failed;
    const { key, prompt, tenant, priority, data } = schedule;
    const turn = await fleet.submit({ key, prompt, tenant, priority, data, by: flags.by ?? userName() });
    terminal.stdout.write(`${turn.id}\n`);
    return EXIT.ok;
  });
}

async function find(fleet: Fleet, name: string, terminal: Terminal): Promise<Schedule | undefined> {
  const schedules = await fleet.schedules();
  const found = schedules.find((one) => one.name === name);
  if (found === undefined) {
    const names = schedules.map((one) => one.name).slice(0, 20);
    const known = names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`;
    printNotice(terminal, `There is no schedule ${shortly(name)}. ${known}`);
  }
  return found;
}

async function nextOf(fleet: Fleet, { cron, timeZone }: Schedule): Promise<Date | null> {
  return (await fleet.nextRuns({ cron, timeZone }))[0] ?? null;
}

/** `2026-11-19 03:00`, in the time zone. */
function timeIn(date: Date, timeZone = 'UTC'): string {
  // The Swedish format is ISO 8601 with a space.
  return date.toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
}
