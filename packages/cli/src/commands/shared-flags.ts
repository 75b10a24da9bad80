import { type Command, InvalidArgumentError, Option } from 'commander';

/** The flags that say what the agent is and may. */
export function addAgentFlags(command: Command): Command {
  return command
    .optionsGroup('Agent:')
    .option('-m, --model <name>', 'the model: an alias such as sonnet, or a full name')
    .option('--effort <level>', 'how hard the model tries: low, medium, high …')
    .option('--system-prompt <text>', "replaces Claude Code's system prompt")
    .option('--append-system-prompt <text>', 'is added to the system prompt')
    .option('--cwd <dir>', 'where the tools work')
    .option('--add-dir <dir>', 'a further folder they may work in; repeat for more', several)
    .option('--mcp-config <file>', 'a JSON file with MCP servers')
    .option('--setting-sources <list>', 'settings on disk to read: user,project,local; "" for none', list)
    .optionsGroup('Permissions:')
    .option('-a, --allow <rule>', 'allow without asking: Read, "Bash(git log *)"; repeat for more', several)
    .option('-d, --deny <rule>', 'never allow; repeat for more', several)
    .addOption(new Option('--permission-mode <mode>', 'what happens to what no rule decides').choices(PERMISSION_MODES))
    .option('--allow-dangerously-skip-permissions', 'must go with --permission-mode bypassPermissions')
    .optionsGroup('Limits:')
    .option('--max-turns <n>', 'how many turns the agent may take', wholeNumber)
    .option('--max-budget-usd <n>', 'how many dollars it may cost', positive)
    .option('--timeout <seconds>', 'how long a turn may take', positive)
    .optionsGroup('Conversation:')
    .option('-r, --resume <id>', 'go on with this conversation')
    .option('-c, --continue', 'go on with the newest conversation of the folder')
    .option('--fork', 'with --resume or --continue: go on in a copy')
    .option('--no-persist', 'keep the conversation off the disk')
    .optionsGroup('Claude Code:')
    .option('--cli <which>', 'auto, pinned, global, or a path')
    .option('--cli-version <version>', 'with --cli pinned: the release to use')
    .option('--demo', 'a scripted agent instead: no key, no network');
}

/** Those of all releases; `manual` is what newer ones call `default`. */
const PERMISSION_MODES = ['default', 'manual', 'acceptEdits', 'plan', 'dontAsk', 'auto', 'bypassPermissions'];

/** The flags that say what is shown. */
export function addOutputFlags(command: Command, ...without: ('json' | 'quiet')[]): Command {
  command.optionsGroup('Output:');
  if (!without.includes('json')) command.addOption(new Option('--json', 'everything as NDJSON on stdout'));
  if (!without.includes('quiet')) command.addOption(new Option('-q, --quiet', 'nothing but the answer'));
  return command
    .option('--thinking', 'all that the model thinks, not just that it does')
    .option('--no-input', 'never ask; what would be asked about is refused')
    .option('--no-color', 'no colours (NO_COLOR works, too)')
    .option('--debug', 'what goes on inside, on stderr');
}

function several(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function list(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/** For flags that count. @throws InvalidArgumentError */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(value);
}

function positive(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || number <= 0)
    throw new InvalidArgumentError('It must be a number above 0.');
  return number;
}
