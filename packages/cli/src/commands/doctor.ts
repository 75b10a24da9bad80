import { Command } from 'commander';
import type { DoctorFlags } from '../doctor/doctor.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { printing } from './finish.ts';

/** `cox doctor`. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the installation, and show how to fix it')
    .option('--cli <which>', 'auto, pinned, global, or a path')
    .option('--demo', 'check the scripted agent instead')
    .option('--drop-in', 'also check that programs in this folder use @coxswain/drop-in')
    .option('--json', 'the findings as JSON')
    .option('-q, --quiet', 'only problems')
    .option('--verbose', 'list every place that was searched for the CLI')
    .option('--no-color', 'no colours (NO_COLOR also works)')
    .addHelpText(
      'after',
      `
Examples:
  cox doctor
  cox doctor --cli ./node_modules/.bin/claude
  cox doctor --drop-in
  cox doctor --json | jq '.findings[] | select(.status != "ok")'

Starts the CLI for a handshake; sends no request to the API. Exit codes: 0 it works, 1 something must be fixed.`,
    )
    .action(async (flags: DoctorFlags) => {
      const { doctor } = await import('../doctor/doctor.ts');
      await printing(() => doctor(flags, ownTerminal));
    });
}
