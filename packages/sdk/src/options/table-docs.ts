import type { OptionName } from './groups.ts';

/** Which of the three kinds an option is of. */
export type OptionGroup = 'cli' | 'sdk' | 'session';

/** One option, as a table of them shows it. */
export interface OptionRow {
  readonly name: OptionName;
  readonly group: OptionGroup;
  readonly doc: string;
}

/** What each option is for. Nothing that runs needs it, so it is not beside the checks. */
const DOCS = {
  cli: {
    model: 'Model: an alias or a full name.',
    fallbackModel: 'Model to use when the first is overloaded; a comma-separated list is tried in order.',
    maxTurns: 'Turns after which the run ends.',
    maxBudgetUsd: 'US dollars after which the run ends.',
    taskBudget: 'Tokens the task should take.',
    systemPrompt: "Replaces Claude Code's system prompt.",
    systemPromptFile: 'File that replaces the system prompt.',
    appendSystemPrompt: 'Text added to the system prompt.',
    tools: 'Built-in tools there are; `[]` means none.',
    allowedTools: 'Tools and rules allowed without asking.',
    disallowedTools: 'Tools and rules denied, whatever else allows them.',
    mcpConfigPath: 'JSON file that defines MCP servers.',
    mcpServers: 'MCP servers by name, the CLI’s or in this process.',
    strictMcpConfig: 'Only the MCP servers given here.',
    permissionMode:
      'What happens to tools no rule covers; left out, `default` with `canUseTool`, else what settings say.',
    permissionPromptTool: 'MCP tool that is asked for permissions.',
    allowDangerouslySkipPermissions: 'Must be set for `bypassPermissions`.',
    resume: 'Id of the conversation to go on with.',
    resumeAt: 'With `resume`: message after which it is taken up.',
    continue: 'Goes on with the newest conversation of the working directory.',
    forkSession: 'Goes on in a copy of the conversation.',
    sessionId: 'Id of the new conversation, a UUID.',
    persistSession: '`false` keeps the conversation off the disk.',
    cwd: "Working directory; the host's by default.",
    addDirs: 'Further directories the tools may work in.',
    settings: 'Settings on top of those on disk: an object or a path.',
    settingSources: 'Settings on disk that are read; `[]` means none.',
    sandbox: 'Sandbox settings, merged into `settings`.',
    plugins: 'Directories of plugins to load.',
    agents: 'Subagents by name.',
    agent: 'Agent that runs the conversation itself.',
    outputSchema: 'What the answer must look like.',
    includePartialMessages: 'Sends `stream_event` messages as the model writes.',
    thinking: 'Whether the model thinks, and how much.',
    maxThinkingTokens: 'Tokens the model may think; 0 turns thinking off.',
    effort: 'How hard the model tries.',
    betas: 'Beta features of the API.',
    debug: "The CLI's debug log.",
    extraArgs: 'Further flags, without the dashes.',
  },
  sdk: {
    cli: "Which CLI runs: `'auto'`, `'pinned'`, `'global'` or a path.",
    cliVersion: "Release to use with `cli: 'pinned'`.",
    env: 'Environment variables of the CLI; `undefined` removes one.',
    inheritEnv: "What is inherited of the host's environment.",
    apiKey: 'API key; only the CLI gets it.',
    maxRetries: 'How often a failed API call is tried again.',
    configDir: 'Configuration directory of the CLI.',
    signal: 'Aborting it ends the run.',
    timeoutMs: 'How long the run, or a turn, may take.',
    idleTimeoutMs: 'How long the CLI may be silent.',
    limits: 'The numbers the SDK waits, holds and counts to.',
    strictExit: 'Makes a bad exit after a result an error.',
    logger: "Gets the SDK's log lines.",
    onEvent: 'Called with every event.',
    onWarning: 'Called with every warning.',
    onStderr: "Called with every line of the CLI's stderr.",
    skipVersionCheck: "Does not look at the CLI's version.",
    permissiveVersionCheck: 'Goes on when the version cannot be found out.',
    orphanGuard: '`false` does without the guard process.',
    transport: 'Talks to the CLI through this instead of a child process.',
    spawn: 'Replaces `child_process.spawn`.',
  },
  session: {
    title: "The conversation's title in lists.",
    forwardSubagentText: 'Hands on the text of subagents too.',
    promptSuggestions: 'Sends a suggestion for the next prompt.',
    fileCheckpointing: 'Keeps copies of changed files for `rewindFiles`.',
    hooks: 'Callbacks at certain points of a turn.',
    canUseTool: 'Decides about tools no rule covers.',
    onElicitation: 'Answers what MCP servers ask the user.',
    onControlRequest: 'Sees control requests the SDK does not know.',
  },
} satisfies Record<OptionGroup, Partial<Record<OptionName, string>>>;

/** The options as rows, for the documentation. */
export function optionsTable(): readonly OptionRow[] {
  const groups: readonly OptionGroup[] = ['cli', 'sdk', 'session'];
  return groups.flatMap((group) =>
    // Object.entries says string; the keys are the ones the type lists.
    Object.entries(DOCS[group]).map(([name, doc]) => ({ name: name as OptionName, group, doc })),
  );
}
