import { Command } from 'commander';
import type { DoctorFlags } from '../doctor/doctor.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { printing } from './finish.ts';

/** `cox doctor`. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('look at what is installed, and say what is wrong and what to do')
    .option('--cli <which>', 'auto, pinned, global, or a path')
    .option('--demo', 'look at the scripted agent instead')
    .option('--json', 'the findings as JSON')
    .option('-q, --quiet', 'only what is wrong')
    .option('--verbose', 'every place where the CLI was looked for')
    .option('--no-color', 'no colours (NO_COLOR works, too)')
    .addHelpText(
      'after',
      `
Examples:
  cox doctor
  cox doctor --cli ./node_modules/.bin/claude
  cox doctor --json | jq '.findings[] | select(.status != "ok")'

Starts the CLI for a handshake; asks the API nothing. Exit codes: 0 it works, 1 something must be fixed.`,
    )
    .action(async (flags: DoctorFlags) => {
      const { doctor } = await import('../doctor/doctor.ts');
      await printing(() => doctor(flags, ownTerminal));
    });
}
