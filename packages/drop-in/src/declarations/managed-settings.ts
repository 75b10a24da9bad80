type ServerRule = { serverName?: string; serverCommand?: [string, ...string[]]; serverUrl?: string };

/** The settings with which an organisation limits the CLI, and those of logins and MCP servers. */
export interface ManagedSettings {
  apiKeyHelper?: string;
  proxyAuthHelper?: string;
  awsCredentialExport?: string;
  awsAuthRefresh?: string;
  gcpAuthRefresh?: string;
  otelHeadersHelper?: string;
  processWrapper?: string;
  policyHelper?: { path: string; timeoutMs?: number; refreshIntervalMs?: number };
  forceLoginMethod?: 'claudeai' | 'console' | 'gateway';
  forceLoginGatewayUrl?: string;
  forceLoginOrgUUID?: string | string[];
  allowNestedModelAccessUnderForceLogin?: boolean;
  gatewayInternalNetworks?: string[];
  parentSettingsBehavior?: 'first-wins' | 'merge';
  managedSourcesBehavior?: 'first-wins' | 'merge';
  allowedProviders?: (
    | 'anthropic'
    | 'customEndpoint'
    | 'gateway'
    | 'bedrock'
    | 'vertex'
    | 'foundry'
    | 'anthropicAws'
    | 'mantle'
  )[];
  forceRemoteSettingsRefresh?: boolean;
  wslInheritsWindowsSettings?: boolean;
  minimumVersion?: string;
  requiredMinimumVersion?: string;
  requiredMaximumVersion?: string;
  allowManagedPermissionRulesOnly?: boolean;
  allowManagedMcpServersOnly?: boolean;
  allowAllClaudeAiMcps?: boolean;
  allowClaudeInChromeWithManagedMcp?: boolean;
  managedMcpServers?: { [server: string]: { [field: string]: unknown } };
  allowedMcpServers?: ServerRule[];
  deniedMcpServers?: ServerRule[];
  enableAllProjectMcpServers?: boolean;
  enabledMcpjsonServers?: string[];
  disabledMcpjsonServers?: string[];
  disableClaudeAiConnectors?: boolean;
  disableAutoMode?: 'disable';
  disableDeepLinkRegistration?: 'disable';
  disableReplyCheck?: boolean;
  disableAgentView?: boolean;
  disableRemoteControl?: boolean;
  disableWorkflows?: boolean;
  disableArtifact?: boolean;
  disableWindowsBashCommandSplit?: boolean;
}
