import type { McpServerStatusConfig } from './mcp.ts';

export type SlashCommand = {
  name: string;
  description: string;
  argumentHint: string;
  aliases?: string[];
  builtin?: boolean;
};

export type ModelInfo = {
  value: string;
  resolvedModel?: string;
  displayName: string;
  description: string;
  supportsEffort?: boolean;
  supportedEffortLevels?: ('low' | 'medium' | 'high' | 'xhigh' | 'max')[];
  supportsAdaptiveThinking?: boolean;
  supportsFastMode?: boolean;
  supportsAutoMode?: boolean;
};

export type AgentInfo = { name: string; description: string; model?: string };

export type AccountInfo = {
  email?: string;
  organization?: string;
  subscriptionType?: string;
  tokenSource?: string;
  apiKeySource?: string;
  apiProvider?: string;
};

export type FastModeState = string;
export type FastModeDisabledReason = string;
export type ApiKeySource = string;

/** The CLI's complete answer to the handshake. */
export type SDKControlInitializeResponse = {
  commands: SlashCommand[];
  agents: AgentInfo[];
  output_style: string;
  available_output_styles: string[];
  models: ModelInfo[];
  account: AccountInfo;
  hooks_applied?: boolean;
  hook_on_failure_supported?: boolean;
  plugins_applied?: boolean;
  claude_code_version?: string;
  fast_mode_state?: FastModeState;
  fast_mode_disabled_reason?: FastModeDisabledReason;
};

export type SDKControlInterruptResponse = { still_queued: string[]; cancelled?: string[] };

export type McpServerProvenance = string;

export type McpServerStatus = {
  name: string;
  status: 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';
  serverInfo?: { name: string; version: string };
  error?: string;
  config?: McpServerStatusConfig;
  scope?: string;
  source?: string;
  tools?: {
    name: string;
    description?: string;
    annotations?: { readOnly?: boolean; destructive?: boolean; openWorld?: boolean };
    _meta?: Record<string, unknown>;
  }[];
};

export type McpSetServersResult = { added: string[]; removed: string[]; errors: Record<string, string> };

export type RewindFilesResult = {
  canRewind: boolean;
  error?: string;
  filesChanged?: string[];
  insertions?: number;
  deletions?: number;
  skippedLinks?: number;
};

export type SDKControlReadFileResponse = {
  contents: string;
  absPath: string;
  truncated?: boolean;
  encoding?: 'base64';
  lossy?: boolean;
};

export type SDKControlReloadPluginsResponse = {
  commands: SlashCommand[];
  agents: AgentInfo[];
  plugins: { name: string; path: string; source?: string; version?: string }[];
  mcpServers: McpServerStatus[];
  error_count: number;
  held?: boolean;
  cache_impact?: Record<string, unknown>;
};

export type SDKControlReloadSkillsResponse = { skills: SlashCommand[] };
export type SDKControlReloadOutputStylesResponse = { available_output_styles: string[] };

export type SDKControlMcpReadResourceResponse = {
  contents: { uri: string; mimeType?: string; text?: string; blob?: string; _meta?: Record<string, unknown> }[];
};

/** The usage of the context window. Fields that are not listed depend on the release. */
export type SDKControlGetContextUsageResponse = {
  categories: { name: string; tokens: number; color: string; isDeferred?: boolean; [field: string]: unknown }[];
  totalTokens: number;
  maxTokens: number;
  rawMaxTokens: number;
  percentage: number;
  model: string;
  [field: string]: unknown;
};

/** Costs and limits. Fields that are not listed depend on the release. */
export type SDKControlGetUsageResponse = {
  session: Record<string, unknown>;
  subscription_type: string | null;
  rate_limits_available: boolean;
  rate_limits: Record<string, unknown> | null;
  behaviors?: unknown;
  [field: string]: unknown;
};

export type SDKControlRequest = {
  type: 'control_request';
  request_id: string;
  request: { subtype: string; [field: string]: unknown };
};

export type SDKControlResponse = {
  type: 'control_response';
  response:
    | { subtype: 'success'; request_id: string; response?: Record<string, unknown> }
    | { subtype: 'error'; request_id: string; error: string; error_code?: string };
};
