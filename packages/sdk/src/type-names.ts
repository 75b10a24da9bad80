// The entry `coxswain/types`: names for the parts of what the main entry offers. Types only. The members of `HookInputs` and
// `ToolInputs` need no names of their own: `HookInputs['PreToolUse']`, `ToolInputs['Bash']`.

// Parts of inputs and options.
export type { HookInputBase, UnknownHookInput } from './callbacks/hook-inputs.ts';
export type { PermissionRule } from './callbacks/permission-update.ts';
export type { UserQuestion } from './callbacks/tool-inputs.ts';
export type {
  AccountInfo,
  ListedHook,
  ListedName,
  ListedRule,
  McpResourceContent,
  ReloadedPlugins,
  TaskOutput,
  UsageReport,
} from './control/listings.ts';
export type { AgentInfo, CommandInfo, ModelInfo } from './conversation/capabilities.ts';
export type { PlainError } from './errors/redacted.ts';
// Parts of reports and results.
export type { ApiErrorOutcome, RateLimitOutcome } from './messages/api-failure.ts';
// Parts of messages.
export type { AssembledAssistantMessage, AssembledMessage } from './messages/assemble-partials.ts';
export type { ModelCost } from './messages/turn-cost.ts';
export type { McpRemoteServer, McpStdioServer } from './options/mcp-server-config.ts';
export type {
  IsolateOptions,
  JsonSchema,
  SchemaPair,
  StandardSchema,
  StandardSchemaWithJson,
} from './options/option-types.ts';
export type { CancelledJob, FailedJob, FinishedJob } from './pool/job-outcome.ts';
export type { WaitingJob } from './pool/pool.ts';
export type { EventHead } from './report/events.ts';
export type {
  ErrorItem,
  MessageItem,
  PermissionAnswerItem,
  PermissionRequestItem,
  WarningItem,
} from './stream/items.ts';
export type { Gap } from './stream/newest-items.ts';
export type { UserFrame } from './wire/encode.ts';
export type { JsonObject, UnknownKind } from './wire/kinds.ts';
export type {
  ActiveGoalMessage,
  ApiErrorKind,
  ApiMessage,
  AuthStatusMessage,
  AutocompactStateMessage,
  BackgroundTask,
  Base64Source,
  CacheControl,
  CommandLifecycleMessage,
  CompactionBlock,
  ContainerUploadBlock,
  ContentBlockDeltaEvent,
  ContentBlockStartEvent,
  ContentBlockStopEvent,
  ContentDelta,
  ContentSource,
  ConversationResetMessage,
  DeferredToolUse,
  DocumentBlock,
  ErrorEvent,
  FailureResult,
  FallbackBlock,
  FileSource,
  ImageBlock,
  KeepAliveMessage,
  LoadedPlugin,
  McpServerState,
  McpToolResultBlock,
  McpToolUseBlock,
  MessageDeltaEvent,
  MessageOrigin,
  MessageStartEvent,
  MessageStopEvent,
  ModelUsage,
  PermissionDenial,
  PingEvent,
  PromptSuggestionMessage,
  RateLimitEventMessage,
  RateLimitInfo,
  RedactedThinkingBlock,
  SearchResultBlock,
  ServerToolResultBlock,
  ServerToolUseBlock,
  StopReason,
  StreamEvent,
  StreamEventMessage,
  SuccessResult,
  SystemApiRetry,
  SystemBackgroundTasksChanged,
  SystemCommandsChanged,
  SystemCompactBoundary,
  SystemControlRequestProgress,
  SystemElicitationComplete,
  SystemFilesPersisted,
  SystemHookProgress,
  SystemHookResponse,
  SystemHookStarted,
  SystemInformational,
  SystemInit,
  SystemLocalCommandOutput,
  SystemMemoryRecall,
  SystemMirrorError,
  SystemModelFallback,
  SystemModelRefusal,
  SystemNotification,
  SystemPermissionDenied,
  SystemPluginInstall,
  SystemPostTurnSummary,
  SystemSessionMetadata,
  SystemSessionStateChanged,
  SystemSessionTitleChanged,
  SystemSessionWritesLost,
  SystemStatus,
  SystemTaskNotification,
  SystemTaskProgress,
  SystemTaskStarted,
  SystemTaskSummary,
  SystemTaskUpdated,
  SystemThinkingTokens,
  SystemUiInvalidate,
  SystemWorkerShuttingDown,
  TaskUsage,
  TerminalReason,
  TextBlock,
  TextSource,
  ThinkingBlock,
  ToolProgressMessage,
  ToolReferenceBlock,
  ToolUseSummaryMessage,
  TranscriptMirrorMessage,
  UnknownBlock,
  UnknownContentDelta,
  UnknownMessage,
  UnknownResult,
  UnknownStreamEvent,
  UnknownSystemMessage,
  UrlSource,
  Usage,
  UserContentBlock,
} from './wire/messages.ts';
