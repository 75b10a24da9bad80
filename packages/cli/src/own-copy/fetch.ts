import { type InstallProgress, installCli } from 'coxswain/cli';
import { EXIT } from '../exit-codes.ts';
import { CtrlC } from '../terminal/ctrl-c.ts';
import { Screen } from '../terminal/screen.ts';
import { columnsOf, type Terminal } from '../terminal/terminal.ts';
import { progressLine } from './progress.ts';

/** Which release to fetch, and whether to show progress. */
export interface FetchOptions {
  readonly version?: string | undefined;
  readonly quiet?: boolean | undefined;
}

/** Installs a release of Claude Code if it is missing, and shows the progress. @throws CliInstallError, AbortError */
export async function fetchCli(
  { version, quiet = false }: FetchOptions,
  terminal: Terminal,
): ReturnType<typeof installCli> {
  const screen = new Screen(terminal, { status: !quiet });
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  using _ctrlC = new CtrlC({ interrupt: stop, end: stop, kill: () => process.exit(EXIT.interrupted) });
  try {
    const onProgress = quiet ? undefined : reporter(screen, terminal);
    return await installCli({ env: terminal.env, version, signal: abort.signal, onProgress });
  } finally {
    screen.close();
  }
}

/** Whether a run would use, and if necessary install, the SDK's own copy. */
export function wantsPinned(cli: string | undefined, env: NodeJS.ProcessEnv): boolean {
  const wanted = cli === undefined || cli === 'auto' ? env.COXSWAIN_CLI : cli;
  return wanted === 'pinned';
}

/** One growing line on a terminal; one line for each phase elsewhere. */
function reporter(screen: Screen, { stderr }: Terminal): (progress: InstallProgress) => void {
  let phase: string | undefined;
  return (progress) => {
    if (stderr.isTTY) return screen.status(progressLine(progress, columnsOf(stderr) - 1));
    if (progress.phase !== phase) screen.note(progressLine({ phase: progress.phase }, columnsOf(stderr)));
    phase = progress.phase;
  };
}
