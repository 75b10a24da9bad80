import { inspectCli } from 'coxswain/cli';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `cox cli path`: prints which CLI a run would use. */
export async function path(
  which: string | undefined,
  flags: { readonly json?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const inspection = await inspectCli({ cli: which });
  const { found, searched } = inspection;
  if (flags.json) terminal.stdout.write(`${JSON.stringify(inspection)}\n`);
  else if (found !== undefined) terminal.stdout.write(`${found.path}\n`);
  if (found !== undefined) return EXIT.ok;
  const places = searched.map(({ place, reason }) => `  ${place} (${reason})\n`).join('');
  terminal.stderr.write(`No Claude Code was found. Searched, in order:\n${places}cox doctor shows what to do.\n`);
  return EXIT.failed;
}
