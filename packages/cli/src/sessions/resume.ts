import { existsSync } from 'node:fs';
import { chat } from '../chat/chat.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type RunFlags, run } from '../run/run.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { findSession } from './find.ts';

/** `cox sessions resume`: continues a conversation in the folder where it was started. */
export async function resume(
  wanted: string,
  words: readonly string[],
  flags: RunFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const { id, cwd } = await findSession(wanted);
  // Older releases find a conversation only in its own folder.
  const folder = flags.cwd ?? (cwd !== undefined && existsSync(cwd) ? cwd : undefined);
  const all = { ...flags, resume: id, ...(folder === undefined ? {} : { cwd: folder }) };
  return words.length > 0 ? await run(words, all, terminal) : await chat(all, terminal);
}
