import { type OptionProblem, OptionsError } from '../errors/options.ts';
import type { AgentOptions, OptionName } from '../options/option-types.ts';
import type { OwnedFlag } from '../options/owned-flags.ts';
import type { PrivateFile } from '../process/transport.ts';
import { type ArgvRow, type ArgvValue, argvTable } from './argv-table.ts';
import { FLAGS_SINCE, type VersionNeed } from './feature-gate.ts';
import { compareVersions, type RunMode } from './version.ts';

/** What the arguments depend on besides the options. */
export interface ArgvFacts {
  /** `process.platform`: it determines how long an argument may be. */
  readonly platform: string;
  /** False when a query's prompt is sent as content blocks. */
  readonly promptIsText?: boolean;
  /** The CLI's version, if it is known before the start. */
  readonly version?: string | undefined;
}

/** The arguments of the CLI. */
export interface Argv {
  readonly args: readonly string[];
  /** Content that is passed in files; `argvIndex` counts within `args`. */
  readonly privateFiles: readonly PrivateFile[];
  /** The flags among them that not every supported CLI has. */
  readonly gated: readonly VersionNeed[];
}

const MODES: Readonly<Record<RunMode, readonly string[]>> = {
  query: ['--print', '--output-format', 'stream-json', '--verbose'],
  session: ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--replay-user-messages'],
};

/** Builds the arguments of the CLI. They never contain the prompt. @throws OptionsError */
export function buildArgv(mode: RunMode, options: AgentOptions, facts: ArgvFacts): Argv {
  const builder = new Builder(facts, MODES[mode]);
  if (mode === 'query' && facts.promptIsText === false) builder.add('--input-format', 'stream-json');
  for (const row of argvTable) {
    if (options[row.option] === undefined && !row.always) continue;
    if (mode === 'session' && row.initialize) continue;
    const encoded = row.encode(options);
    if (encoded) builder.addRow(row, encoded);
  }
  for (const [name, given] of Object.entries(options.extraArgs ?? {})) {
    if (typeof given === 'string') builder.addValue('extraArgs', `--${name}`, given);
    else if (given !== false) builder.add(`--${name}`);
  }
  return builder.finish();
}

class Builder {
  readonly problems: OptionProblem[] = [];
  readonly #platform: string;
  readonly #version: string | undefined;
  readonly #args: string[];
  readonly #privateFiles: PrivateFile[] = [];
  readonly #gated: VersionNeed[] = [];

  constructor({ platform, version }: ArgvFacts, start: readonly string[]) {
    this.#platform = platform;
    this.#version = version;
    this.#args = [...start];
  }

  add(...args: readonly string[]): void {
    this.#args.push(...args);
  }

  addRow(row: ArgvRow, encoded: ArgvValue): void {
    const { option, flag, overflow, equals } = row;
    switch (encoded.kind) {
      case 'bare':
        this.add(flag);
        break;
      case 'value':
        if (overflow && belongsInFile(encoded.text, this.#platform)) {
          this.#addFile(overflow.flag, overflow.name, encoded.text);
          return this.#gate(option, overflow.flag);
        }
        if (encoded.implied && releaseBefore(FLAGS_SINCE[flag], this.#version)) return;
        this.addValue(option, flag, encoded.text, equals);
        break;
      case 'each':
        if (encoded.texts.length === 0) return;
        for (const text of encoded.texts) this.addValue(option, flag, text);
        break;
      case 'file':
        this.#addFile(flag, encoded.name, encoded.content, encoded.named);
        break;
    }
    this.#gate(option, flag);
  }

  addValue(option: OptionName, flag: string, text: string, equals = false): void {
    if (!fitsArgument(text, this.#platform)) {
      this.problems.push({ path: option, message: `is too long for the command line (${text.length} characters).` });
    }
    if (equals || text.startsWith('-')) this.add(`${flag}=${text}`);
    else this.add(flag, text);
  }

  finish(): Argv {
    const length = this.#platform === 'win32' ? commandLineLength(this.#args) : 0;
    if (length > LONGEST_COMMAND_LINE && this.problems.length === 0) {
      const message = `make a command line of ${length} characters, and Windows takes ${LONGEST_COMMAND_LINE}. Shorten agents, outputSchema or the lists, or use a session.`;
      this.problems.push({ path: 'options', message });
    }
    if (this.problems.length > 0) throw new OptionsError(this.problems);
    return { args: this.#args, privateFiles: this.#privateFiles, gated: this.#gated };
  }

  #gate(option: OptionName, flag: OwnedFlag): void {
    const since = FLAGS_SINCE[flag];
    if (since !== undefined) this.#gated.push({ option, flag, since });
  }

  #addFile(flag: string, name: string, content: string, named = false): void {
    this.add(flag, '');
    this.#privateFiles.push({ argvIndex: this.#args.length - 1, name, content, ...(named ? { named } : {}) });
  }
}

function releaseBefore(since: string | undefined, version: string | undefined): boolean {
  return since !== undefined && version !== undefined && compareVersions(version, since) < 0;
}

/** Windows allows 32,767 characters; the rest is reserved for the path of the CLI and of its interpreter. */
const LONGEST_COMMAND_LINE = 30_000;

/** True when a value fits on the command line as one argument. */
function fitsArgument(text: string, platform: string): boolean {
  return isAtMost(text, longestArgument(platform));
}

/** True when a value that can be passed in a file should be. On Windows all arguments share one small limit. */
function belongsInFile(text: string, platform: string): boolean {
  return !isAtMost(text, platform === 'win32' ? 8_000 : longestArgument(platform));
}

/** The longest a Windows command line can be: each argument in quotes, quotes and backslashes escaped. */
function commandLineLength(args: readonly string[]): number {
  return args.reduce((sum, arg) => sum + arg.length + (arg.match(/["\\]/g)?.length ?? 0) + 3, 0);
}

function longestArgument(platform: string): number {
  switch (platform) {
    case 'linux':
      // MAX_ARG_STRLEN is 128 KiB with the NUL at the end; the rest is reserved for `--flag=`.
      return 128 * 1024 - 64;
    case 'win32':
      return LONGEST_COMMAND_LINE;
    default:
      // macOS counts all arguments and the environment together, 1 MiB.
      return 256 * 1024;
  }
}

function isAtMost(text: string, bytes: number): boolean {
  return new TextEncoder().encode(text).length <= bytes;
}
