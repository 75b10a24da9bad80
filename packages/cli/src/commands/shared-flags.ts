import { type Command, InvalidArgumentError, Option } from 'commander';

/** The flags that configure the agent and its permissions. */
export function addAgentFlags(command: Command): Command {
  return command
    .optionsGroup('Agent:')
    .option('-m, --model <name>', 'the model: an alias such as sonnet, or a full name')
    .option('--effort <level>', 'the effort level of the model: low, medium, high …')
    .option('--system-prompt <text>', "replaces Claude Code's system prompt")
    .option('--append-system-prompt <text>', 'adds to the system prompt')
    .option('--cwd <dir>', 'the working directory of the tools')
    .option('--add-dir <dir>', 'an additional directory for the tools; repeat for more', several)
    .option('--mcp-config <file>', 'a JSON file with MCP servers')
    .option('--setting-sources <list>', 'settings on disk to read: user,project,local; "" for none', list)
    .optionsGroup('Permissions:')
    .option('-a, --allow <rule>', 'allow without asking: Read, "Bash(git log *)"; repeat for more', several)
    .option('-d, --deny <rule>', 'never allow; repeat for more', several)
    .addOption(
      new Option('--permission-mode <mode>', 'what happens to calls that no rule decides').choices(PERMISSION_MODES),
    )
    .option('--allow-dangerously-skip-permissions', 'required by --permission-mode bypassPermissions')
    .optionsGroup('Limits:')
    .option('--max-turns <n>', 'how many turns the agent may take', wholeNumber)
    .option('--max-budget-usd <n>', 'how many dollars it may cost', positive)
    .option('--timeout <seconds>', 'how long a turn may take', positive)
    .optionsGroup('Conversation:')
    .option('-r, --resume <id>', 'continue this conversation')
    .option('-c, --continue', 'continue the newest conversation of the folder')
    .option('--fork', 'with --resume or --continue: continue in a copy')
    .option('--no-persist', 'do not keep the conversation on disk')
    .optionsGroup('Claude Code:')
    .option('--cli <which>', 'auto, pinned, global, or a path')
    .option('--cli-version <version>', 'with --cli pinned: the release to use')
    .option('--demo', 'a scripted agent instead: no key, no network');
}

/** The modes of all releases; `manual` is the newer name of `default`. */
const PERMISSION_MODES = ['default', 'manual', 'acceptEdits', 'plan', 'dontAsk', 'auto', 'bypassPermissions'];

/** The flags that configure the output. */
export function addOutputFlags(command: Command, ...without: ('json' | 'quiet')[]): Command {
  command.optionsGroup('Output:');
  if (!without.includes('json')) command.addOption(new Option('--json', 'everything as NDJSON on stdout'));
  if (!without.includes('quiet')) command.addOption(new Option('-q, --quiet', 'only the answer'));
  return command
    .option('--thinking', 'show the complete thinking of the model')
    .option('--no-input', 'never ask; refuse calls that need permission')
    .option('--no-color', 'no colours (NO_COLOR also works)')
    .option('--debug', "events, log lines and the CLI's stderr, on stderr");
}

/** Collects the values of a flag that is given several times. */
export function several(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function list(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Parses a count. @throws InvalidArgumentError */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(value);
}

/** Parses a number that may be 0. @throws InvalidArgumentError */
export function wholeOrZero(value: string): number {
  return value === '0' ? 0 : wholeNumber(value);
}

/** Parses an amount. @throws InvalidArgumentError */
export function positive(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || number <= 0)
    throw new InvalidArgumentError('It must be a number above 0.');
  return number;
}

/** Parses a limit that `none` removes; commander replaces null. @throws InvalidArgumentError */
export function orNone(parse: (value: string) => number): (value: string) => number | 'none' {
  return (value) => (value === 'none' ? value : parse(value));
}

/** Parses a share. @throws InvalidArgumentError */
export function fraction(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number >= 0 && number <= 1))
    throw new InvalidArgumentError('It must be a number from 0 to 1.');
  return number;
}

/** Parses a port; 0 is any free one. @throws InvalidArgumentError */
export function port(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new InvalidArgumentError('It must be a port, 0 to 65535.');
  return Number(value);
}

/** Parses the priority of a turn. @throws InvalidArgumentError */
export function priority(value: string): number {
  if (!/^-?\d{1,4}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}
