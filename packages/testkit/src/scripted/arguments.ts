import { UUID } from '@coxswain/shared/uuid';

/** The command line of one run, as far as the scripted CLI uses it; `flags` holds everything. */
export interface CliArguments {
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** The positional words: a prompt given on the command line. */
  readonly words: readonly string[];
  readonly streamInput: boolean;
  readonly outputFormat: string;
  readonly model: string | undefined;
  readonly sessionId: string | undefined;
  readonly resume: string | undefined;
  /** Whether the newest session is to be continued. */
  readonly continues: boolean;
  readonly permissionMode: string | undefined;
  readonly maxTurns: number;
  readonly maxBudgetUsd: number;
  readonly partialMessages: boolean;
  readonly replayUserMessages: boolean;
  /** Whether permissions are asked over stdio. */
  readonly asksPermission: boolean;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
}

/** Reads a command line the way the CLI does, but accepts unknown flags. */
export function parseArguments(argv: readonly string[]): CliArguments {
  const { flags, words } = split(argv);
  const last = (name: string): string | undefined => flags.get(name)?.at(-1);
  return {
    flags,
    words,
    streamInput: last('--input-format') === 'stream-json',
    outputFormat: last('--output-format') ?? 'text',
    model: last('--model'),
    sessionId: last('--session-id'),
    resume: last('--resume') ?? last('-r'),
    continues: flags.has('--continue') || flags.has('-c'),
    permissionMode: last('--permission-mode'),
    maxTurns: Number(last('--max-turns') ?? 0),
    maxBudgetUsd: Number(last('--max-budget-usd') ?? Number.POSITIVE_INFINITY),
    partialMessages: flags.has('--include-partial-messages'),
    replayUserMessages: flags.has('--replay-user-messages'),
    asksPermission: last('--permission-prompt-tool') === 'stdio',
    allowedTools: listed(flags, '--allowedTools', '--allowed-tools'),
    disallowedTools: listed(flags, '--disallowedTools', '--disallowed-tools'),
  };
}

/** What the CLI prints on stderr before it exits with 1, if it would reject this command line. */
export function refusal(args: CliArguments, rejectedFlags: readonly string[]): string | undefined {
  const rejected = rejectedFlags.find((flag) => args.flags.has(flag));
  if (rejected !== undefined) return `error: unknown option '${rejected}'`;
  if (!choices.includes(args.outputFormat)) {
    return `error: option '--output-format <format>' argument '${args.outputFormat}' is invalid. Allowed choices are ${choices.join(', ')}.`;
  }
  if (args.streamInput && args.outputFormat !== 'stream-json') {
    return 'Error: --input-format=stream-json requires output-format=stream-json.';
  }
  if (args.outputFormat === 'stream-json' && !args.flags.has('--verbose')) {
    return 'Error: When using --print, --output-format=stream-json requires --verbose';
  }
  if (args.replayUserMessages && !args.streamInput) {
    return 'Error: --replay-user-messages requires both --input-format=stream-json and --output-format=stream-json.';
  }
  if (args.sessionId !== undefined && !UUID.test(args.sessionId))
    return 'Error: Invalid session ID. Must be a valid UUID.';
  const goesOn = args.resume !== undefined || args.continues;
  if (args.sessionId !== undefined && goesOn && !args.flags.has('--fork-session')) {
    return 'Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.';
  }
  if (args.flags.has('--resume-session-at') && args.resume === undefined) {
    return 'Error: --resume-session-at requires --resume';
  }
  return undefined;
}

const choices: readonly string[] = ['text', 'json', 'stream-json'];

/** Flags without a value; every other flag takes the words after it that are not flags. */
const switches: ReadonlySet<string> = new Set([
  '--print',
  '-p',
  '--verbose',
  '--version',
  '-v',
  '--continue',
  '-c',
  '--fork-session',
  '--include-partial-messages',
  '--replay-user-messages',
  '--include-hook-events',
  '--strict-mcp-config',
  '--no-session-persistence',
  '--debug-to-stderr',
  '--dangerously-skip-permissions',
  '--allow-dangerously-skip-permissions',
  '--await-initialize',
  '--bare',
  '--safe-mode',
]);

const lists: ReadonlySet<string> = new Set([
  '--allowedTools',
  '--allowed-tools',
  '--disallowedTools',
  '--disallowed-tools',
  '--tools',
  '--mcp-config',
  '--add-dir',
  '--betas',
]);

function split(argv: readonly string[]): { flags: Map<string, string[]>; words: string[] } {
  const flags = new Map<string, string[]>();
  const words: string[] = [];
  let open: string | undefined;
  for (const [index, token] of argv.entries()) {
    if (token === '--') {
      words.push(...argv.slice(index + 1));
      break;
    }
    if (token.startsWith('-') && token !== '-') {
      const [name = token, ...value] = token.split('=');
      const values = flags.get(name) ?? [];
      flags.set(name, values);
      open = value.length === 0 && !switches.has(name) ? name : undefined;
      if (value.length > 0) values.push(value.join('='));
    } else if (open === undefined) {
      words.push(token);
    } else {
      flags.get(open)?.push(token);
      if (!lists.has(open)) open = undefined;
    }
  }
  return { flags, words };
}

/** The tool rules of a flag: separated by commas or spaces, but not inside parentheses. */
function listed(flags: ReadonlyMap<string, readonly string[]>, ...names: string[]): string[] {
  const text = names.flatMap((name) => flags.get(name) ?? []).join(',');
  return text.match(/[^,\s(]+(\([^)]*\))?/g) ?? [];
}
