import type { PrivateFile } from '../process/transport.ts';
import type { AgentOptions, OptionName } from './option-types.ts';
import { jsonSchemaOf } from './output-schema.ts';
import { guardedMode } from './permission-mode.ts';
import { sandboxIn } from './sandbox.ts';
import { externalServers, withoutOwnFields } from './sdk-server.ts';

/** The value of a flag: none (`true`), one, the flag repeated for each value, or a private file. */
export type FlagValue = true | string | readonly string[] | Omit<PrivateFile, 'argvIndex'>;

/** How one option is passed on the command line. */
export interface FlagRow {
  readonly option: OptionName;
  readonly flag: string;
  /** The first release with the flag, if some supported releases lack it. Measured. */
  readonly since?: string;
  /** A session sends the option in `initialize` instead. */
  readonly initialize?: true;
  /** The first release to which a session sends the option in `initialize`, which that release awaits. Measured. */
  readonly awaitedSince?: string;
  /** Its value is optional, so it is passed with an equals sign. */
  readonly equals?: true;
  /** The file and the flag to use if the value is too long for the command line. */
  readonly overflow?: { readonly flag: string; readonly name: string };
  /** The value, or `undefined` if the flag is not needed. */
  encode(options: AgentOptions): FlagValue | undefined;
}

/** The first release that awaits `initialize` before it does anything, and takes servers from it. Measured. */
export const AWAITS_SERVERS_SINCE = '2.1.326';

/** Every flag that an option sets, in the order on the command line. */
export const flagTable: readonly FlagRow[] = [
  row('model', '--model', String),
  row('fallbackModel', '--fallback-model', String),
  row('maxTurns', '--max-turns', String),
  row('maxBudgetUsd', '--max-budget-usd', String),
  row('taskBudget', '--task-budget', String),
  row('systemPrompt', '--system-prompt', String, {
    initialize: true,
    overflow: { flag: '--system-prompt-file', name: 'system-prompt.txt' },
  }),
  row('systemPromptFile', '--system-prompt-file', String),
  row('appendSystemPrompt', '--append-system-prompt', String, {
    initialize: true,
    overflow: { flag: '--append-system-prompt-file', name: 'append-system-prompt.txt' },
  }),
  row('tools', '--tools', commas),
  row('allowedTools', '--allowedTools', commasIfAny),
  row('disallowedTools', '--disallowedTools', commasIfAny),
  row('mcpConfigPath', '--mcp-config', String),
  row('mcpServers', '--mcp-config', mcpServersFile, { awaitedSince: AWAITS_SERVERS_SINCE }),
  row('strictMcpConfig', '--strict-mcp-config', bare),
  // Other options may need it too.
  { option: 'permissionMode', flag: '--permission-mode', encode: guardedMode },
  row('permissionPromptTool', '--permission-prompt-tool', String),
  row('allowDangerouslySkipPermissions', '--allow-dangerously-skip-permissions', bare),
  row('resume', '--resume', String),
  row('resumeAt', '--resume-session-at', String),
  row('continue', '--continue', bare),
  row('forkSession', '--fork-session', bare),
  row('sessionId', '--session-id', String),
  row('persistSession', '--no-session-persistence', (persist) => bare(!persist)),
  row('sessionStore', '--session-mirror', () => true),
  row('addDirs', '--add-dir', each),
  row('settings', '--settings', settingsAndSandbox),
  row('sandbox', '--settings', sandboxAlone),
  row('settingSources', '--setting-sources', commas),
  row('plugins', '--plugin-dir', pluginPaths),
  row('agents', '--agents', jsonIfAny, { initialize: true }),
  row('agent', '--agent', String),
  row('outputSchema', '--json-schema', schemaJson, { initialize: true }),
  row('includePartialMessages', '--include-partial-messages', bare),
  row('thinking', '--thinking', thinkingType),
  row('thinking', '--max-thinking-tokens', thinkingBudget),
  row('maxThinkingTokens', '--max-thinking-tokens', String),
  row('effort', '--effort', String),
  row('betas', '--betas', each),
  row('debug', '--debug', (debug) => (typeof debug === 'string' ? debug : bare(debug)), { equals: true }),
  row('title', '--name', String, { initialize: true }),
  row('forwardSubagentText', '--forward-subagent-text', bare, { since: '2.1.211', initialize: true }),
  row('promptSuggestions', '--prompt-suggestions', bare, { since: '2.1.154', initialize: true }),
];

/** The flags of the SDK's run modes, and those with the same effect as a flag in the table. */
const OTHER_FLAGS: readonly string[] = [
  ...['--print', '--input-format', '--output-format', '--verbose', '--replay-user-messages', '--await-initialize'],
  ...['--allowed-tools', '--disallowed-tools', '--dangerously-skip-permissions'],
];

