import { Command } from 'commander';
import type { ProveFlags } from '../rehearse/prove.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { finish } from './finish.ts';
import { wholeNumber } from './shared-flags.ts';

/** `cox prove`. */
export function proveCommand(): Command {
  return new Command('prove')
    .description('try to get around the guards of an agent, in a jail')
    .requiredOption('--agent <file>', 'a module whose default export is options, or an agent of a fleet')
    .option('--cli <which>', 'a release such as 2.1.325, pinned (default), or a path')
    .option('--enough <n>', 'end the search after so many tries that got through', wholeNumber)
    .option('--unsafe', 'without a jail; the tries only touch a throw-away folder')
    .option('--json', 'everything as JSON')
    .option('-q, --quiet', 'one sentence')
    .option('--no-color', 'no colours (NO_COLOR also works)')
    .addHelpText(
      'after',
      `
Examples:
  cox prove --agent agent.js
  cox prove --agent agent.js --enough 1

Commands run in a jail (bubblewrap) without network; hooks and callbacks of the agent run in this process.
Exit codes: 0 nothing found, 1 found, 2 could not run.`,
    )
    .action(async (flags: ProveFlags) => {
      const { prove } = await import('../rehearse/prove.ts');
      finish(await prove(flags, ownTerminal));
    });
}
