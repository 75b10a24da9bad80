/** Windows takes 32,767 characters in all; the rest is left for the path of the CLI and what stands before it. */
export const LONGEST_COMMAND_LINE = 30_000;

/** True when a value may stand on the command line as one argument, with its flag before it. */
export function fitsArgument(text: string, platform: string): boolean {
  return isAtMost(text, longestArgument(platform));
}

/** True when a value that could be in a file had better be. On Windows all arguments share what little there is. */
export function belongsInFile(text: string, platform: string): boolean {
  return !isAtMost(text, platform === 'win32' ? 8_000 : longestArgument(platform));
}

/** The length of a Windows command line at worst: each argument in quotes, quotes and backslashes escaped. */
export function commandLineLength(args: readonly string[]): number {
  return args.reduce((sum, arg) => sum + arg.length + (arg.match(/["\\]/g)?.length ?? 0) + 3, 0);
}

function longestArgument(platform: string): number {
  switch (platform) {
    case 'linux':
      // MAX_ARG_STRLEN is 128 KiB with the NUL at the end; some is left for `--flag=`.
      return 128 * 1024 - 64;
    case 'win32':
      return LONGEST_COMMAND_LINE;
    default:
      // macOS counts all arguments and the environment together, 1 MiB.
      return 256 * 1024;
  }
}

function isAtMost(text: string, bytes: number): boolean {
  // A character is at most three bytes of UTF-8, so most texts need no counting.
  return text.length * 3 <= bytes || new TextEncoder().encode(text).length <= bytes;
}
