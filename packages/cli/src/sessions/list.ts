import { listSessions, type SessionInfo } from 'coxswain/transcripts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ago, bytes } from '../render/format.ts';
import { harmless } from '../render/measure.ts';
import type { Paint } from '../render/paint.ts';
import { table } from '../render/table.ts';
import { columnsOf, paintFor, type Terminal } from '../terminal/terminal.ts';

/** The flags of `cox sessions list`. */
export interface ListFlags {
  readonly all?: boolean;
  readonly cwd?: string;
  readonly limit?: number;
  readonly json?: boolean;
  readonly color?: boolean;
}

/** `cox sessions list`: the conversations of this folder, or of all. */
export async function list(flags: ListFlags, terminal: Terminal): Promise<ExitCode> {
  const cwd = flags.all ? undefined : (flags.cwd ?? process.cwd());
  const sessions = await listSessions({ cwd, limit: flags.limit ?? 20 });
  const { stdout, stderr, env } = terminal;
  if (flags.json) stdout.write(sessions.map((session) => `${JSON.stringify(session)}\n`).join(''));
  else if (sessions.length === 0)
    stderr.write(
      `No conversations${cwd === undefined ? '' : ` in ${cwd}; --all shows the conversations of all folders`}.\n`,
    );
  else {
    const paint = paintFor(stdout, env, flags.color);
    stdout.write(
      `${sessionTable(sessions, { withFolder: cwd === undefined, now: Date.now(), columns: columnsOf(stdout) }, paint).join('\n')}\n`,
    );
  }
  return EXIT.ok;
}

/** One line per session; the id is shortened. */
function sessionTable(
  sessions: readonly SessionInfo[],
  look: { readonly withFolder: boolean; readonly now: number; readonly columns: number },
  paint: Paint,
): string[] {
  const rows = sessions.map(({ id, updatedAt, sizeBytes, cwd, title }) => [
    look.columns >= 100 ? id : id.slice(0, 8),
    ago(updatedAt, look.now),
    bytes(sizeBytes),
    ...(look.withFolder ? [harmless(cwd ?? '?')] : []),
    harmless(title).replaceAll('\n', ' '),
  ]);
  return table(['id', 'changed', 'size', ...(look.withFolder ? ['folder'] : []), 'title'], rows, paint, look.columns);
}
