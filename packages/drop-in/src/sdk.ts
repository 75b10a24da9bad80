// All names of the official SDK. One file, which is built to `sdk.mjs` at the root of the package.

export {
  BUILTIN_TOOL_NAMES,
  EXIT_REASONS,
  HOOK_EVENTS,
  LEGACY_TOOL_NAME_ALIASES,
  ORG_POLICY_LIMIT_PREFIXES,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  USAGE_LIMIT_ERROR_PREFIXES,
  USAGE_TRANSITION_PREFIXES,
  USAGE_WARNING_PREFIXES,
} from './constants.ts';
export type * from './declarations/control.ts';
export type { SDKAssistantMessageError, SDKMessageOrigin } from './declarations/envelope.ts';
export type * from './declarations/hook-inputs.ts';
export type * from './declarations/hooks.ts';
export type {
  AnyZodRawShape,
  ElicitationRequest,
  ElicitationResult,
  InferShape,
  McpClaudeAIProxyServerConfig,
  McpHttpServerConfig,
  McpSdkServerConfig,
  McpSdkServerConfigWithInstance,
  McpServerConfig,
  McpServerConfigForProcessTransport,
  McpServerStatusConfig,
  McpServerToolPolicy,
  McpSSEServerConfig,
  McpStdioServerConfig,
  OnElicitation,
  SdkMcpToolDefinition,
} from './declarations/mcp.ts';
export type {
  SDKActiveGoalMessage,
  SDKAssistantMessage,
  SDKAuthStatusMessage,
  SDKConversationResetMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKPromptSuggestionMessage,
  SDKRateLimitEvent,
  SDKRateLimitInfo,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
} from './declarations/messages.ts';
export type * from './declarations/options.ts';
export type * from './declarations/permissions.ts';
export type * from './declarations/query.ts';
export type {
  BackgroundTaskSummary,
  SDKContextUsage,
  SDKContextUsageCategory,
  SDKControlListPermissionRulesResponse,
  SDKControlPermissionRulesState,
  SDKMcpResourceLink,
  SDKPermissionRuleDescription,
  SDKPermissionRuleEntry,
  SDKPermissionWorkspaceDirectory,
  SDKSettingsParseError,
  SDKUsageReport,
  SessionCronSummary,
  Transport,
} from './declarations/reports.ts';
export type * from './declarations/result.ts';
export type * from './declarations/sandbox.ts';
export type * from './declarations/sessions.ts';
export type * from './declarations/settings.ts';
export type * from './declarations/system-messages.ts';
export type * from './declarations/task-messages.ts';
export type * from './declarations/usage.ts';
export { AbortError } from './errors.ts';
export {
  CommandMatcher,
  DirectConnectError,
  DirectConnectTransport,
  FileIndex,
  matchDeniedModels,
  parseDirectConnectUrl,
} from './not-supported.ts';
export { query, startup } from './query/open.ts';
export { prewarm } from './query/prewarm.ts';
export {
  archiveSession,
  deleteSession,
  forkSession,
  renameSession,
  tagSession,
  unarchiveSession,
} from './sessions/change.ts';
export {
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  listSessions,
  listSubagents,
} from './sessions/read.ts';
export { InMemorySessionStore, importSessionToStore } from './sessions/store.ts';
export { foldSessionSummary } from './sessions/summary.ts';
export { filterEscalatingDefaultMode, resolveSettings } from './settings/resolve.ts';
export { tool } from './tools/tool.ts';
export { createSdkMcpServer } from './tools/tool-server.ts';
