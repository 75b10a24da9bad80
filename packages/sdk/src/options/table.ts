import { matcherProblem } from '../hooks/matcher.ts';
import { defaultLimits } from '../limits.ts';
import {
  type Check,
  callback,
  flag,
  having,
  isObject,
  jsonObject,
  LONGEST_TIMER_MS,
  list,
  oneOf,
  positive,
  record,
  shape,
  text,
  whole,
  wrong,
} from './checks.ts';
import type { OptionName } from './groups.ts';
import { outputSchemaCheck } from './output-schema.ts';
import { ownedFlags } from './owned-flags.ts';
import { isSdkServer } from './sdk-server.ts';

/** Which of the three kinds an option is of. */
export type OptionGroup = 'cli' | 'sdk' | 'session';

/** What is known of one option. */
export interface OptionSpec {
  readonly group: OptionGroup;
  readonly check: Check;
  readonly doc: string;
}

/** One option, as a table of them shows it. */
export interface OptionRow {
  readonly name: OptionName;
  readonly group: OptionGroup;
  readonly doc: string;
}

const line = text();
const words = list(line);
const milliseconds = whole(1, LONGEST_TIMER_MS);
const strings = record(text({ empty: true }));
const source = oneOf('user', 'project', 'local');
const effort = text();

const serverTimeout = whole(0);
const stdioServer = shape(
  { type: oneOf('stdio'), command: line, args: list(text({ empty: true })), env: strings, timeout: serverTimeout },
  { needs: ['command'], open: true },
);
const remoteServer = shape(
  { type: oneOf('http', 'sse'), url: line, headers: strings, timeout: serverTimeout },
  { needs: ['url'], open: true },
);

const mcpServer: Check = (value, path, report) => {
  if (!isObject(value))
    return wrong(value, path, report, 'an MCP server: an object with a command, or a type and a url');
  const { type } = value;
  if (type === undefined && value.command === undefined && value.url !== undefined) {
    return void report(`${path}.type`, "is missing: a server with a url is 'http' or 'sse'.");
  }
  if (type === undefined || type === 'stdio') return stdioServer(value, path, report);
  if (type === 'http' || type === 'sse') return remoteServer(value, path, report);
  return void oneOf('stdio', 'http', 'sse')(type, `${path}.type`, report);
};
const mcpServers = record(mcpServer, { key: line });
const anyMcpServer: Check = (value, path, report) => (isSdkServer(value) ? value : mcpServer(value, path, report));

const hook: Check = (value, path, report) => {
  if (typeof value === 'function') return value;
  const matcher: Check = (given, at, say) => {
    if (given === null) return null;
    if (typeof given !== 'string') return wrong(given, at, say, 'a string or null');
    const problem = matcherProblem(given);
    return problem === undefined ? given : void say(at, problem);
  };
  return shape(
    { matcher, run: callback, timeoutMs: milliseconds, onFailure: oneOf('continue', 'block') },
    { needs: ['run'] },
  )(value, path, report);
};
const hooks = record((value, path, report) => (Array.isArray(value) ? list(hook) : hook)(value, path, report), {
  key: line,
});

const agent = shape(
  {
    description: line,
    prompt: text({ empty: true }),
    tools: words,
    disallowedTools: words,
    model: line,
    mcpServers: list((value, path, report) => (typeof value === 'string' ? line : mcpServers)(value, path, report)),
    skills: words,
    initialPrompt: line,
    maxTurns: whole(1),
    background: flag,
    memory: source,
    effort,
    permissionMode: line,
  },
  { needs: ['description', 'prompt'], open: true },
);

const thinking: Check = (value, path, report) => {
  const budgeted = isObject(value) && value.type === 'enabled';
  const type = oneOf('adaptive', 'enabled', 'disabled');
  return shape(budgeted ? { type, budgetTokens: whole(1) } : { type }, { needs: ['type'] })(value, path, report);
};

const settings: Check = (value, path, report) => {
  if (typeof value !== 'string') return jsonObject(value, path, report);
  if (!value.trimStart().startsWith('{')) return line(value, path, report);
  return void report(
    path,
    'must be an object or a path; pass the parsed object, so that it stays off the command line.',
  );
};

