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
  apiProvider?:
    | 'firstParty'
    | 'bedrock'
    | 'vertex'
    | 'foundry'
    | 'anthropicAws'
    | 'anthropicGoogleCloud'
    | 'mantle'
    | 'gateway';
};

export type FastModeState = 'off' | 'cooldown' | 'on';
export type FastModeDisabledReason =
  | 'free'
  | 'preference'
  | 'extra_usage_disabled'
  | 'network_error'
  | 'unknown'
  | 'not_first_party'
  | 'disabled_by_env'
  | 'model_not_allowed'
  | 'sdk_opt_in_required'
  | 'pending';
export type ApiKeySource =
  | 'ANTHROPIC_API_KEY'
  | 'apiKeyHelper'
  | '/login managed key'
  | 'none'
  | 'user'
  | 'project'
  | 'org'
  | 'temporary'
  | 'oauth';

/** The CLI's complete answer to the handshake. */
export type SDKControlInitializeResponse = {
  commands: SlashCommand[];
  agents: AgentInfo[];
  output_style: string;
  available_output_styles: string[];
  models: ModelInfo[];
  account: AccountInfo;
  mcp_servers_applied?: boolean;
  hooks_applied?: boolean;
  hook_on_failure_supported?: boolean;
  plugins_applied?: boolean;
  claude_code_version?: string;
  sdk_mcp_manifests_parked?: Record<
    string,
    'parked' | 'already_connected' | 'protocol_version_mismatch' | 'malformed' | 'not_honoured'
  >;
  fast_mode_state?: FastModeState;
  fast_mode_disabled_reason?: FastModeDisabledReason;
};

export type SDKControlInterruptResponse = { still_queued: string[]; cancelled?: string[] };

export type McpServerProvenance = { name: string; source: string };

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
  cache_impact?: {
    mcp_servers_added: string[];
    mcp_servers_removed: string[];
    lsp_tool_change: 'adds' | 'may-add' | 'removes' | 'may-remove' | null;
  };
};

export type SDKControlReloadSkillsResponse = { skills: SlashCommand[] };
export type SDKControlReloadOutputStylesResponse = { available_output_styles: string[] };

export type SDKControlMcpReadResourceResponse = {
  contents: { uri: string; mimeType?: string; text?: string; blob?: string; _meta?: Record<string, unknown> }[];
};

export type SDKControlRequest = {
  type: 'control_request';
  request_id: string;
  request: { subtype: string; [field: string]: unknown };
};

export type SDKControlResponse = {
  type: 'control_response';
  response:
    | (Pending & { subtype: 'success'; request_id: string; response?: Record<string, unknown> })
    | (Pending & { subtype: 'error'; request_id: string; error: string });
};

type Pending = {
  pending_permission_requests?: SDKControlRequest[];
  pending_user_dialog_requests?: SDKControlRequest[];
  pending_elicitation_requests?: SDKControlRequest[];
};
