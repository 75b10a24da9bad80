import { Command, InvalidArgumentError, Option } from 'commander';
import type { RehearseFlags } from '../rehearse/rehearse.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { finish } from './finish.ts';
import { wholeNumber } from './shared-flags.ts';

/** `cox rehearse`. */
export function rehearseCommand(): Command {
  return new Command('rehearse')
    .description('run recorded conversations again, and report what came out differently')
    .argument(
      '<conversations...>',
      'transcripts (.jsonl), scenarios (.json), cassettes (.ndjson), folders with them, or texts (.txt)',
    )
    .optionsGroup('What runs:')
    .option('--agent <file>', 'a module whose default export is options, or an agent of a fleet')
    .option('--cli <which>', 'a release such as 2.1.325, pinned (default), or a path')
    .option('--workspace <dir>', 'a folder that is copied; by default only the files of the recording exist')
    .option('--ref <name>', 'with --workspace: a commit, branch or tag of it instead of its files')
    .addOption(
      new Option('--tools <which>', 'recorded results, or commands that run in the throw-away copy, in a jail')
        .choices(['recorded', 'real'])
        .default('recorded'),
    )
    .option('--unsafe', 'with --tools real: without a jail')
    .optionsGroup('What it is compared with (by default the recording):')
    .option('--against <file>', 'another agent')
    .option('--against-cli <which>', 'another release')
    .optionsGroup('Which conversations:')
    .option(
      '--fleet [url]',
      'conversations of a fleet: keys, or ann/* for those of ann; its database, or COXSWAIN_DATABASE_URL',
    )
    .option('--since <time>', 'changed within this time: 12h, 30d', since)
    .option('--limit <n>', 'the newest ones', wholeNumber)
    .optionsGroup('How:')
    .option('--jobs <n>', 'how many run at the same time; 2 by default', wholeNumber)
    .addOption(
      new Option('--on-divergence <what>', 'what follows a difference in a turn')
        .choices(['continue', 'stop'])
        .default('continue'),
    )
    .option('--keep <dir>', 'write the conversations as scenarios to this folder, and run nothing')
    .option('--update', "write today's decisions into the scenarios (.json), if a change is wanted")
    .optionsGroup('Output:')
    .option('--json', 'everything as JSON')
    .option('--markdown [file]', 'for a comment on a pull request')
    .option('--html <file>', 'one page for a browser, with each difference at its step')
    .option('-q, --quiet', 'one sentence')
    .option('--no-color', 'no colours (NO_COLOR also works)')
    .addHelpText(
      'after',
      `
Examples:
  cox rehearse conversation.jsonl --agent agent.js
  cox rehearse ~/.claude/projects/*my-app --since 30d --agent agent.js
  cox rehearse conversations/ --agent new.js --against old.js
  cox rehearse 'ann/*' --fleet postgres://… --agent agent.js --html report.html
  cox rehearse conversations/ --cli 2.1.325 --against-cli 2.1.290

Recorded commands are not run, except with --tools real: the CLI gets their recorded results. Hooks and callbacks of the agent run.
Exit codes: 0 no difference, 1 differences, 2 could not run.`,
    )
    .action(async (paths: string[], flags: RehearseFlags) => {
      const { rehearse } = await import('../rehearse/rehearse.ts');
      finish(await rehearse(paths, flags, ownTerminal));
    });
}

/** A time span as the time at which it began, in ms since the epoch. @throws InvalidArgumentError */
function since(value: string): number {
  const [, count, unit = ''] = /^(\d{1,5})([hdw])$/.exec(value) ?? [];
  const hours = { h: 1, d: 24, w: 168 }[unit];
  if (hours === undefined) throw new InvalidArgumentError('It must be a time such as 12h, 30d or 8w.');
  return Date.now() - Number(count) * hours * 3_600_000;
}
