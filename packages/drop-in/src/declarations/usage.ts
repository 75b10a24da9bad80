import type { ExtraUsage, SessionCosts } from './reports.ts';

/** The usage of the context window. */
export type SDKControlGetContextUsageResponse = {
  categories: {
    id?:
      | 'system_prompt'
      | 'system_tools'
      | 'mcp_tools'
      | 'mcp_instructions'
      | 'mcp_tools_deferred'
      | 'system_tools_deferred'
      | 'custom_agents'
      | 'memory_files'
      | 'skills'
      | 'messages'
      | 'autocompact_buffer'
      | 'compact_buffer'
      | 'free_space';
    name: string;
    tokens: number;
    color: string;
    kind: 'used' | 'free' | 'buffer' | 'deferred';
    isDeferred?: boolean;
  }[];
  totalTokens: number;
  maxTokens: number;
  rawMaxTokens: number;
  percentage: number;
  /** The squares of the picture that the terminal shows. */
  gridRows: {
    color: string;
    isFilled: boolean;
    categoryName: string;
    tokens: number;
    percentage: number;
    squareFullness: number;
  }[][];
  model: string;
  memoryFiles: { path: string; type: string; tokens: number }[];
  mcpTools: { name: string; serverName: string; tokens: number; isLoaded?: boolean }[];
  mcpInstructions?: { serverName: string; tokens: number }[];
  deferredBuiltinTools?: { name: string; tokens: number; isLoaded: boolean }[];
  systemTools?: Tokens[];
  systemPromptSections?: Tokens[];
  agents: { agentType: string; source: string; pluginId?: string; path?: string; tokens: number }[];
  slashCommands?: { totalCommands: number; includedCommands: number; tokens: number };
  skills?: {
    totalSkills: number;
    includedSkills: number;
    tokens: number;
    skillFrontmatter: {
      name: string;
      source: string;
      pluginName?: string;
      pluginId?: string;
      path?: string;
      tokens: number;
    }[];
  };
  autoCompactThreshold?: number;
  isAutoCompactEnabled: boolean;
  messageBreakdown?: {
    toolCallTokens: number;
    toolResultTokens: number;
    attachmentTokens: number;
    assistantMessageTokens: number;
    userMessageTokens: number;
    redirectedContextTokens: number;
    unattributedTokens: number;
    toolCallsByType: { name: string; callTokens: number; resultTokens: number }[];
    attachmentsByType: Tokens[];
  };
  apiUsage: {
    input_tokens: number;
    output_tokens: number;
    cache_creation_input_tokens: number;
    cache_read_input_tokens: number;
  } | null;
};

type Tokens = { name: string; tokens: number };

/** Costs and limits. */
export type SDKControlGetUsageResponse = {
  session: SessionCosts;
  subscription_type: string | null;
  rate_limits_available: boolean;
  rate_limits: {
    five_hour?: Window | null;
    seven_day?: Window | null;
    seven_day_oauth_apps?: Window | null;
    seven_day_opus?: Window | null;
    seven_day_sonnet?: Window | null;
    model_scoped?: (Window & { display_name: string })[];
    extra_usage?: ExtraUsage | null;
  } | null;
  behaviors: { day: Behaviors; week: Behaviors } | null;
};

type Window = { utilization: number | null; resets_at: string | null };

type Behaviors = {
  request_count: number;
  session_count: number;
  behaviors: {
    key:
      | 'cache_miss'
      | 'long_context'
      | 'subagent_heavy'
      | 'high_parallel'
      | 'cron'
      | 'max_effort'
      | 'workflow'
      | 'always_on_context'
      | 'large_tool_results';
    pct: number;
    count: number;
  }[];
  recommendations?: { key: string; pct: number; title: string; detail?: string }[];
  fix?: { keys: string[]; messages: string[] };
  agents: Share[];
  skills: Share[];
  plugins: Share[];
  mcp_servers: Share[];
};

type Share = { name: string; pct: number };
