import type { InstalledCli, InstallProgress } from './install.ts';

/** Where the SDK keeps copies of the CLI. */
export interface InstalledCopiesOptions {
  /** By default the SDK's cache folder, which `env` may move. */
  readonly cacheDir?: string | undefined;
  /** By default the host's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Which release to install, and how. */
export interface InstallCliOptions extends InstalledCopiesOptions {
  /** An exact version; by default {@link PINNED_VERSION}. */
  readonly version?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: InstallProgress) => void) | undefined;
}

/** A copy of the CLI in the SDK's cache. */
export interface InstalledCopy {
  readonly version: string;
  readonly path: string;
  readonly bytes: number;
  /** False when its files are not what was installed; installing it again mends that. */
  readonly intact: boolean;
}

/**
 * Gives the SDK's own copy of the CLI, the one `cli: 'pinned'` uses, and installs it from the npm registry if it is
 * missing or damaged. @throws CliInstallError, AbortError
 */
export async function installCli(options: InstallCliOptions = {}): Promise<InstalledCli> {
  const { installPinned } = await import('./install.ts');
  return installPinned({ ...options, env: options.env ?? process.env });
}

/** The copies that were installed, by version. @throws CliInstallError when there is no place for them */
export async function installedClis(options: InstalledCopiesOptions = {}): Promise<readonly InstalledCopy[]> {
  const { findCopies } = await import('./installed-copies.ts');
  return findCopies(options);
}
