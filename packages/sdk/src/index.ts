// The public surface. A line added here is a promise: named exports only.
export type { CliInspection } from './cli/inspect.ts';
export type { InstalledCli, InstallProgress } from './cli/install.ts';
export {
  type InstallCliOptions,
  type InstalledCopiesOptions,
  type InstalledCopy,
  installCli,
  installedClis,
} from './cli/own-copies.ts';
export { PINNED_VERSION } from './cli/pinned-version.ts';
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
export { inspectCli } from './entry/inspect-cli.ts';
export { createPool } from './entry/pool.ts';
export { query } from './entry/query.ts';
export { openSession, startSession, superviseSession } from './entry/session.ts';
export { CoxswainError } from './errors/base.ts';
export {
  CheckpointingNotEnabledError,
  ControlRequestError,
  ControlTimeoutError,
  InitQueueOverflowError,
  NoSuchPermissionError,
  SessionStoppedError,
  TooManyPendingRequestsError,
  UnsupportedRequestError,
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
export { DuplicateJobError, PoolClosedError, PoolQueueFullError, SessionUnhealthyError } from './errors/pool.ts';
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
export { RestartLimitError, TurnInterruptedError } from './errors/supervise.ts';
export { isTerminal } from './errors/terminal.ts';
export { McpLibraryMissingError, ToolServerBusyError, ToolServerStartError } from './errors/tool.ts';
export {
  MessageNotFoundError,
  SessionFileError,
  SessionNotFoundError,
  SubagentNotFoundError,
} from './errors/transcript.ts';
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
export { newerEvents } from './hooks/newer-events.ts';
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
export type { ModelCost, SessionCost, TokenCounts, TurnCost } from './messages/turn-cost.ts';
export type * from './options/groups.ts';
export type { SdkMcpServer } from './options/sdk-server.ts';
export type { StandardSchema, StandardSchemaWithJson } from './options/standard-schema.ts';
export type { PermissionEvent } from './permissions/dispatch.ts';
export { type PermissionPolicy, type PolicyOptions, permissions } from './permissions/policy.ts';
export type * from './permissions/request.ts';
export type { EvictReason, PoolEvent } from './pool/events.ts';
export type {
  CancelledJob,
  Canceller,
  FailedJob,
  FinishedJob,
  JobCost,
  JobOptions,
  JobOutcome,
  JobProcessOptions,
  JobSpec,
  JobTurnOptions,
  PlainError,
  PlainJobSpec,
} from './pool/job.ts';
export type { PoolDefaults, PoolOptions } from './pool/options.ts';
export type {
  DrainOptions,
  JobRunOptions,
  JobSubmitOptions,
  PendingPermission,
  Pool,
  PoolStats,
} from './pool/pool.ts';
export type { PoolJob } from './pool/pool-job.ts';
export type { ExitReport, PrivateFile, StartRequest, Transport, TransportSignal } from './process/transport.ts';
export type { QueryStream } from './query/query-stream.ts';
export type { QueryState } from './query/stream-machine.ts';
export { withStream } from './query/with-stream.ts';
export { createRedactor, type Redactor } from './redact.ts';
export { secretsIn } from './secrets.ts';
export type { AgentInfo, Capabilities, CommandInfo, ModelInfo } from './session/capabilities.ts';
export type { Health } from './session/health.ts';
export type { SessionState } from './session/lifecycle.ts';
export type { Gap } from './session/observer.ts';
export type { ObservedMessage } from './session/observers.ts';
export type { RequestOptions, Session } from './session/session.ts';
export type { Turn, TurnOptions } from './session/turn.ts';
export type { TurnSettings } from './session/turn-settings.ts';
export type { EventHead, RunEvent, SupervisionEvent } from './stream/events.ts';
export type {
  Collected,
  ErrorItem,
  MessageItem,
  PermissionAnswerItem,
  PermissionItem,
  PermissionRequestItem,
  StreamItem,
  WarningItem,
} from './stream/items.ts';
export type { MessageStream } from './stream/message-stream.ts';
export type { RestartPolicy } from './supervise/policy.ts';
export type { Pause, RateLimitPolicy } from './supervise/rate-limit.ts';
export type { SupervisedSession, SupervisedState } from './supervise/supervised-session.ts';
export type { CutTurn, Replay, SupervisionPolicy } from './supervise/supervision.ts';
export type { SessionPlace } from './transcripts/place.ts';
export type { SessionDetails, SessionInfo, SubagentInfo } from './transcripts/session-info.ts';
export {
  deleteSession,
  type ForkSessionOptions,
  forkSession,
  getSession,
  getSessionMessages,
  type ListSessionsOptions,
  listSessions,
  renameSession,
  type SessionMessagesOptions,
} from './transcripts/sessions.ts';
export type { TranscriptMessage } from './transcripts/wire-message.ts';
export type { Warning, WarningCode } from './warnings/warning.ts';
export type { UserFrame } from './wire/encode.ts';
export type * from './wire/messages.ts';
export { isUnknownBlock, isUnknownEvent, isUnknownMessage } from './wire/messages.ts';
export { rawOf } from './wire/raw.ts';
