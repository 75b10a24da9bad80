import { Command } from 'commander';
import { ownTerminal } from '../terminal/terminal.ts';
import type { UiFlags } from '../ui/ui.ts';
import { finish } from './finish.ts';
import { port, several } from './shared-flags.ts';

/** `cox ui`. */
export function uiCommand(): Command {
  return new Command('ui')
    .description('watch and control agents in a browser')
    .argument(
      '[recordings...]',
      'files of cox record, folders of them, or reports of cox rehearse --json, instead of the conversations',
    )
    .option('-p, --port <n>', 'the port (4680, or any free port if that is taken; 0: any free port)', port)
    .option('--open', 'open the page in a browser')
    .option('--read-only', 'show everything, but refuse all actions')
    .option('--cwd <dir>', 'only the conversations of this folder')
    .option('--no-disk', 'do not show the conversations of this machine')
    .option('--fleet [url]', 'the conversations of a fleet: its database, or COXSWAIN_DATABASE_URL')
    .option('--schema <name>', 'with --fleet: the schema of its tables')
    .option(
      '--attach [program]',
      "print the address of a running program's inspector; select the program by name, pid, port or address",
    )
    .option('--list', 'list the programs that --attach can select')
    .option('--demo', 'scripted agents: no key, no network')
    .optionsGroup('Other machines:')
    .option('--host <address>', 'the address to listen on (127.0.0.1)')
    .option('--allowed-host <name>', 'a host name under which browsers open the page; repeat for more', several)
    .option('--token <text>', 'the token; prefer the environment variable COX_UI_TOKEN')
    .option('--base-path <path>', 'the path prefix, behind a proxy that keeps it')
    .optionsGroup('Output:')
    .option('--json', 'the address as JSON on stdout')
    .option('--no-color', 'no colours (NO_COLOR also works)')
    .addHelpText(
      'after',
      `
Examples:
  cox ui --demo --open
  cox ui                                 the conversations of this machine
  cox ui --attach --open                 the program that has called inspect()
  cox ui recordings/                     plays what cox record has recorded
  cox ui rehearsal.json                  what cox rehearse --json has found, at its step
  ssh -L 4680:127.0.0.1:4680 host cox ui --read-only

The page can be reached from this machine only, with the token in its address.`,
    )
    .action(async (recordings: string[], flags: UiFlags) => {
      const { ui } = await import('../ui/ui.ts');
      finish(await ui(recordings, flags, ownTerminal));
    });
}
