/** The path of a release's executable (`claude`, or `cli.js` for old releases); undefined if it is not in the cache. */
export function cliPath(version: string, cache?: string): string | undefined;

/** Downloads one release into the cache if it is missing, and returns the path of its executable. */
export function fetchCli(
  version: string,
  options?: { cache?: string; env?: NodeJS.ProcessEnv; log?: (text: string) => void },
): Promise<string>;

/** Every release that a test runs, the pinned one first. */
export function everyRelease(): string[];

/** The releases for the tests; `COXSWAIN_RELEASE` replaces those that run the whole suite. */
export function releases(env?: NodeJS.ProcessEnv): {
  pinned: string;
  tested: string[];
  oldest: string;
  /** Releases with a peculiarity that a test is about. */
  peculiar: { startsInAuto: string };
  /** The releases of the table in the documentation. */
  table: string[];
};

/** The suffix of this machine's platform package: `linux-x64`, `linux-arm64-musl`, `darwin-arm64`, … */
export function platformSuffix(machine?: { platform?: string; arch?: string; musl?: boolean }): string;
