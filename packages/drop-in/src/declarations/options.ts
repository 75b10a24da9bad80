import type { Readable, Writable } from 'node:stream';
import type { HookCallbackMatcher, HookEvent } from './hooks.ts';
import type { McpServerConfig, McpServerConfigForProcessTransport, OnElicitation } from './mcp.ts';
import type { CanUseTool, PermissionMode } from './permissions.ts';
import type { SandboxSettings } from './sandbox.ts';
import type { SessionStore, SessionStoreFlush } from './sessions.ts';
import type { SettingSource, Settings } from './settings.ts';

export type { PermissionMode };

export type EffortLevel = 'low' | 'medium' | 'high' | 'xhigh' | 'max';
export type SdkBeta = 'context-1m-2025-08-07';
export type ThinkingAdaptive = { type: 'adaptive'; display?: 'summarized' | 'omitted' };
export type ThinkingEnabled = { type: 'enabled'; budgetTokens?: number; display?: 'summarized' | 'omitted' };
export type ThinkingDisabled = { type: 'disabled' };
export type ThinkingConfig = ThinkingAdaptive | ThinkingEnabled | ThinkingDisabled;
export type OutputFormatType = 'json_schema';
export type BaseOutputFormat = { type: OutputFormatType };
export type JsonSchemaOutputFormat = { type: 'json_schema'; schema: Record<string, unknown> };
export type OutputFormat = JsonSchemaOutputFormat;
export type ToolConfig = { askUserQuestion?: { previewFormat?: 'markdown' | 'html' } };
export type SdkPluginConfig = { type: 'local'; path: string; skipMcpDiscovery?: boolean };
export type AgentMcpServerSpec = string | Record<string, McpServerConfigForProcessTransport>;

/** A subagent. */
export type AgentDefinition = {
  description: string;
  tools?: string[];
  disallowedTools?: string[];
  prompt: string;
  model?: string;
  mcpServers?: AgentMcpServerSpec[];
  criticalSystemReminder_EXPERIMENTAL?: string;
  skills?: string[];
  initialPrompt?: string;
  maxTurns?: number;
  autoCompactWindow?: number;
  background?: boolean;
  omitClaudeMd?: boolean;
  memory?: 'user' | 'project' | 'local';
  effort?: EffortLevel | number;
  permissionMode?: PermissionMode;
  observer?: string;
  observerMessage?: string;
};

export type UserDialogRequest = { dialogKind: string; payload: Record<string, unknown>; toolUseID?: string };
export type UserDialogResult = { behavior: 'completed'; result: unknown } | { behavior: 'cancelled' };
export type OnUserDialog = (
  request: UserDialogRequest,
  options: { signal: AbortSignal; requestId: string },
) => Promise<UserDialogResult | null>;

/** A process started by `spawnClaudeCodeProcess`, locally or elsewhere. */
export interface SpawnedProcess {
  stdin: Writable;
  stdout: Readable;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly signalCode?: NodeJS.Signals | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  once(event: 'error', listener: (error: Error) => void): void;
  off(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  off(event: 'error', listener: (error: Error) => void): void;
}

export interface SpawnOptions {
  command: string;
  args: string[];
  cwd?: string;
  env: { [envVar: string]: string | undefined };
  /** Aborted when the process must end. */
  signal: AbortSignal;
}

/** The options of a query. Others are ignored. */
export type Options = {
  abortController?: AbortController;
  additionalDirectories?: string[];
  projectConfigRoot?: string;
  agent?: string;
  agents?: Record<string, AgentDefinition>;
  allowedTools?: string[];
  canUseTool?: CanUseTool;
  continue?: boolean;
  cwd?: string;
  disallowedTools?: string[];
  toolAliases?: Record<string, string>;
  tools?: string[] | { type: 'preset'; preset: 'claude_code' };
  /** Replaces the environment of the host. */
  env?: { [envVar: string]: string | undefined };
  executable?: 'bun' | 'deno' | 'node';
  executableArgs?: string[];
  extraArgs?: Record<string, string | null>;
  fallbackModel?: string;
  enableFileCheckpointing?: boolean;
  toolConfig?: ToolConfig;
  forkSession?: boolean;
  betas?: SdkBeta[];
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  onElicitation?: OnElicitation;
  onUserDialog?: OnUserDialog;
  supportedDialogKinds?: string[];
  perTaskStopAffordance?: boolean;
  persistSession?: boolean;
  sessionStore?: SessionStore;
  sessionStoreFlush?: SessionStoreFlush;
  loadTimeoutMs?: number;
  includeHookEvents?: boolean;
  includePartialMessages?: boolean;
  forwardSubagentText?: boolean;
  verbatimPrompts?: boolean;
  thinking?: ThinkingConfig;
  effort?: EffortLevel;
  /** @deprecated Use `thinking`. */
  maxThinkingTokens?: number;
  maxTurns?: number;
  maxBudgetUsd?: number;
  taskBudget?: { total: number };
  mcpServers?: Record<string, McpServerConfig>;
  mcpServersDelivery?: 'argv' | 'initialize';
  model?: string;
  outputFormat?: OutputFormat;
  pathToClaudeCodeExecutable?: string;
  permissionMode?: PermissionMode;
  planModeInstructions?: string;
  allowDangerouslySkipPermissions?: boolean;
  permissionPromptToolName?: string;
  permissionPrompts?: 'host' | 'none';
  plugins?: SdkPluginConfig[];
  pluginDelivery?: 'argv' | 'initialize';
  promptSuggestions?: boolean;
  agentProgressSummaries?: boolean;
  resume?: string;
  sessionId?: string;
  resumeSessionAt?: string;
  resumeDropsTurn?: string;
  sandbox?: SandboxSettings;
  settings?: string | Settings;
  managedSettings?: Settings;
  settingSources?: SettingSource[];
  skills?: string[] | 'all';
  debug?: boolean;
  debugFile?: string;
  stderr?: (data: string) => void;
  strictMcpConfig?: boolean;
  /** Without it, the system prompt is empty; the preset is Claude Code's own. */
  systemPrompt?:
    | string
    | string[]
    | { type: 'custom'; prompt: string | string[]; snapshot?: boolean }
    | {
        type: 'preset';
        preset: 'claude_code';
        append?: string;
        excludeDynamicSections?: boolean;
        snapshot?: boolean;
      };
  title?: string;
  spawnClaudeCodeProcess?: (options: SpawnOptions) => SpawnedProcess;
};
