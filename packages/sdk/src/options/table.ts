import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import { UUID } from '@coxswain/shared/uuid';
import { defaultLimits } from '../limits.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { knownModes } from '../wire/permission-mode.ts';
import {
  type Check,
  callback,
  either,
  flag,
  having,
  list,
  oneOf,
  openWord,
  positive,
  record,
  refusing,
  shape,
  text,
  whole,
  wrong,
} from './checks.ts';
import { ownsFlag } from './flag-table.ts';
import { hooksCheck, hookTimeoutCheck, hostCallback } from './hooks-check.ts';
import { isolateCheck } from './isolate.ts';
import type { OptionName } from './option-types.ts';
import { outputSchemaCheck } from './output-schema.ts';
import { agentTools, allowRules, denyRules, settingsDenyRules } from './permission-rule.ts';
import { sandboxCheck } from './sandbox.ts';
import { isSdkServer } from './sdk-server.ts';
import { settingsObject } from './settings-check.ts';

const isString = (value: unknown): boolean => typeof value === 'string';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const unchecked: Check = (value) => value;

const line = text();
const words = list(line);
const milliseconds = whole(1, LONGEST_TIMER_MS);
const strings = record(text({ empty: true }));
const source = oneOf('user', 'project', 'local');
const effort = openWord('low', 'medium', 'high', 'xhigh', 'max');
const permissionMode = openWord(...knownModes);

const ofAnyServer = { timeout: whole(0), required: flag };
const stdioServer = shape(
  { type: oneOf('stdio'), command: line, args: list(text({ empty: true })), env: strings, ...ofAnyServer },
  { needs: ['command'], open: true },
);
const remoteServer = shape(
  { type: oneOf('http', 'sse'), url: line, headers: strings, ...ofAnyServer },
  { needs: ['url'], open: true },
);

/** An MCP server that the CLI starts or connects to. */
export const mcpServer: Check = (value, path, report) => {
  if (!isJsonObject(value))
    return wrong(value, path, report, 'an MCP server: an object with a command, or a type and a url');
  const { type } = value;
  if (type === undefined && value.command === undefined && value.url !== undefined) {
    return void report(`${path}.type`, "is missing: a server with a url is 'http' or 'sse'.");
  }
  if (type === undefined || type === 'stdio') return stdioServer(value, path, report);
  if (type === 'http' || type === 'sse') return remoteServer(value, path, report);
  return void oneOf('stdio', 'http', 'sse')(type, `${path}.type`, report);
};
const agentServer: Check = (value, path, report) => {
  if (isJsonObject(value) && value.required !== undefined)
    report(`${path}.required`, 'belongs to mcpServers: the CLI starts this server only when the agent runs.');
  return mcpServer(value, path, report);
};

// Only the official SDK accepts an object here.
const officialPrompt =
  'is a preset of the official SDK. Here the prompt of Claude Code is the default: leave this out, and pass additional text as appendSystemPrompt.';
const officialTools = 'is a preset of the official SDK. Here all built-in tools are the default: leave this out.';
const officialBudget = 'has the form of the official SDK, { total }; here it is the number itself.';

const agent = shape(
  {
    description: line,
    prompt: text({ empty: true }),
    tools: agentTools,
    disallowedTools: settingsDenyRules,
    model: line,
    mcpServers: list(either(isString, line, record(agentServer, { key: line }))),
    skills: words,
    initialPrompt: line,
    maxTurns: whole(1),
    background: flag,
    memory: source,
    effort,
    permissionMode,
  },
  { needs: ['description', 'prompt'], open: true },
);

const thinking: Check = (value, path, report) => {
  const budgeted = isJsonObject(value) && value.type === 'enabled';
  const type = oneOf('adaptive', 'enabled', 'disabled');
  return shape(budgeted ? { type, budgetTokens: whole(1) } : { type }, { needs: ['type'] })(value, path, report);
};

/** True for JSON text, which the CLI would also accept instead of a path. */
const isJson = (value: unknown): boolean => isString(value) && String(value).trimStart().startsWith('{');
const settingsJson = 'must be an object or a path; pass the parsed object, so that it stays off the command line.';
const configJson = 'must be a path; pass the servers as mcpServers, so that they stay off the command line.';