/** True for a flag that `extraArgs` must not name, because the SDK sets it. */
export function ownsFlag(flag: string): boolean {
  return OTHER_FLAGS.includes(flag) || flagTable.some((row) => row.flag === flag || row.overflow?.flag === flag);
}

/** The fields of the `initialize` request that come from options: sessions keep large or private values off the command line. */
export function initializeFields(options: AgentOptions): Record<string, unknown> {
  const { systemPrompt, outputSchema, agents } = options;
  return {
    systemPrompt: systemPrompt === undefined ? undefined : [systemPrompt],
    appendSystemPrompt: options.appendSystemPrompt,
    agents: agents && !isEmpty(agents) ? agents : undefined,
    jsonSchema: outputSchema === undefined ? undefined : jsonSchemaOf(outputSchema),
    title: options.title,
    forwardSubagentText: options.forwardSubagentText,
    promptSuggestions: options.promptSuggestions,
    agentProgressSummaries: options.agentProgressSummaries,
    planModeInstructions: options.planModeInstructions,
    toolAliases: options.toolAliases,
  };
}

/** The fields of an `initialize` request that the CLI awaits: the options with `awaitedSince`. */
export function awaitedFields({ mcpServers }: AgentOptions): Readonly<Record<string, unknown>> {
  return mcpServers ? { mcpServers: definitionsOf(mcpServers) } : {};
}

type Given<K extends OptionName> = NonNullable<AgentOptions[K]>;

function row<K extends OptionName>(
  option: K,
  flag: string,
  encode: (given: Given<K>, options: AgentOptions) => FlagValue | undefined,
  more: Omit<FlagRow, 'option' | 'flag' | 'encode'> = {},
): FlagRow {
  return {
    option,
    flag,
    ...more,
    encode(options) {
      const given = options[option];
      // The compiler cannot follow NonNullable over a generic key.
      return given === undefined ? undefined : encode(given as Given<K>, options);
    },
  };
}

function bare(on: boolean): true | undefined {
  return on || undefined;
}

function each(texts: readonly string[]): readonly string[] | undefined {
  return texts.length > 0 ? texts : undefined;
}

/** An empty list is sent too: it means none. */
function commas(items: readonly string[]): string {
  return items.join(',');
}

function commasIfAny(items: readonly string[]): string | undefined {
  return items.length > 0 ? commas(items) : undefined;
}

function jsonIfAny(given: object): string | undefined {
  return isEmpty(given) ? undefined : JSON.stringify(given);
}

function isEmpty(given: object): boolean {
  return Object.keys(given).length === 0;
}

function mcpServersFile(servers: Given<'mcpServers'>): FlagValue | undefined {
  const external = definitionsOf(servers);
  // Always a file: any part of it may contain a token, even the path of a URL or a server's argument.
  return isEmpty(external) ? undefined : { name: 'mcp.json', content: JSON.stringify({ mcpServers: external }) };
}

/** The servers that the CLI starts or calls, without the fields that it does not read. */
function definitionsOf(servers: Given<'mcpServers'>): object {
  const external = Object.entries(externalServers(servers));
  return Object.fromEntries(external.map(([name, server]) => [name, withoutOwnFields(server)]));
}

function settingsAndSandbox(settings: Given<'settings'>, options: AgentOptions): FlagValue {
  return typeof settings === 'string' ? settings : settingsFile(settings, options);
}

function sandboxAlone(_: Given<'sandbox'>, options: AgentOptions): FlagValue | undefined {
  return options.settings === undefined ? settingsFile({}, options) : undefined;
}

function settingsFile(settings: Exclude<Given<'settings'>, string>, options: AgentOptions): FlagValue {
  const content = JSON.stringify({ ...settings, sandbox: sandboxIn(options) });
  // 2.1.197 resolves the real path of its settings file, and an unnamed file has none.
  return { name: 'settings.json', content, named: true };
}

function pluginPaths(plugins: Given<'plugins'>): readonly string[] | undefined {
  return each(plugins.map((plugin) => (typeof plugin === 'string' ? plugin : plugin.path)));
}

function schemaJson(schema: Given<'outputSchema'>): string {
  return JSON.stringify(jsonSchemaOf(schema));
}

/** The CLI ignores a budget beside `--thinking`. */
function thinkingType(thinking: Given<'thinking'>): string | undefined {
  return thinkingBudget(thinking) === undefined ? thinking.type : undefined;
}

function thinkingBudget(thinking: Given<'thinking'>): string | undefined {
  return thinking.type === 'enabled' ? thinking.budgetTokens?.toString() : undefined;
}
