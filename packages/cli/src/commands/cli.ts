import { Command } from 'commander';
import type { InstallFlags } from '../own-copy/install.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { printing } from './finish.ts';

/** `cox cli`. */
export function cliCommand(): Command {
  const cli = new Command('cli').description('find, download and list releases of Claude Code').addHelpText(
    'after',
    `
Examples:
  cox cli install             fetches the release this version is tested with
  cox cli path                which one a run would use
  cox run --cli pinned "…"    uses the fetched one`,
  );
  cli
    .command('install')
    .description("download a release from npm into Coxswain's own folder")
    .argument('[version]', 'an exact version; by default the one that cox is tested with')
    .option('--json', 'version and path as JSON')
    .option('-q, --quiet', 'no progress; only the path')
    .action(async (version: string | undefined, flags: InstallFlags) => {
      const { install } = await import('../own-copy/install.ts');
      await printing(() => install(version, flags, ownTerminal));
    });
  cli
    .command('path')
    .description('print the path of the CLI a run would use')
    .argument('[which]', 'auto (default), pinned, global, or a path')
    .option('--json', 'everything about it, as JSON')
    .action(async (which: string | undefined, flags: { json?: boolean }) => {
      const { path } = await import('../own-copy/path.ts');
      await printing(() => path(which, flags, ownTerminal));
    });
  cli
    .command('list')
    .description('list the CLI in use and the downloaded releases')
    .option('--json', 'as JSON')
    .option('--no-color', 'no colours')
    .action(async (flags: { json?: boolean; color?: boolean }) => {
      const { list } = await import('../own-copy/list.ts');
      await printing(() => list(flags, ownTerminal));
    });
  return cli;
}
