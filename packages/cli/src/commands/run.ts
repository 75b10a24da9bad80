import { Command } from 'commander';
import type { RunFlags } from '../run/run.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { finish } from './finish.ts';
import { addAgentFlags, addOutputFlags } from './shared-flags.ts';

/** `cox run`. */
export function runCommand(): Command {
  const command = new Command('run')
    .description('run the agent with one prompt')
    .argument('[prompt...]', 'the prompt; piped input is added to it')
    .option('--schema <file>', 'a JSON Schema: the answer is JSON that matches it');
  addAgentFlags(command);
  addOutputFlags(command);
  return command
    .addHelpText(
      'after',
      `
Examples:
  cox run "Which test fails, and why?"
  cox run --allow "Bash(npm test)" --permission-mode acceptEdits "Fix the failing test"
  git diff | cox run "Review this change"
  cox run --quiet --schema release.schema.json "What will the next release be?" | jq .version
  cox run --json "List the open questions in docs/" > run.ndjson
  cox run --demo

The answer goes to stdout, everything else to stderr. Ctrl-C interrupts the agent, twice ends it.
Exit codes: 0 completed, 1 failed, 2 wrong usage, 130 interrupted.`,
    )
    .action(async (words: string[], flags: RunFlags) => {
      const { run } = await import('../run/run.ts');
      finish(await run(words, flags, ownTerminal));
    });
}
