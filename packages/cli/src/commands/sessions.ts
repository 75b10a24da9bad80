import { Command } from 'commander';
import type { RunFlags } from '../run/run.ts';
import type { ListFlags } from '../sessions/list.ts';
import type { ShowFlags } from '../sessions/show.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { finish, printing } from './finish.ts';
import { addAgentFlags, addOutputFlags, wholeNumber } from './shared-flags.ts';

/** `cox sessions`. */
export function sessionsCommand(): Command {
  const sessions = new Command('sessions')
    .description('list, read, resume, copy, rename and delete conversations')
    .addHelpText(
      'after',
      `
Examples:
  cox sessions list --all
  cox sessions show 1f3c
  cox sessions resume 1f3c "And now the tests"
  cox sessions fork 1f3c --title "another way"
  cox sessions delete 1f3c --yes

The first characters of an id are enough. Conversations are those that Claude Code keeps in ~/.claude, or in CLAUDE_CONFIG_DIR.`,
    );
  sessions
    .command('list')
    .description('list the conversations of this folder, newest first')
    .option('--all', 'conversations of all folders')
    .option('--cwd <dir>', 'conversations of another folder')
    .option('-n, --limit <n>', 'how many (20)', wholeNumber)
    .option('--json', 'one JSON object per line')
    .option('--no-color', 'no colours')
    .action(async (flags: ListFlags) => {
      const { list } = await import('../sessions/list.ts');
      await printing(() => list(flags, ownTerminal));
    });
  sessions
    .command('show')
    .description('show the messages of a conversation')
    .argument('<id>')
    .option('--json', 'the messages as NDJSON')
    .option('--thinking', 'show the complete thinking of the model')
    .option('--no-color', 'no colours')
    .action(async (id: string, flags: ShowFlags) => {
      const { show } = await import('../sessions/show.ts');
      await printing(() => show(id, flags, ownTerminal));
    });
  sessions.addCommand(resumeCommand());
  sessions
    .command('fork')
    .description('copy a conversation, and print the id of the copy')
    .argument('<id>')
    .option('--title <name>', 'the name of the copy')
    .option('--up-to <uuid>', 'the last message to copy')
    .option('--json', 'everything about the copy, as JSON')
    .action(async (id: string, flags: { title?: string; upTo?: string; json?: boolean }) => {
      const { fork } = await import('../sessions/change.ts');
      await printing(() => fork(id, flags, ownTerminal));
    });
  sessions
    .command('rename')
    .description('give a conversation a name')
    .argument('<id>')
    .argument('<name...>')
    .action(async (id: string, words: string[]) => {
      const { rename } = await import('../sessions/change.ts');
      await printing(() => rename(id, words, ownTerminal));
    });
  sessions
    .command('delete')
    .description('remove conversations from the disk')
    .argument('<id...>')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (ids: string[], flags: { yes?: boolean }) => {
      const { remove } = await import('../sessions/change.ts');
      await printing(() => remove(ids, flags, ownTerminal));
    });
  return sessions;
}

function resumeCommand(): Command {
  const command = new Command('resume')
    .description('continue a conversation: in a chat, or with one prompt')
    .argument('<id>')
    .argument('[prompt...]', 'without one, a chat starts');
  addAgentFlags(command);
  return addOutputFlags(command).action(async (id: string, words: string[], flags: RunFlags) => {
    const { resume } = await import('../sessions/resume.ts');
    finish(await resume(id, words, flags, ownTerminal));
  });
}
