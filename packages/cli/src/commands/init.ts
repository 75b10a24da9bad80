import { Command, Option } from 'commander';
import type { InitFlags } from '../init/init.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { printing } from './finish.ts';

/** `cox init`. */
export function initCommand(): Command {
  return new Command('init')
    .description('add an agent with a guard, a test and CI to this project')
    .addOption(new Option('--language <name>', 'typescript by default').choices(['typescript', 'javascript']))
    .addOption(
      new Option('--package-manager <name>', 'by default that of the lockfile').choices(['npm', 'pnpm', 'yarn', 'bun']),
    )
    .option('--folder <name>', 'the folder of the agent; agent by default')
    .option('--cwd <dir>', 'the folder of the project')
    .addHelpText(
      'after',
      `
Examples:
  cox init
  cox init --language javascript --folder reviewer

Adds a folder, a workflow, scripts and dependencies; overwrites nothing. For a new project: npm create coxswain.
Exit codes: 0 ok, 1 failed, 2 wrong usage.`,
    )
    .action(async (flags: InitFlags) => {
      const { init } = await import('../init/init.ts');
      await printing(() => init(flags, ownTerminal));
    });
}
