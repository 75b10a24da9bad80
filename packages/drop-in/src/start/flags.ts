import type { PrivateFile } from 'coxswain/transport';
import type { Options } from '../declarations/options.ts';
import { awaitedServers, ownServers } from './servers.ts';

/** The arguments of the CLI, and the contents of private files among them. */
export interface Flags {
  readonly args: readonly string[];
  /** `argvIndex` counts within `args`. */
  readonly privateFiles: readonly PrivateFile[];
}

const STREAM_JSON = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

/**
 * The arguments for the options. Only known options are read, and like in the official SDK an empty value or `null` is none. With `inline`, the definitions of MCP servers and settings are
 * arguments themselves, because a process of the caller may run where files of this machine cannot be read.
 */
export function flagsFor(options: Options, { inline }: { inline: boolean }): Flags {
  const args = [...STREAM_JSON];
  const privateFiles: PrivateFile[] = [];
  const add = (flag: string, value: string | number | null | undefined | false): void => {
    if (value !== undefined && value !== null && value !== false) args.push(`--${flag}=${value}`);
  };
  const bare = (flag: string, on: boolean | undefined): void => {
    if (on) args.push(`--${flag}`);
  };
  const secret = (flag: string, name: string, content: string): void => {
    args.push(`--${flag}`, content);
    if (!inline) privateFiles.push({ argvIndex: args.length - 1, name, content, named: name === 'settings.json' });
  };

  add('thinking', thinkingMode(options));
  add('max-thinking-tokens', thinkingTokens(options));
  const { thinking } = options;
  if (thinking && thinking.type !== 'disabled') add('thinking-display', thinking.display);
  add('effort', options.effort || undefined);
  add('max-turns', options.maxTurns || undefined);
  add('max-budget-usd', options.maxBudgetUsd);
  add('task-budget', options.taskBudget?.total);
  add('model', options.model || undefined);
  add('agent', options.agent || undefined);
  add('betas', listed(options.betas));
  if (options.outputFormat?.type === 'json_schema') add('json-schema', JSON.stringify(options.outputFormat.schema));
  bare('debug', options.debug);
  add('debug-file', options.debugFile || undefined);
  if (options.canUseTool) add('permission-prompt-tool', 'stdio');
  else add('permission-prompt-tool', options.permissionPromptToolName || undefined);
  add('permission-prompts', options.permissionPrompts || undefined);
  bare('continue', options.continue);
  add('resume', options.resume || undefined);
  add('resume-session-at', options.resumeSessionAt || undefined);
  add('resume-drops-turn', options.resumeDropsTurn);
  bare('fork-session', options.forkSession);
  add('session-id', options.sessionId || undefined);
  bare('session-mirror', Boolean(options.sessionStore));
  bare('no-session-persistence', options.persistSession === false);
  add('allowedTools', listed(allowedTools(options)));
  add('disallowedTools', listed(options.disallowedTools));
  add('tools', Array.isArray(options.tools) ? options.tools.join(',') : options.tools !== undefined && 'default');
  const { external } = ownServers(options.mcpServers);
  if (Object.keys(external).length > 0 && options.mcpServersDelivery !== 'initialize') {
    secret('mcp-config', 'mcp.json', JSON.stringify({ mcpServers: external }));
  }
  bare('strict-mcp-config', options.strictMcpConfig);
  add('setting-sources', options.settingSources?.join(','));
  add('permission-mode', options.permissionMode || undefined);
  bare('allow-dangerously-skip-permissions', options.allowDangerouslySkipPermissions);
  bare('include-hook-events', options.includeHookEvents);
  bare('include-partial-messages', options.includePartialMessages);
  add('fallback-model', options.fallbackModel || undefined);
  for (const dir of options.additionalDirectories ?? []) add('add-dir', dir);
  add('project-config-root', options.projectConfigRoot);
  for (const { path, skipMcpDiscovery } of options.pluginDelivery === 'initialize' ? [] : (options.plugins ?? [])) {
    add(skipMcpDiscovery ? 'plugin-dir-no-mcp' : 'plugin-dir', path);
  }
  bare('await-initialize', options.pluginDelivery === 'initialize' || awaitedServers(options) !== undefined);
  const settings = settingsFor(options);
  if (settings?.path !== undefined) args.push('--settings', settings.path);
  else if (settings) secret('settings', 'settings.json', JSON.stringify(settings.value));
  if (options.managedSettings) args.push('--managed-settings', JSON.stringify(options.managedSettings));
  for (const [name, value] of Object.entries(options.extraArgs ?? {})) {
    // Programs in JavaScript also pass other types.
    const text = value === null ? '' : String(value);
    if (text === '') args.push(`--${name}`);
    else if (text.startsWith('-')) args.push(`--${name}=${text}`);
    else args.push(`--${name}`, text);
  }
  return { args, privateFiles };
}

function listed(items: readonly string[] | undefined): string | undefined {
  return items && items.length > 0 ? items.join(',') : undefined;
}

function thinkingMode({ thinking, maxThinkingTokens }: Options): string | undefined {
  if (!thinking) return maxThinkingTokens === 0 ? 'disabled' : undefined;
  if (thinking.type === 'enabled') return thinking.budgetTokens === undefined ? 'adaptive' : undefined;
  return thinking.type;
}

function thinkingTokens({ thinking, maxThinkingTokens }: Options): number | undefined {
  if (!thinking) return maxThinkingTokens || undefined;
  return thinking.type === 'enabled' ? thinking.budgetTokens : undefined;
}

/** `skills` allows the tool that uses them. */
function allowedTools({ allowedTools = [], skills }: Options): readonly string[] {
  const added = skills === 'all' ? ['Skill'] : (skills ?? []).map((name) => `Skill(${name})`);
  const missing = added.filter((rule) => !allowedTools.includes(rule));
  return missing.length === 0 ? allowedTools : [...allowedTools, ...missing];
}

/** The settings of the options `settings` and `sandbox`: a path, or one object. @throws Error */
function settingsFor({ settings, sandbox }: Options): { path?: string; value?: object } | undefined {
  if (!sandbox) {
    if (settings === undefined || settings === null) return undefined;
    return typeof settings === 'string' ? { path: settings } : { value: settings };
  }
  const own = sandbox.enabled === true ? { failIfUnavailable: true, ...sandbox } : sandbox;
  if (typeof settings !== 'string') return { value: { ...settings, sandbox: own } };
  try {
    return { value: { ...JSON.parse(settings), sandbox: own } };
  } catch (cause) {
    throw new Error('Cannot use both a settings file path and the sandbox option. Put the sandbox into that file.', {
      cause,
    });
  }
}
