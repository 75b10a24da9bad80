import type { AgentOptions, OptionName } from '../options/option-types.ts';
import { jsonSchemaOf } from '../options/output-schema.ts';
import type { OwnedFlag } from '../options/owned-flags.ts';
import { guardedMode } from '../options/resolve.ts';
import { externalServers } from '../options/sdk-server.ts';
import type { PrivateFile } from '../process/transport.ts';

/** The value of a flag: none (`true`), one, the flag repeated for each value, or a private file. */
export type ArgvValue = true | string | readonly string[] | Omit<PrivateFile, 'argvIndex'>;

/** How one option is passed on the command line. */
export interface ArgvRow {
  readonly option: OptionName;
  readonly flag: OwnedFlag;
  /** A session sends the option in `initialize` instead. */
  readonly initialize?: true;
  /** Its value is optional, so it is passed with an equals sign. */
  readonly equals?: true;
  /** The value that a release without the flag assumes. */
  readonly implied?: string;
  /** The file and flag for a value that is too long for the command line. */
  readonly overflow?: { readonly flag: OwnedFlag; readonly name: string };
  /** The value, or `undefined` when the flag is not needed. */
  encode(options: AgentOptions): ArgvValue | undefined;
}

/** Every flag the SDK can send, in the order in which it sends them. */
export const argvTable: readonly ArgvRow[] = [
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
  row('mcpServers', '--mcp-config', mcpServers),
  row('strictMcpConfig', '--strict-mcp-config', bare),
  // Other options may need it too.
  { option: 'permissionMode', flag: '--permission-mode', implied: 'default', encode: guardedMode },
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
  row('settings', '--settings', (settings, { sandbox }) =>
    typeof settings === 'string' ? settings : settingsFile(settings, sandbox),
  ),
  row('sandbox', '--settings', (sandbox, { settings }) =>
    settings === undefined ? settingsFile({}, sandbox) : undefined,
  ),
  row('settingSources', '--setting-sources', commas),
  row('plugins', '--plugin-dir', (plugins) =>
    each(plugins.map((plugin) => (typeof plugin === 'string' ? plugin : plugin.path))),
  ),
  row('agents', '--agents', (agents) => (isEmpty(agents) ? undefined : JSON.stringify(agents)), { initialize: true }),
  row('agent', '--agent', String),
  row('outputSchema', '--json-schema', (schema) => JSON.stringify(jsonSchemaOf(schema)), { initialize: true }),
  row('includePartialMessages', '--include-partial-messages', bare),
  // The CLI ignores a budget beside --thinking.
  row('thinking', '--thinking', (thinking) => (budgetOf(thinking) === undefined ? thinking.type : undefined)),
  row('thinking', '--max-thinking-tokens', (thinking) => budgetOf(thinking)?.toString()),
  row('maxThinkingTokens', '--max-thinking-tokens', String),
  row('effort', '--effort', String),
  row('betas', '--betas', each),
  row('debug', '--debug', (debug) => (typeof debug === 'string' ? debug : bare(debug)), { equals: true }),
  row('title', '--name', String, { initialize: true }),
  row('forwardSubagentText', '--forward-subagent-text', bare, { initialize: true }),
  row('promptSuggestions', '--prompt-suggestions', bare, { initialize: true }),
];

/** The fields of the `initialize` request that come from options: a session keeps large or private values off the command line. */
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
  };
}

type Given<K extends OptionName> = NonNullable<AgentOptions[K]>;

function row<K extends OptionName>(
  option: K,
  flag: OwnedFlag,
  encode: (given: Given<K>, options: AgentOptions) => ArgvValue | undefined,
  more: Omit<ArgvRow, 'option' | 'flag' | 'encode'> = {},
): ArgvRow {
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

/** An empty list is sent: it means none. */
function commas(items: readonly string[]): string {
  return items.join(',');
}

function commasIfAny(items: readonly string[]): string | undefined {
  return items.length > 0 ? commas(items) : undefined;
}

function isEmpty(given: object): boolean {
  return Object.keys(given).length === 0;
}

function mcpServers(servers: Given<'mcpServers'>): ArgvValue | undefined {
  const external = externalServers(servers);
  // Always a file: any part of it may contain a token, also the path of a URL or an argument of the server.
  return isEmpty(external) ? undefined : { name: 'mcp.json', content: JSON.stringify({ mcpServers: external }) };
}

function settingsFile(settings: Exclude<Given<'settings'>, string>, sandbox: AgentOptions['sandbox']): ArgvValue {
  const inSettings = settings.sandbox;
  const merged = sandbox && { sandbox: { ...(typeof inSettings === 'object' ? inSettings : {}), ...sandbox } };
  // 2.1.197 resolves the real path of its settings, which a file without a name does not have.
  return { name: 'settings.json', content: JSON.stringify({ ...settings, ...merged }), named: true };
}

function budgetOf(thinking: Given<'thinking'>): number | undefined {
  return thinking.type === 'enabled' ? thinking.budgetTokens : undefined;
}
