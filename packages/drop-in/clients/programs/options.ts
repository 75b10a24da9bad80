// Every option, and the ways in which wrappers decompose the types.
import { spawn } from 'node:child_process';
import type { Options, OutputFormat, Settings, SpawnedProcess } from '@anthropic-ai/claude-agent-sdk';
import * as sdk from '@anthropic-ai/claude-agent-sdk';

const outputFormat: OutputFormat = { type: 'json_schema', schema: { type: 'object', properties: {} } };
const settings: Settings = { model: 'opus', permissions: { allow: ['Read'], deny: [] }, env: { A: '1' } };

export const all: Required<Omit<Options, Left>> = {
  abortController: new AbortController(),
  additionalDirectories: ['/tmp'],
  agent: 'reviewer',
  agents: { reviewer: { description: 'Reviews.', prompt: 'Review.', maxTurns: 2, background: false } },
  allowDangerouslySkipPermissions: true,
  allowedTools: ['Read'],
  betas: ['context-1m-2025-08-07'],
  canUseTool: async () => ({ behavior: 'allow' }),
  continue: false,
  cwd: '/tmp',
  debug: true,
  debugFile: '/tmp/debug.log',
  disallowedTools: ['Bash'],
  effort: 'high',
  enableFileCheckpointing: true,
  env: { A: '1' },
  executable: 'node',
  executableArgs: ['--no-warnings'],
  extraArgs: { 'replay-user-messages': null, name: 'value' },
  fallbackModel: 'haiku',
  forkSession: true,
  forwardSubagentText: true,
  hooks: { Stop: [{ hooks: [async () => ({})] }] },
  includeHookEvents: true,
  includePartialMessages: true,
  managedSettings: settings,
  maxBudgetUsd: 1,
  maxThinkingTokens: 1000,
  maxTurns: 1,
  mcpServers: {},
  mcpServersDelivery: 'argv',
  model: 'sonnet',
  onElicitation: async () => ({ action: 'decline' }),
  onUserDialog: async () => ({ behavior: 'cancelled' }),
  outputFormat,
  pathToClaudeCodeExecutable: '/usr/bin/claude',
  permissionMode: 'dontAsk',
  permissionPromptToolName: 'mcp__a__b',
  persistSession: true,
  plugins: [{ type: 'local', path: '/tmp/plugin' }],
  promptSuggestions: true,
  resume: 'id',
  resumeSessionAt: 'id',
  sandbox: { enabled: true, network: { allowLocalBinding: true } },
  sessionId: 'id',
  settings,
  settingSources: [],
  skills: 'all',
  spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }): SpawnedProcess =>
    spawn(command, args, { cwd, env, signal, stdio: ['pipe', 'pipe', 'inherit'] }),
  stderr: (data) => process.stderr.write(data),
  strictMcpConfig: true,
  supportedDialogKinds: ['a'],
  systemPrompt: ['One.', sdk.SYSTEM_PROMPT_DYNAMIC_BOUNDARY, 'Two.'],
  taskBudget: { total: 10 },
  thinking: { type: 'enabled', budgetTokens: 2000 },
  title: 'A title',
  toolConfig: { askUserQuestion: { previewFormat: 'html' } },
  tools: { type: 'preset', preset: 'claude_code' },
};
type Left =
  | 'agentProgressSummaries'
  | 'loadTimeoutMs'
  | 'perTaskStopAffordance'
  | 'permissionPrompts'
  | 'planModeInstructions'
  | 'pluginDelivery'
  | 'projectConfigRoot'
  | 'resumeDropsTurn'
  | 'sessionStore'
  | 'sessionStoreFlush'
  | 'toolAliases'
  | 'verbatimPrompts';

type Servers = NonNullable<Options['mcpServers']>;
type Prompt = Parameters<typeof sdk.query>[0]['prompt'];
type Running = ReturnType<typeof sdk.query>;

/** A wrapper in the style of tracing libraries. */
export function traced<T extends typeof sdk.query>(run: T): (...args: Parameters<T>) => Running {
  return (...args) => {
    const { prompt, options = {} }: { prompt: Prompt; options?: Options } = args[0];
    const servers: Servers = options.mcpServers ?? {};
    console.log(typeof prompt, Object.keys(servers).length);
    return run({ ...args[0], options: { ...options, stderr: undefined } });
  };
}

export const { query, tool, createSdkMcpServer } = { ...sdk, query: traced(sdk.query) };
export type Events = (typeof sdk.HOOK_EVENTS)[number];
export const event: Events = 'PreToolUse';
