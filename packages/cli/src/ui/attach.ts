import { type RunningProgram, runningPrograms } from '@coxswain/inspector';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { ago } from '../render/format.ts';
import { harmless } from '../render/measure.ts';
import { table } from '../render/table.ts';
import { columnsOf, paintFor, type Terminal, tell } from '../terminal/terminal.ts';
import { openInBrowser } from './open-in-browser.ts';

/** How a program, or the list of them, is printed. */
interface ShowFlags {
  readonly open?: boolean;
  readonly json?: boolean;
  readonly color?: boolean;
}

/** How long the file through which a browser opens the page stays: the command ends before the browser has read it. */
const OPENING_MS = 5_000;

/** `cox ui --attach`: prints, or opens, the address of a program that has an inspector open. @throws UsageError */
export async function attach(wanted: string | true, flags: ShowFlags, terminal: Terminal): Promise<ExitCode> {
  const program = chosen(await runningPrograms(), wanted);
  const { url, port, name, pid } = program;
  if (flags.json) terminal.stdout.write(`${JSON.stringify({ url, port, name, pid })}\n`);
  else terminal.stdout.write(`${url}\n`);
  if (!flags.open) return EXIT.ok;
  const opened = await openInBrowser(url);
  await new Promise((resolve) => setTimeout(resolve, OPENING_MS));
  await opened.forget();
  return EXIT.ok;
}

/** `cox ui --list`: the programs of this user that have an inspector open, without their tokens. */
export async function listPrograms(flags: ShowFlags, terminal: Terminal): Promise<ExitCode> {
  const programs = await runningPrograms();
  const { stdout, env } = terminal;
  if (flags.json) stdout.write(programs.map(({ url: _, ...shown }) => `${JSON.stringify(shown)}\n`).join(''));
  else if (programs.length === 0) tell(terminal, NONE);
  else {
    const rows = programs.map(({ name, pid, port, startedAt, cwd }) => [
      ...[harmless(name).replaceAll('\n', ' '), String(pid), String(port), ago(startedAt, Date.now()), harmless(cwd)],
    ]);
    const headings = ['name', 'pid', 'port', 'started', 'folder'];
    const lines = table(headings, rows, paintFor(stdout, env, flags.color), columnsOf(stdout));
    stdout.write(`${lines.join('\n')}\n`);
  }
  return EXIT.ok;
}

const NONE =
  'None of your programs has an inspector open. A program opens one with inspect() from @coxswain/inspector.';

/** @throws UsageError if none, or more than one, is meant */
function chosen(programs: readonly RunningProgram[], wanted: string | true): RunningProgram {
  const meant = programs.filter((program) => wanted === true || isMeant(program, wanted));
  const [program, ...others] = meant;
  if (program && others.length === 0) return program;
  if (programs.length === 0) throw new UsageError(NONE);
  const list = (program ? meant : programs).map(({ name, pid }) => `${harmless(name)} (${pid})`).join(', ');
  if (program) throw new UsageError(`Which one? Pass its pid: ${list}.`);
  throw new UsageError(
    `No program with an open inspector matches ${harmless(String(wanted))}. Open inspectors: ${list}.`,
  );
}

function isMeant({ id, name, pid, port, url }: RunningProgram, wanted: string): boolean {
  if ([id, name, String(pid), String(port)].includes(wanted)) return true;
  return URL.canParse(wanted) && new URL(wanted).origin === new URL(url).origin;
}
