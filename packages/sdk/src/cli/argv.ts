import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { AWAITS_SERVERS_SINCE, awaitedFields, type FlagRow, type FlagValue, flagTable } from '../options/flag-table.ts';
import type { AgentOptions, OptionName } from '../options/option-types.ts';
import type { PrivateFile } from '../process/transport.ts';
import { isOlder, type RunMode, type VersionNeed } from './version.ts';

/** Facts that the arguments depend on besides the options. */
export interface ArgvFacts {
  /** `process.platform`, which determines how long an argument may be. */
  readonly platform: string;
  /** False when a query's prompt is sent as content blocks. */
  readonly promptIsText?: boolean;
  /** The release of the CLI, if it is known before the start. */
  readonly release?: string | undefined;
  /** The CLI must have the hooks of the session before it resumes a call. */
  readonly resumesCall?: boolean | undefined;
}

export interface Argv {
  readonly args: readonly string[];
  /** Content that is passed in files; `argvIndex` counts within `args`. */
  readonly privateFiles: readonly PrivateFile[];
  /** The flags in `args` that some supported CLIs lack. */
  readonly gated: readonly VersionNeed[];
  /** Fields of `initialize` for options that are not in `args`, because the CLI awaits the request. */
  readonly initialize: Readonly<Record<string, unknown>>;
}

const MODES: Readonly<Record<RunMode, readonly string[]>> = {
  query: ['--print', '--output-format', 'stream-json', '--verbose'],
  session: ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--replay-user-messages'],
};

/** Builds the arguments of the CLI. They never contain the prompt. @throws OptionsError */
export function buildArgv(
  mode: RunMode,
  options: AgentOptions,
  { platform, promptIsText, release, resumesCall }: ArgvFacts,
): Argv {
  const args = [...MODES[mode]];
  const privateFiles: PrivateFile[] = [];
  const gated: VersionNeed[] = [];
  let initialize: Argv['initialize'] = {};
  const problems: OptionProblem[] = [];
  const addValue = (option: OptionName, flag: string, text: string, equals = false): void => {
    if (bytesOf(text) > longestArgument(platform)) {
      problems.push({ path: option, message: `is too long for the command line (${text.length} characters).` });
    }
    if (equals || text.startsWith('-')) args.push(`${flag}=${text}`);
    else args.push(flag, text);
  };

  if (mode === 'query' && promptIsText === false) args.push('--input-format', 'stream-json');
  for (const row of flagTable) {
    const encoded = mode === 'session' && row.initialize ? undefined : row.encode(options);
    if (encoded === undefined) continue;
    if (mode === 'session' && awaits(row, release)) {
      args.push('--await-initialize');
      initialize = awaitedFields(options);
      continue;
    }
    const { flag, value } = inFileIfLong(row, encoded, platform);
    if (value === true) args.push(flag);
    else if (typeof value === 'string') addValue(row.option, flag, value, row.equals);
    else if ('content' in value) privateFiles.push({ argvIndex: args.push(flag, '') - 1, ...value });
    else for (const text of value) addValue(row.option, flag, text);
    if (row.since !== undefined) gated.push({ option: row.option, flag, since: row.since });
  }
  // Otherwise a CLI may resume the call before it has read the handshake; on a busy machine it does so nearly every time.
  const canAwait = release !== undefined && !isOlder(release, AWAITS_SERVERS_SINCE);
  if (resumesCall && canAwait && !args.includes('--await-initialize')) args.push('--await-initialize');
  for (const [name, given] of Object.entries(options.extraArgs ?? {})) {
    if (typeof given === 'string') addValue('extraArgs', `--${name}`, given);
    else if (given !== false) args.push(`--${name}`);
  }

  const length = platform === 'win32' ? commandLineLength(args) : 0;
  if (length > LONGEST_COMMAND_LINE && problems.length === 0) {
    const message = `result in a command line of ${length} characters, and Windows allows ${LONGEST_COMMAND_LINE}. Shorten agents, outputSchema or the lists, or use a session.`;
    problems.push({ path: 'options', message });
  }
  if (problems.length > 0) throw new OptionsError(problems);
  return { args, privateFiles, gated, initialize };
}

/** True if the release is known to take the option from an `initialize` request that it awaits. */
function awaits({ awaitedSince }: FlagRow, release: string | undefined): boolean {
  return awaitedSince !== undefined && release !== undefined && !isOlder(release, awaitedSince);
}

/** True if an option that a session sends in the handshake is too long for the command line of a one-shot run. */
export function needsHandshake(options: AgentOptions, platform: string): boolean {
  return flagTable.some((row) => {
    const value = row.initialize && row.overflow === undefined ? row.encode(options) : undefined;
    return typeof value === 'string' && bytesOf(value) > longestValue(platform);
  });
}

/** Windows allows 32,767 characters; the rest is reserved for the paths of the CLI and its interpreter. */
const LONGEST_COMMAND_LINE = 30_000;

/** Passes a value that is too long in a file, if the CLI can read it from one. */
function inFileIfLong(row: FlagRow, value: FlagValue, platform: string): SentFlag {
  const { flag, overflow } = row;
  if (!overflow || typeof value !== 'string' || bytesOf(value) <= longestValue(platform)) return { flag, value };
  return { flag: overflow.flag, value: { name: overflow.name, content: value } };
}

type SentFlag = { readonly flag: string; readonly value: FlagValue };

/** The maximum length of the command line on Windows: each argument in quotes, quotes and backslashes escaped. */
function commandLineLength(args: readonly string[]): number {
  return args.reduce((sum, arg) => sum + arg.length + (arg.match(/["\\]/g)?.length ?? 0) + 3, 0);
}

/** The longest value to pass on the command line if there is an alternative. On Windows all arguments share one small limit. */
function longestValue(platform: string): number {
  return platform === 'win32' ? 8_000 : longestArgument(platform);
}

function longestArgument(platform: string): number {
  // MAX_ARG_STRLEN is 128 KiB including the final NUL; the rest is reserved for `--flag=`.
  if (platform === 'linux') return 128 * 1024 - 64;
  // macOS limits all arguments and the environment together to 1 MiB.
  return platform === 'win32' ? LONGEST_COMMAND_LINE : 256 * 1024;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
