import type { PermissionUpdateDestination } from './permissions.ts';
import type { ModelUsage } from './result.ts';

export type SDKContextUsageCategory = { name: string; tokens: number; kind: 'used' | 'free' | 'buffer' | 'deferred' };

/** The usage of the context window, in assistant messages. */
export type SDKContextUsage = {
  model: string;
  total_tokens: number;
  raw_max_tokens: number;
  percentage: number;
  over_limit?: { tokens_over: number; kind: 'hard_limit' | 'compaction_window' };
  categories: SDKContextUsageCategory[];
  mcp_tools: { name: string; server_name: string; tokens: number }[];
  memory_files: { path: string; type: string; tokens: number }[];
  agents: { agent_type: string; source: string; tokens: number }[];
  skills?: { name: string; source: string; plugin_name?: string; tokens: number }[];
};

export type SessionCosts = {
  total_cost_usd: number;
  total_api_duration_ms: number;
  total_duration_ms: number;
  total_lines_added: number;
  total_lines_removed: number;
  model_usage: Record<string, ModelUsage>;
};

export type ExtraUsage = {
  is_enabled: boolean;
  monthly_limit: number | null;
  used_credits: number | null;
  utilization: number | null;
  currency?: string | null;
};

/** Costs and limits, in assistant messages. */
export type SDKUsageReport = {
  session: SessionCosts;
  rate_limits: {
    limits:
      | {
          kind: string;
          group: string;
          percent: number;
          resets_at: string | null;
          scope?: { model?: { display_name: string } | null; surface?: { display_name: string } | null } | null;
          severity: string;
          is_active: boolean;
        }[]
      | null;
    extra_usage?: ExtraUsage | null;
  } | null;
};

/** A background task, in the input of a Stop hook. */
export type BackgroundTaskSummary = {
  id: string;
  type: string;
  status: string;
  description: string;
  command?: string;
  agent_type?: string;
  server?: string;
  tool?: string;
  name?: string;
};

/** A scheduled prompt, in the input of a Stop hook. */
export type SessionCronSummary = { id: string; schedule: string; recurring: boolean; prompt: string };

export type SDKMcpResourceLink = {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  annotations?: Record<string, unknown>;
};

export type SDKSettingsParseError = { file?: string; path: string; message: string };
export type SDKPermissionRuleDescription = { prefix: string; emphasis?: string; suffix?: string };
export type SDKPermissionWorkspaceDirectory = { path: string; source: string };

export type SDKPermissionRuleEntry = {
  behavior: 'allow' | 'deny' | 'ask';
  source:
    | PermissionUpdateDestination
    | 'command'
    | 'flagSettings'
    | 'policySettings'
    | 'mcpMount'
    | 'toolsNarrowing'
    | 'mcpServerPolicy'
    | 'hostCredential';
  rule: string;
  description?: SDKPermissionRuleDescription;
  editability: 'persistent' | 'session' | 'readonly';
  notInEffect?: boolean;
};

export type SDKControlPermissionRulesState = {
  rules: SDKPermissionRuleEntry[];
  workspaceDirectories: SDKPermissionWorkspaceDirectory[];
  originalCwd: string;
  managedOnly: boolean;
  errors?: SDKSettingsParseError[];
  withheld?: boolean;
};

export type SDKControlListPermissionRulesResponse = { state: SDKControlPermissionRulesState };

/** Declared by the official SDK, but accepted by no option. Use a transport of coxswain. */
export interface Transport {
  write(data: string): void | Promise<void>;
  close(): void;
  isReady(): boolean;
  readMessages(): AsyncGenerator<unknown, void, unknown>;
  expectControlResponse?(requestId: string): void;
  markDelivered?(message: object): void;
  endInput(): void;
  waitForExit?(): Promise<void>;
  [Symbol.dispose]?(): void;
}
