import { Command } from 'commander';
import type { ReplayFlags } from '../cassette/replay.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { finish } from './finish.ts';
import { addOutputFlags } from './shared-flags.ts';

/** `cox replay`. */
export function replayCommand(): Command {
  const command = new Command('replay')
    .description('play a recorded run, without a key and without a CLI')
    .argument('<file>', 'a file written by cox record')
    .option('--recorded-pace', 'play at the recorded speed instead of full speed');
  return addOutputFlags(command)
    .addHelpText(
      'after',
      `
Examples:
  cox replay fix.ndjson
  cox replay --recorded-pace demo.ndjson
  cox replay --json fix.ndjson | jq -c 'select(.kind == "message").message.type'`,
    )
    .action(async (file: string, flags: ReplayFlags) => {
      const { replay } = await import('../cassette/replay.ts');
      finish(await replay(file, flags, ownTerminal));
    });
}