const extraArgName: Check = (value, path, report) => {
  if (!/^[a-z][a-z0-9-]*$/i.test(String(value)))
    return void report(path, 'must be the name of a flag without its dashes.');
  if (ownsFlag(`--${value}`)) report(path, `--${value} is set by the SDK: use the option for it.`);
  return value;
};

const environmentName: Check = text({ pattern: /^[^=]+$/, what: 'a name without an equals sign' });

const limits = shape({
  ...Object.fromEntries(
    Object.entries(defaultLimits).map(([name, value]) => [
      name,
      name.endsWith('Ms') ? whole(0, LONGEST_TIMER_MS) : whole(value === 0 ? 0 : 1),
    ]),
  ),
  hookTimeoutMs: hookTimeoutCheck,
});

/** The check of every option. */
export const optionChecks: Readonly<Record<OptionName, Check>> = {
  model: line,
  fallbackModel: line,
  maxTurns: whole(1),
  maxBudgetUsd: positive,
  taskBudget: refusing(isJsonObject, officialBudget, whole(1)),
  systemPrompt: refusing(isJsonObject, officialPrompt, text({ empty: true })),
  systemPromptFile: line,
  appendSystemPrompt: text({ empty: true }),
  tools: refusing(isJsonObject, officialTools, words),
  allowedTools: allowRules,
  disallowedTools: denyRules,
  mcpConfigPath: refusing(isJson, configJson, line),
  mcpServers: record(either(isSdkServer, unchecked, mcpServer), { key: line }),
  strictMcpConfig: flag,
  permissionMode,
  permissionPromptTool: line,
  allowDangerouslySkipPermissions: flag,
  resume: line,
  resumeAt: line,
  continue: flag,
  forkSession: flag,
  sessionId: text({ pattern: UUID, what: 'a UUID' }),
  persistSession: flag,
  cwd: text({ empty: true }),
  addDirs: words,
  settings: either(isString, refusing(isJson, settingsJson, line), settingsObject),
  settingSources: list(source),
  sandbox: sandboxCheck,
  plugins: list(either(isJsonObject, shape({ path: line }, { needs: ['path'] }), line)),
  agents: record(agent, { key: line }),
  agent: line,
  outputSchema: outputSchemaCheck,
  includePartialMessages: flag,
  thinking,
  maxThinkingTokens: whole(0),
  effort,
  betas: words,
  debug: either(isString, line, flag),
  extraArgs: record(
    either((value) => value === null || typeof value === 'boolean', unchecked, text({ empty: true })),
    { key: extraArgName },
  ),
  cli: line,
  cliVersion: text({ pattern: /^\d+\.\d+\.\d+(-[\w.]+)?$/, what: 'a version such as 2.1.200' }),
  env: record(text({ empty: true }), { key: environmentName, keepUndefined: true }),
  inheritEnv: either(
    (value) => typeof value === 'boolean',
    unchecked,
    list(text({ pattern: /^[^*]*\*?$/, what: 'a name or PREFIX_*' })),
  ),
  apiKey: line,
  maxRetries: whole(0),
  configDir: line,
  sessionStore: having('a session store', 'append', 'load'),
  storeProject: line,
  storeFailure: oneOf('fail', 'warn'),
  storeOnly: flag,
  signal: having('an AbortSignal', 'addEventListener', 'removeEventListener'),
  timeoutMs: milliseconds,
  idleTimeoutMs: milliseconds,
  limits,
  strictExit: flag,
  logger: having('a logger', 'trace', 'debug', 'info', 'warn', 'error'),
  onEvent: callback,
  observers: list(having('an observer', 'opened')),
  onWarning: callback,
  onStderr: callback,
  versionCheck: oneOf('warn', 'off'),
  isolate: isolateCheck,
  orphanGuard: flag,
  transport: either(
    isFunction,
    unchecked,
    having('a transport or a function that creates one', 'start', 'write', 'endInput', 'signal'),
  ),
  spawn: callback,
  title: line,
  forwardSubagentText: flag,
  promptSuggestions: flag,
  agentProgressSummaries: flag,
  planModeInstructions: text(),
  toolAliases: record(line, { key: line }),
  fileCheckpointing: flag,
  hooks: hooksCheck,
  canUseTool: hostCallback('canUseTool(request, context)'),
  allowPermissionUpdates: flag,
  onElicitation: callback,
  onControlRequest: callback,
};
