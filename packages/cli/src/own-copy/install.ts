import { type InstallProgress, installCli, installedClis, PINNED_VERSION } from 'coxswain';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { CtrlC } from '../terminal/ctrl-c.ts';
import { Screen } from '../terminal/screen.ts';
import { columnsOf, type Terminal } from '../terminal/terminal.ts';
import { progressLine } from './progress.ts';

/** The flags of `cox cli install`. */
export interface InstallFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `cox cli install`: fetches a release of Claude Code for `--cli pinned`, and prints its path. */
export async function install(wanted: string | undefined, flags: InstallFlags, terminal: Terminal): Promise<ExitCode> {
  const version = wanted ?? PINNED_VERSION;
  if (!/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)) {
    throw new UsageError(`${version} is no exact version; give one such as ${PINNED_VERSION}.`);
  }
  const { env } = terminal;
  const copies = await installedClis({ env });
  const wasThere = copies.some((copy) => copy.version === version && copy.intact);
  const screen = new Screen(terminal, { status: !flags.quiet });
  const abort = new AbortController();
  const leave = (): void => abort.abort();
  using _ctrlC = new CtrlC({ interrupt: leave, end: leave, kill: () => process.exit(EXIT.interrupted) });
  try {
    const onProgress = flags.quiet ? undefined : reporter(screen, terminal);
    const installed = await installCli({ env, version, signal: abort.signal, onProgress });
    screen.close();
    const flag = version === PINNED_VERSION ? '--cli pinned' : `--cli pinned --cli-version ${version}`;
    if (!flags.quiet)
      screen.note(`Claude Code ${version} ${wasThere ? 'was already there' : 'is installed'}; use it with ${flag}.`);
    screen.data(flags.json ? JSON.stringify({ ...installed, wasThere }) : installed.path);
    return EXIT.ok;
  } catch (error) {
    screen.close();
    if (abort.signal.aborted) return EXIT.interrupted;
    throw error;
  }
}

/** One line that grows on a terminal; one line for each phase elsewhere. */
function reporter(screen: Screen, { stderr }: Terminal): (progress: InstallProgress) => void {
  let phase: string | undefined;
  return (progress) => {
    if (stderr.isTTY) return screen.status(progressLine(progress, columnsOf(stderr) - 1));
    if (progress.phase !== phase) screen.note(progressLine({ phase: progress.phase }, columnsOf(stderr)));
    phase = progress.phase;
  };
}
