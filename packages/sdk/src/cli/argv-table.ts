import type { AgentOptions, OptionName } from '../options/option-types.ts';
import { jsonSchemaOf } from '../options/output-schema.ts';
import type { OwnedFlag } from '../options/owned-flags.ts';
import { guardedMode } from '../options/resolve.ts';
import { externalServers } from '../options/sdk-server.ts';

/**
 * The value of a flag: none, one, the flag repeated for each value, or a private file. A value is `implied` when a release
 * without the flag behaves the same way.
 */
export type ArgvValue =
  | { readonly kind: 'bare' }
  | { readonly kind: 'value'; readonly text: string; readonly implied?: boolean }
  | { readonly kind: 'each'; readonly texts: readonly string[] }
  | { readonly kind: 'file'; readonly name: string; readonly content: string; readonly named?: boolean };

/** How one option is passed on the command line. */
export interface ArgvRow {
  readonly option: OptionName;
  readonly flag: OwnedFlag;
  /** Other options may need the flag too. */
  readonly always?: true;
  /** A session sends the option in `initialize` instead. */
  readonly initialize?: true;
  /** Its value is optional, so it is passed with an equals sign. */
  readonly equals?: true;
  /** The file and flag for a value that is too long for the command line. */
  readonly overflow?: { readonly flag: OwnedFlag; readonly name: string };
  /** The value, or `undefined` when the flag is not needed. */
  encode(options: AgentOptions): ArgvValue | undefined;
}

/** Every flag the SDK can send, in the order in which it sends them. */
export const argvTable: readonly ArgvRow[] = [
  row('model', '--model', value),
  row('fallbackModel', '--fallback-model', value),
  row('maxTurns', '--max-turns', value),
  row('maxBudgetUsd', '--max-budget-usd', value),
  row('taskBudget', '--task-budget', value),
  row('systemPrompt', '--system-prompt', value, {
    initialize: true,
    overflow: { flag: '--system-prompt-file', name: 'system-prompt.txt' },
  }),
  row('systemPromptFile', '--system-prompt-file', value),
  row('appendSystemPrompt', '--append-system-prompt', value, {
    initialize: true,
    overflow: { flag: '--append-system-prompt-file', name: 'append-system-prompt.txt' },
  }),
  row('tools', '--tools', commas),
  row('allowedTools', '--allowedTools', commasIfAny),
  row('disallowedTools', '--disallowedTools', commasIfAny),
  row('mcpConfigPath', '--mcp-config', value),
  row('mcpServers', '--mcp-config', mcpServers),
  row('strictMcpConfig', '--strict-mcp-config', bare),
  {
    option: 'permissionMode',
    flag: '--permission-mode',
    always: true,
    encode(options) {
      const mode = guardedMode(options);
      return mode === undefined ? undefined : { kind: 'value', text: mode, implied: mode === 'default' };
    },
  },
  row('permissionPromptTool', '--permission-prompt-tool', value),
  row('allowDangerouslySkipPermissions', '--allow-dangerously-skip-permissions', bare),
  row('resume', '--resume', value),
  row('resumeAt', '--resume-session-at', value),
  row('continue', '--continue', bare),
  row('forkSession', '--fork-session', bare),
  row('sessionId', '--session-id', value),
  row('persistSession', '--no-session-persistence', (persist) => bare(!persist)),
  row('addDirs', '--add-dir', each),
  row('settings', '--settings', (settings, { sandbox }) =>
    typeof settings === 'string' ? value(settings) : settingsFile(settings, sandbox),
  ),
  row('sandbox', '--settings', (sandbox, { settings }) =>
    settings === undefined ? settingsFile({}, sandbox) : undefined,
  ),
  row('settingSources', '--setting-sources', commas),
  row('plugins', '--plugin-dir', (plugins) =>
    each(plugins.map((plugin) => (typeof plugin === 'string' ? plugin : plugin.path))),
  ),
  row('agents', '--agents', (agents) => jsonIfAny(agents), { initialize: true }),
  row('agent', '--agent', value),
  row('outputSchema', '--json-schema', (schema) => value(JSON.stringify(jsonSchemaOf(schema))), { initialize: true }),
  row('includePartialMessages', '--include-partial-messages', bare),
  // The CLI ignores a budget beside --thinking.
  row('thinking', '--thinking', (thinking) => (budgetOf(thinking) === undefined ? value(thinking.type) : undefined)),
  row('thinking', '--max-thinking-tokens', (thinking) => {
    const budget = budgetOf(thinking);
    return budget === undefined ? undefined : value(budget);
  }),
  row('maxThinkingTokens', '--max-thinking-tokens', value),
  row('effort', '--effort', value),
  row('betas', '--betas', each),
  row('debug', '--debug', (debug) => (typeof debug === 'string' ? value(debug) : bare(debug)), { equals: true }),
  row('title', '--name', value, { initialize: true }),
  row('forwardSubagentText', '--forward-subagent-text', bare, { initialize: true }),
  row('promptSuggestions', '--prompt-suggestions', bare, { initialize: true }),
];

/** The fields of the `initialize` request that come from options: a session keeps large or private values off the command line. */
export function initializeFields(options: AgentOptions): Record<string, unknown> {
  const { systemPrompt, outputSchema, agents } = options;
  return {
    systemPrompt: systemPrompt === undefined ? undefined : [systemPrompt],
    appendSystemPrompt: options.appendSystemPrompt,
    agents: agents && Object.keys(agents).length > 0 ? agents : undefined,
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

function bare(on: boolean): ArgvValue | undefined {
  return on ? { kind: 'bare' } : undefined;
}

function value(given: string | number): ArgvValue {
  return { kind: 'value', text: String(given) };
}

function each(texts: readonly string[]): ArgvValue {
  return { kind: 'each', texts };
}

/** An empty list is sent: it means none. */
function commas(items: readonly string[]): ArgvValue {
  return value(items.join(','));
}

function commasIfAny(items: readonly string[]): ArgvValue | undefined {
  return items.length > 0 ? commas(items) : undefined;
}

function jsonIfAny(given: object): ArgvValue | undefined {
  return Object.keys(given).length > 0 ? value(JSON.stringify(given)) : undefined;
}

function mcpServers(servers: Given<'mcpServers'>): ArgvValue | undefined {
  const external = externalServers(servers);
  if (Object.keys(external).length === 0) return undefined;
  // Always a file: any part of it may contain a token, also the path of a URL or an argument of the server.
  return { kind: 'file', name: 'mcp.json', content: JSON.stringify({ mcpServers: external }) };
}

function settingsFile(settings: Exclude<Given<'settings'>, string>, sandbox: AgentOptions['sandbox']): ArgvValue {
  const inSettings = settings.sandbox;
  const merged = sandbox && { sandbox: { ...(typeof inSettings === 'object' ? inSettings : {}), ...sandbox } };
  // 2.1.197 resolves the real path of its settings, which a file without a name does not have.
  return { kind: 'file', name: 'settings.json', content: JSON.stringify({ ...settings, ...merged }), named: true };
}

function budgetOf(thinking: Given<'thinking'>): number | undefined {
  return thinking.type === 'enabled' ? thinking.budgetTokens : undefined;
}
