import { onOneLine } from '@coxswain/inspector/text';
import { deleteSession, forkSession, renameSession } from 'coxswain/transcripts';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { plural } from '../render/format.ts';
import { resumeCommand } from '../render/summary.ts';
import { Asker } from '../terminal/ask.ts';
import { canAsk, paintFor, type Terminal } from '../terminal/terminal.ts';
import { findSession } from './find.ts';

/** `cox sessions fork`: copies a conversation and prints the id of the copy. */
export async function fork(
  wanted: string,
  flags: { readonly title?: string; readonly upTo?: string; readonly json?: boolean },
  { stdout, stderr }: Terminal,
): Promise<ExitCode> {
  const { id } = await findSession(wanted);
  const copy = await forkSession(id, { title: flags.title, upTo: flags.upTo });
  stdout.write(flags.json ? `${JSON.stringify(copy)}\n` : `${copy.id}\n`);
  if (!flags.json) stderr.write(`continue with: ${resumeCommand('chat', copy.id)}\n`);
  return EXIT.ok;
}

/** `cox sessions rename`: gives a conversation a name. */
export async function rename(wanted: string, words: readonly string[], { stderr }: Terminal): Promise<ExitCode> {
  const title = words.join(' ').trim();
  if (title === '') throw new UsageError('A name must not be empty.');
  const { id } = await findSession(wanted);
  await renameSession(id, title);
  stderr.write(`${id} is now named ${title}\n`);
  return EXIT.ok;
}

/** `cox sessions delete`: deletes conversations from disk, after a confirmation. */
export async function remove(
  wanted: readonly string[],
  flags: { readonly yes?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  if (!flags.yes && !canAsk(terminal))
    throw new UsageError('Cannot ask for confirmation without a terminal: use --yes to delete.');
  const sessions = await Promise.all(wanted.map((id) => findSession(id)));
  if (!flags.yes) {
    const question = {
      title: `Permanently delete ${plural(sessions.length, 'conversation')}?`,
      details: sessions.map(({ id, title }) => `${id.slice(0, 8)}  ${onOneLine(title)}`),
      options: [
        { key: 'y', label: 'Yes, delete' },
        { key: 'n', label: 'No' },
      ],
    };
    const asker = new Asker(terminal, paintFor(terminal.stderr, terminal.env));
    const answer = await asker.key(question, new AbortController().signal);
    if (answer === undefined) return EXIT.interrupted;
    if (answer !== 'y') return EXIT.ok;
  }
  for (const { id } of sessions) {
    await deleteSession(id);
    terminal.stderr.write(`${id} is deleted\n`);
  }
  return EXIT.ok;
}
