import { Command } from 'commander';
import type { RecordFlags } from '../cassette/record.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { finish } from './finish.ts';
import { addAgentFlags, addOutputFlags } from './shared-flags.ts';

/** `cox record`. */
export function recordCommand(): Command {
  const command = new Command('record')
    .description('run the agent and save the run to a file')
    .argument('<file>', 'where to save the run, such as fix.ndjson')
    .argument('[prompt...]', 'the prompt; piped input is added to it')
    .option('--force', 'overwrite an existing file');
  addAgentFlags(command);
  addOutputFlags(command);
  return command
    .addHelpText(
      'after',
      `
Examples:
  cox record fix.ndjson "Fix the failing test"
  cox record --demo demo.ndjson

Keys and home folders are removed. Tests play the file with replaying() of @coxswain/testkit.`,
    )
    .action(async (file: string, words: string[], flags: RecordFlags) => {
      const { record } = await import('../cassette/record.ts');
      finish(await record(file, words, flags, ownTerminal));
    });
}
