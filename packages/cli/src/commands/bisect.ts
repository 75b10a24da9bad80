import { Command } from 'commander';
import type { BisectFlags } from '../rehearse/bisect.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { finish } from './finish.ts';
import { wholeNumber } from './shared-flags.ts';

/** `cox bisect`. */
export function bisectCommand(): Command {
  return new Command('bisect')
    .description('find the release of Claude Code that changed a request')
    .requiredOption('--cli <range>', 'the releases to search, such as 2.1.60..2.1.120')
    .requiredOption('--when <condition>', 'what to look for in the first request of a release')
    .option('--samples <n>', 'how many releases to probe at most before two differ; 16 by default', wholeNumber)
    .option('--json', 'everything as JSON')
    .option('-q, --quiet', 'no progress')
    .addHelpText(
      'after',
      `
Examples:
  cox bisect --cli 2.1.63..2.1.120 --when 'request.effort == "medium"'
  cox bisect --cli 2.1.105..2.1.120 --when 'request.system contains "25 words"'
  cox bisect --cli 2.1.250..2.1.325 --when 'request.tools contains "Workflow"'

Fields: request.model, effort, thinking, maxTokens, betas, tools, deferredTools, system, messages.
Comparisons: ==, !=, contains, lacks, "is set", "is unset"; several with "and".
Releases are fetched from npm when they are needed, and kept. No key is needed, and nothing is sent to Anthropic.
Exit codes: 0 no change found, 1 found, 2 could not run.`,
    )
    .action(async (flags: BisectFlags) => {
      const { bisect } = await import('../rehearse/bisect.ts');
      finish(await bisect(flags, ownTerminal));
    });
}
