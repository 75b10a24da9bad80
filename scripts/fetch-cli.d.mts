/** The path of a release's executable (`claude`, or `cli.js` for old releases); undefined when it is not in the cache. */
export function cliPath(version: string, cache?: string): string | undefined;

/** Puts one release into the cache unless it is there, and gives the path of its executable. */
export function fetchCli(
  version: string,
  options?: { cache?: string; env?: NodeJS.ProcessEnv; log?: (text: string) => void },
): Promise<string>;

/** The releases the tests are made for; `COXSWAIN_RELEASE` puts another one in the place of all but the oldest. */
export function releases(env?: NodeJS.ProcessEnv): {
  pinned: string;
  tested: string[];
  oldest: { query: string; session: string };
  /** Those of the table in the documentation. */
  table: string[];
};

/** The suffix of this machine's platform package: `linux-x64`, `linux-arm64-musl`, `darwin-arm64`, … */
export function platformSuffix(machine?: { platform?: string; arch?: string; musl?: boolean }): string;
