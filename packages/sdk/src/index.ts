// The public surface. A line added here is a promise: named exports only.
export { type CliInspection, inspectCli } from './cli/inspect.ts';
export { PINNED_VERSION } from './cli/minimum.ts';
export { type Client, type ClientDefaults, createClient } from './client/create-client.ts';
export type { ElicitationAnswer, ElicitationRequest } from './control/elicitation.ts';
export type {
  ContextUsage,
  InterruptReceipt,
  McpServerStatus,
  McpServersChange,
  RewindReport,
  SettingsReport,
} from './control/operations.ts';
export { CoxswainError } from './errors/base.ts';
export {
  CheckpointingNotEnabledError,
  ControlRequestError,
  ControlTimeoutError,
  InitQueueOverflowError,
  NoSuchPermissionError,
  SessionStoppedError,
  TooManyPendingRequestsError,
} from './errors/control.ts';
export {
  BufferOverflowError,
  JsonDecodeError,
  TooManyDecodeErrors,
  UnexpectedMessageError,
  Utf8DecodeError,
} from './errors/decode.ts';
export { type AnyCoxswainError, isCoxswainError } from './errors/guard.ts';
export { type OptionProblem, OptionsError, UnsupportedOptionError } from './errors/options.ts';
export { ResultError, type SchemaIssue, StructuredOutputError, type StructuredOutputFailure } from './errors/result.ts';
export {
  CliExitedDuringInitError,
  CliInstallError,
  CliNotFoundError,
  InitializationError,
  InitializationTimeoutError,
  type SearchedPlace,
  SpawnError,
  type SpawnFailure,
  UnknownVersionError,
  UnsupportedCliVersionError,
  VersionDetectionError,
} from './errors/start.ts';
export {
  AbortError,
  NoResultError,
  ProcessError,
  StreamConsumedError,
  TimeoutError,
  type TimeoutKind,
  TransportError,
} from './errors/stream.ts';
export { isTerminal } from './errors/terminal.ts';
export { McpLibraryMissingError, ToolServerBusyError, ToolServerStartError } from './errors/tool.ts';
export {
  ReaderTooSlowError,
  ResultLostError,
  SessionNotForkableError,
  TurnCancelledError,
  TurnEndedError,
  TurnNotKeptError,
  TurnQueueFullError,
  TurnStuckError,
} from './errors/turn.ts';
export type { CallbackEvent } from './hooks/callback-events.ts';
export type * from './hooks/events.ts';
export type * from './hooks/inputs.ts';
export type * from './hooks/outcome.ts';
export { allow, answer, ask, context, defer, deny, later, modify, replaceOutput, stop } from './hooks/outcome.ts';
export type * from './hooks/tool-inputs.ts';
export type { Limits } from './limits.ts';
export { defaultLimits } from './limits.ts';
export {
  type AssembledAssistantMessage,
  type AssembledMessage,
  assemblePartials,
} from './messages/assemble-partials.ts';
export { costOf } from './messages/cost.ts';
export {
  isAssistant,
  isInit,
  isRateLimitEvent,
  isResult,
  isStreamEvent,
  isSystem,
  isUser,
} from './messages/guards.ts';
export {
  type ApiErrorOutcome,
  type Outcome as RunOutcome,
  type OutcomeContext,
  outcomeOf,
  type RateLimitOutcome,
} from './messages/outcome.ts';
export { sessionIdOf } from './messages/session-id.ts';
export { textOf } from './messages/text.ts';
export { type TextDeltasOptions, textDeltas } from './messages/text-deltas.ts';
export { toolResultsOf, toolUsesOf } from './messages/tools.ts';
export type * from './options/groups.ts';
export type { SdkMcpServer } from './options/sdk-server.ts';
export type { StandardSchema, StandardSchemaWithJson } from './options/standard-schema.ts';
export type { PermissionEvent } from './permissions/dispatch.ts';
export { type PermissionPolicy, type PolicyOptions, permissions } from './permissions/policy.ts';
export type * from './permissions/request.ts';
export type { ExitReport, PrivateFile, StartRequest, Transport, TransportSignal } from './process/transport.ts';
export { query } from './query/query.ts';
export { type QueryStream, withStream } from './query/query-stream.ts';
export type { QueryState } from './query/stream-machine.ts';
export type { AgentInfo, Capabilities, CommandInfo, ModelInfo } from './session/capabilities.ts';
export type { Health } from './session/health.ts';
export type { SessionState } from './session/lifecycle.ts';
export type { Gap } from './session/observer.ts';
export type { ObservedMessage } from './session/observers.ts';
export { openSession, startSession } from './session/open.ts';
export type { RequestOptions, Session } from './session/session.ts';
export type { Turn, TurnOptions } from './session/turn.ts';
export type { TurnSettings } from './session/turn-settings.ts';
export type { EventHead, RunEvent } from './stream/events.ts';
export type { Collected, ErrorItem, MessageItem, StreamItem, WarningItem } from './stream/items.ts';
export type { MessageStream } from './stream/message-stream.ts';
export type { Warning, WarningCode } from './warnings/warning.ts';
export type { UserFrame } from './wire/encode.ts';
export type * from './wire/messages.ts';
export { isUnknownBlock, isUnknownEvent, isUnknownMessage } from './wire/messages.ts';
export { rawOf } from './wire/raw.ts';
