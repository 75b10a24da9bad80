import type * as control from './control.ts';
import type { McpServerConfig } from './mcp.ts';
import type { SDKMessage, SDKUserMessage } from './messages.ts';
import type { AgentDefinition, EffortLevel, PermissionMode, SdkPluginConfig } from './options.ts';
import type { Settings } from './settings.ts';
import type * as usage from './usage.ts';

type Flags = { [K in keyof Settings]?: K extends 'effortLevel' ? EffortLevel | null : Settings[K] | null };

/** The messages of a query, and its control methods. */
export interface Query extends AsyncGenerator<SDKMessage, void> {
  interrupt(): Promise<control.SDKControlInterruptResponse | undefined>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  setMcpPermissionModeOverride(serverName: string, mode: 'default' | 'auto' | null): Promise<{ warning?: string }>;
  setModel(model?: string): Promise<void>;
  setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: 'summarized' | 'omitted' | 'highlights' | null,
  ): Promise<void>;
  applyFlagSettings(settings: Flags): Promise<void>;
  updateSettings(source: 'localSettings' | 'userSettings', settings: Record<string, unknown>): Promise<void>;
  initializationResult(): Promise<control.SDKControlInitializeResponse>;
  reinitialize(): Promise<control.SDKControlInitializeResponse>;
  supportedCommands(): Promise<control.SlashCommand[]>;
  supportedModels(): Promise<control.ModelInfo[]>;
  supportedAgents(): Promise<control.AgentInfo[]>;
  mcpServerStatus(): Promise<control.McpServerStatus[]>;
  getContextUsage(opts?: { detail?: 'summary' | 'full' }): Promise<usage.SDKControlGetContextUsageResponse>;
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(opts?: {
    skipBehaviors?: boolean;
  }): Promise<usage.SDKControlGetUsageResponse>;
  readFile(
    path: string,
    options?: { maxBytes?: number; encoding?: 'utf-8' | 'base64' },
  ): Promise<control.SDKControlReadFileResponse | null>;
  reloadPlugins(options?: {
    holdOnCacheImpact?: boolean;
    addPlugins?: SdkPluginConfig[];
    refuseIfBusy?: boolean;
  }): Promise<control.SDKControlReloadPluginsResponse>;
  reloadSkills(): Promise<control.SDKControlReloadSkillsResponse>;
  reloadOutputStyles(): Promise<control.SDKControlReloadOutputStylesResponse>;
  accountInfo(): Promise<control.AccountInfo>;
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<control.RewindFilesResult>;
  seedReadState(path: string, mtime: number): Promise<void>;
  reconnectMcpServer(serverName: string): Promise<void>;
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;
  readMcpResource(serverName: string, uri: string): Promise<control.SDKControlMcpReadResourceResponse>;
  setMcpServers(servers: Record<string, McpServerConfig>): Promise<control.McpSetServersResult>;
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  stopTask(taskId: string): Promise<void>;
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /** Ends the query immediately; the process exits shortly after. */
  close(): void;
}

/** A started CLI that waits for its one prompt. */
export interface WarmQuery extends AsyncDisposable {
  query(prompt: string | AsyncIterable<SDKUserMessage>): Query;
  close(): void;
}

export type ClaimOptions = {
  cwd: string;
  env?: Record<string, string>;
  additionalDirectories?: string[];
  model?: string;
  permissionMode?: PermissionMode;
  maxThinkingTokens?: number | null;
  settings?: Flags;
  appendSystemPrompt?: string;
  title?: string;
  agents?: Record<string, AgentDefinition>;
};

/** A started CLI that receives its last options with the prompt. */
export interface SpareProcess extends AsyncDisposable {
  claim(params: { prompt: string | AsyncIterable<SDKUserMessage>; options: ClaimOptions }): Query;
  readonly claimed: Promise<{ cwd: string; sessionId: string; parkedMs?: number; sdkMcpSettled: boolean }>;
  readonly exited: Promise<void>;
  close(): void;
}
