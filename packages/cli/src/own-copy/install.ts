import { installedClis, PINNED_VERSION } from 'coxswain/cli';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { Screen } from '../terminal/screen.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { fetchCli } from './fetch.ts';

/** The flags of `cox cli install`. */
export interface InstallFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `cox cli install`: downloads a release of Claude Code for `--cli pinned`, and prints its path. */
export async function install(wanted: string | undefined, flags: InstallFlags, terminal: Terminal): Promise<ExitCode> {
  const version = wanted ?? PINNED_VERSION;
  if (!/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)) {
    throw new UsageError(`${version} is not an exact version; use one such as ${PINNED_VERSION}.`);
  }
  const copies = await installedClis({ env: terminal.env });
  const wasThere = copies.some((copy) => copy.version === version && copy.intact);
  const installed = await fetchCli({ version, quiet: flags.quiet }, terminal);
  const screen = new Screen(terminal, { status: false });
  if (!flags.quiet)
    screen.note(`Claude Code ${version} ${wasThere ? 'was already installed' : 'is installed'}; ${howToUse(version)}.`);
  screen.data(flags.json ? JSON.stringify({ ...installed, wasThere }) : installed.path);
  return EXIT.ok;
}

/** How to make runs use a downloaded release. */
export function howToUse(version: string): string {
  if (version !== PINNED_VERSION) return `use it with --cli pinned --cli-version ${version}`;
  return 'use it with --cli pinned, or in every run with COXSWAIN_CLI=pinned in the environment';
}
