import { Command, type CommanderError, type Help } from 'commander';
import { bisectCommand } from './commands/bisect.ts';
import { chatCommand } from './commands/chat.ts';
import { cliCommand } from './commands/cli.ts';
import { doctorCommand } from './commands/doctor.ts';
import { fleetCommand } from './commands/fleet.ts';
import { initCommand } from './commands/init.ts';
import { proveCommand } from './commands/prove.ts';
import { recordCommand } from './commands/record.ts';
import { rehearseCommand } from './commands/rehearse.ts';
import { replayCommand } from './commands/replay.ts';
import { runCommand } from './commands/run.ts';
import { sessionsCommand } from './commands/sessions.ts';
import { uiCommand } from './commands/ui.ts';
import { EXIT } from './exit-codes.ts';

/** The complete command. Subcommands are loaded when they are called. */
export function program(version: string): Command {
  const run = runCommand();
  const cox = new Command('cox')
    .configureOutput({ outputError: (text, write) => write(text + commandFor(text, run)) })
    .description('Run, resume, record and diagnose Claude Code agents from a terminal.')
    .version(version, '-V, --version', 'show the version of cox')
    .addHelpText(
      'after',
      `
Examples:
  cox run "Which test fails, and why?"    one prompt, one answer
  cox chat                                a conversation
  cox doctor                              check the installation
  cox run --demo                          a scripted agent: no key, no network

cox <command> --help shows the flags and more examples.
Exit codes: 0 ok, 1 failed, 2 wrong usage, 130 interrupted.`,
    );
  const commands = [
    run,
    chatCommand(),
    sessionsCommand(),
    recordCommand(),
    replayCommand(),
    rehearseCommand(),
    bisectCommand(),
    proveCommand(),
    uiCommand(),
    doctorCommand(),
    initCommand(),
    cliCommand(),
    fleetCommand(),
  ];
  for (const command of commands) cox.addCommand(command);
  return tidy(cox);
}

/** The exit code for an error of the parser: help and version are not errors. */
export function usageExitCode(error: CommanderError): number {
  return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
}

/** The suggested command for an option of `cox run` that was passed to `cox` itself. */
function commandFor(error: string, run: Command): string {
  const flag = /unknown option '(-[^'=]*)/.exec(error)?.[1];
  if (flag === undefined) return '';
  return run.options.some(({ short, long }) => flag === short || flag === long)
    ? `(Did you mean cox run ${flag}?)\n`
    : '';
}

/** In every command: throws instead of exiting, and points to the help. */
function tidy(command: Command): Command {
  command.exitOverride().showHelpAfterError('(--help shows the usage)').configureHelp(NARROW);
  command.helpOption('-h, --help', 'show this help').helpCommand(false);
  for (const sub of command.commands) tidy(sub);
  return command;
}

/** Keeps the help readable in a narrow terminal. */
const NARROW = { minWidthToWrap: 20 } satisfies Partial<Help>;