const extraArgName: Check = (value, path, report) => {
  if (!/^[a-z][a-z0-9-]*$/i.test(String(value)))
    return void report(path, 'must be the name of a flag without its dashes.');
  if (ownedFlags.some((owned) => owned === `--${value}`)) {
    report(path, `--${value} is set by the SDK: use the option for it.`);
  }
  return value;
};

const environmentName: Check = text({ pattern: /^[^=]+$/, what: 'a name without an equals sign' });

const limits = shape(
  Object.fromEntries(
    Object.entries(defaultLimits).map(([name, value]) => [
      name,
      name.endsWith('Ms') ? whole(0, LONGEST_TIMER_MS) : whole(value === 0 ? 0 : 1),
    ]),
  ),
);

/** Every option there is. */
export const optionSpecs: Readonly<Record<OptionName, OptionSpec>> = {
  model: cli(line, 'Model: an alias or a full name.'),
  fallbackModel: cli(line, 'Model to use when the first is overloaded; a comma-separated list is tried in order.'),
  maxTurns: cli(whole(1), 'Turns after which the run ends.'),
  maxBudgetUsd: cli(positive, 'US dollars after which the run ends.'),
  taskBudget: cli(whole(1), 'Tokens the task should take.'),
  systemPrompt: cli(text({ empty: true }), "Replaces Claude Code's system prompt."),
  systemPromptFile: cli(line, 'File that replaces the system prompt.'),
  appendSystemPrompt: cli(text({ empty: true }), 'Text added to the system prompt.'),
  tools: cli(words, 'Built-in tools there are; `[]` means none.'),
  allowedTools: cli(words, 'Tools and rules allowed without asking.'),
  disallowedTools: cli(words, 'Tools and rules denied, whatever else allows them.'),
  mcpConfigPath: cli(line, 'JSON file that defines MCP servers.'),
  mcpServers: cli(record(anyMcpServer, { key: line }), 'MCP servers by name, the CLI’s or in this process.'),
  strictMcpConfig: cli(flag, 'Only the MCP servers given here.'),
  permissionMode: cli(
    line,
    'What happens to tools no rule covers; left out, `default` with `canUseTool`, else what settings say.',
  ),
  permissionPromptTool: cli(line, 'MCP tool that is asked for permissions.'),
  allowDangerouslySkipPermissions: cli(flag, 'Must be set for `bypassPermissions`.'),
  resume: cli(line, 'Id of the conversation to go on with.'),
  resumeAt: cli(line, 'With `resume`: message after which it is taken up.'),
  continue: cli(flag, 'Goes on with the newest conversation of the working directory.'),
  forkSession: cli(flag, 'Goes on in a copy of the conversation.'),
  sessionId: cli(
    text({ pattern: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i, what: 'a UUID' }),
    'Id of the new conversation, a UUID.',
  ),
  persistSession: cli(flag, '`false` keeps the conversation off the disk.'),
  cwd: cli(text({ empty: true }), "Working directory; the host's by default."),
  addDirs: cli(words, 'Further directories the tools may work in.'),
  settings: cli(settings, 'Settings on top of those on disk: an object or a path.'),
  settingSources: cli(list(source), 'Settings on disk that are read; `[]` means none.'),
  sandbox: cli(jsonObject, 'Sandbox settings, merged into `settings`.'),
  plugins: cli(
    list((value, path, report) =>
      (isObject(value) ? shape({ path: line }, { needs: ['path'] }) : line)(value, path, report),
    ),
    'Directories of plugins to load.',
  ),
  agents: cli(record(agent, { key: line }), 'Subagents by name.'),
  agent: cli(line, 'Agent that runs the conversation itself.'),
  outputSchema: cli(outputSchemaCheck, 'What the answer must look like.'),
  includePartialMessages: cli(flag, 'Sends `stream_event` messages as the model writes.'),
  thinking: cli(thinking, 'Whether the model thinks, and how much.'),
  maxThinkingTokens: cli(whole(0), 'Tokens the model may think; 0 turns thinking off.'),
  effort: cli(effort, 'How hard the model tries.'),
  betas: cli(words, 'Beta features of the API.'),
  debug: cli(
    (value, path, report) => (typeof value === 'string' ? line : flag)(value, path, report),
    "The CLI's debug log.",
  ),
  extraArgs: cli(
    record(
      (value, path, report) =>
        value === null || typeof value === 'boolean' ? value : text({ empty: true })(value, path, report),
      { key: extraArgName },
    ),
    'Further flags, without the dashes.',
  ),

  cli: sdk(line, "Which CLI runs: `'auto'`, `'pinned'`, `'global'` or a path."),
  cliVersion: sdk(
    text({ pattern: /^\d+\.\d+\.\d+(-[\w.]+)?$/, what: 'a version such as 2.1.325' }),
    "Release to use with `cli: 'pinned'`.",
  ),
  env: sdk(
    record(text({ empty: true }), { key: environmentName, keepUndefined: true }),
    'Environment variables of the CLI; `undefined` removes one.',
  ),
  inheritEnv: sdk(
    (value, path, report) =>
      (typeof value === 'boolean' ? flag : list(text({ pattern: /^[^*]*\*?$/, what: 'a name or PREFIX_*' })))(
        value,
        path,
        report,
      ),
    "What is inherited of the host's environment.",
  ),
  apiKey: sdk(line, 'API key; only the CLI gets it.'),
  maxRetries: sdk(whole(0), 'How often a failed API call is tried again.'),
  configDir: sdk(line, 'Configuration directory of the CLI.'),
  signal: sdk(having('an AbortSignal', 'addEventListener', 'removeEventListener'), 'Aborting it ends the run.'),
  timeoutMs: sdk(milliseconds, 'How long the run, or a turn, may take.'),
  idleTimeoutMs: sdk(milliseconds, 'How long the CLI may be silent.'),
  limits: sdk(limits, 'The numbers the SDK waits, holds and counts to.'),
  strictExit: sdk(flag, 'Makes a bad exit after a result an error.'),
  logger: sdk(having('a logger', 'trace', 'debug', 'info', 'warn', 'error'), "Gets the SDK's log lines."),
  onEvent: sdk(callback, 'Called with every event.'),
  onWarning: sdk(callback, 'Called with every warning.'),
  onStderr: sdk(callback, "Called with every line of the CLI's stderr."),
  skipVersionCheck: sdk(flag, "Does not look at the CLI's version."),
  permissiveVersionCheck: sdk(flag, 'Goes on when the version cannot be found out.'),
  orphanGuard: sdk(flag, '`false` does without the guard process.'),
  transport: sdk(
    (value, path, report) =>
      typeof value === 'function'
        ? value
        : having('a transport or a function that makes one', 'start')(value, path, report),
    'Talks to the CLI through this instead of a child process.',
  ),
  spawn: sdk(callback, 'Replaces `child_process.spawn`.'),

  title: session(line, "The conversation's title in lists."),
  forwardSubagentText: session(flag, 'Hands on the text of subagents too.'),
  promptSuggestions: session(flag, 'Sends a suggestion for the next prompt.'),
  fileCheckpointing: session(flag, 'Keeps copies of changed files for `rewindFiles`.'),
  hooks: session(hooks, 'Callbacks at certain points of a turn.'),
  canUseTool: session(callback, 'Decides about tools no rule covers.'),
  onElicitation: session(callback, 'Answers what MCP servers ask the user.'),
  onControlRequest: session(callback, 'Sees control requests the SDK does not know.'),
};

/** The options as rows, for the documentation. */
export function optionsTable(): readonly OptionRow[] {
  // Object.keys says string[]; the keys are the ones the type lists.
  const names = Object.keys(optionSpecs) as OptionName[];
  return names.map((name) => ({ name, group: optionSpecs[name].group, doc: optionSpecs[name].doc }));
}

function cli(check: Check, doc: string): OptionSpec {
  return { group: 'cli', check, doc };
}

function sdk(check: Check, doc: string): OptionSpec {
  return { group: 'sdk', check, doc };
}

function session(check: Check, doc: string): OptionSpec {
  return { group: 'session', check, doc };
}
