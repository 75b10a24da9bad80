import { Command } from 'commander';
import type { FleetFlags } from '../fleet/open.ts';
import type { SetScheduleFlags } from '../fleet/schedule.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { printing } from './finish.ts';
import { priority } from './shared-flags.ts';

/** `cox fleet schedule`. */
export function scheduleCommand(): Command {
  const schedule = new Command('schedule').description('submit turns at set times').addHelpText(
    'after',
    `
Examples:
  cox fleet schedule set nightly "Run the tests" --cron "0 3 * * *" --time-zone Europe/Berlin --key ann/boats
  cox fleet schedule set standup "What changed since yesterday?" --cron "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=0"
  cox fleet schedule list
  cox fleet follow $(cox fleet schedule run nightly)
  cox fleet schedule remove nightly

A schedule submits its turn once at each time, while at least one worker runs. Times that pass without a worker are skipped.`,
  );
  schedule
    .command('list')
    .description('list the schedules and their next runs')
    .option('--json', 'one JSON object per line')
    .action(async (flags: FleetFlags & { json?: boolean }) => {
      const { listSchedules } = await import('../fleet/schedule.ts');
      await printing(() => listSchedules(flags, ownTerminal));
    });
  schedule
    .command('set')
    .description('add a schedule, or replace the one with this name')
    .argument('<name>', 'letters, digits, and the characters _ - . and /')
    .argument('<prompt...>')
    .requiredOption('--cron <times>', 'five fields, as in crontab, or an RFC 5545 recurrence rule')
    .option('--time-zone <name>', 'the time zone of the times, such as Europe/Berlin (UTC)')
    .option('--key <key>', 'the conversation (the name of the schedule)')
    .option('--tenant <name>', 'the tenant that the turns are billed to')
    .option('--agent <name>', 'the agent that runs the conversation (default)')
    .option('--priority <n>', 'higher runs first', priority)
    .option('--data <json>', 'for the agent')
    .action(async (name: string, words: string[], flags: SetScheduleFlags) => {
      const { setSchedule } = await import('../fleet/schedule.ts');
      await printing(() => setSchedule(name, words, flags, ownTerminal));
    });
  schedule
    .command('remove')
    .description('remove a schedule; the turns that it has submitted stay')
    .argument('<name>')
    .action(async (name: string, flags: FleetFlags) => {
      const { removeSchedule } = await import('../fleet/schedule.ts');
      await printing(() => removeSchedule(name, flags, ownTerminal));
    });
  schedule
    .command('run')
    .description('submit the turn of a schedule now, and print its id')
    .argument('<name>')
    .option('--by <name>', 'who submits it (the user name)')
    .action(async (name: string, flags: FleetFlags & { by?: string }) => {
      const { runSchedule } = await import('../fleet/schedule.ts');
      await printing(() => runSchedule(name, flags, ownTerminal));
    });
  return schedule;
}
