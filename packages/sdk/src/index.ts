// The public surface: each name is a promise. Values are named; `export type *` is for modules whose types are all public.

export type { CallbackEvent } from './callbacks/callback-request.ts';
export { checkAnswer, type PermissionAnswer } from './callbacks/check-answer.ts';
export type {
  AllowOptions,
  Answers,
  Decision,
  DecisionOf,
  DenyOptions,
  HookDecision,
  HookOutput,
  PermissionDecision,
} from './callbacks/decisions.ts';
export {
  addContext,
  allow,
  answerQuestions,
  askUser,
  decideLater,
  deferTool,
  deny,
  modifyInput,
  replaceOutput,
  stopTurn,
} from './callbacks/decisions.ts';
export type * from './callbacks/hook-events.ts';
export type * from './callbacks/hook-inputs.ts';
export type { PermissionEvent } from './callbacks/permission-dispatch.ts';
export type * from './callbacks/permission-request.ts';
export { newerEvents } from './callbacks/registry.ts';
export type * from './callbacks/tool-inputs.ts';
export { type Client, type ClientDefaults, createClient } from './client/create-client.ts';
export type { Loaded, LoadedFrom } from './control/loaded.ts';
export type {
  ContextUsage,
  ElicitationAnswer,
  ElicitationRequest,
  InterruptReceipt,
  McpServerStatus,
  McpServersChange,
  RewindReport,
  SettingsReport,
} from './control/operations.ts';
export type { RequestOptions } from './control/pending.ts';
export type { AgentInfo, Capabilities, CommandInfo, ModelInfo } from './conversation/capabilities.ts';
export type { SendOptions, Turn, TurnOptions, TurnProcessOptions, TurnState } from './conversation/turn.ts';
export type { TurnSettings } from './conversation/turn-settings.ts';
export { type AnyCoxswainError, CoxswainError, type ErrorCode, isCoxswainError } from './errors/base.ts';
export type { UnavailableServer } from './errors/mcp-server.ts';
export type { OptionProblem } from './errors/options.ts';
export type { PlainError } from './errors/redacted.ts';
export type { SearchedPlace, SpawnFailure } from './errors/start.ts';
export type { SchemaIssue, StructuredOutputFailure, TimeoutKind } from './errors/stream.ts';
export { defaultLimits, type Limits } from './limits.ts';
export type { ApiErrorOutcome, RateLimitOutcome } from './messages/api-failure.ts';
export {
  type AssembledAssistantMessage,
  type AssembledMessage,
  assemblePartials,
} from './messages/assemble-partials.ts';
export { textOf, toolResultsOf, toolUsesOf } from './messages/content.ts';
export { costOf, type ResultUsage, usageOf } from './messages/cost.ts';
export { type Outcome, type OutcomeContext, outcomeOf } from './messages/outcome.ts';
export { type TextDeltasOptions, textDeltaOf, textDeltas } from './messages/text-deltas.ts';
export type { ModelCost, SessionCost, TokenCounts, TurnCost } from './messages/turn-cost.ts';
export type * from './options/option-types.ts';
export { type PermissionPolicy, type PolicyOptions, permissions } from './options/permission-policy.ts';
export type { SdkMcpServer } from './options/sdk-server.ts';
export { createPool, poolOf } from './pool/create-pool.ts';
export type { PoolDefaults, PoolOptions } from './pool/options.ts';
export type * from './pool/pool.ts';
export type { EvictReason, PoolEvent } from './pool/pool-events.ts';
export type { ExitReport, PrivateFile, StartRequest, Transport, TransportSignal } from './process/transport.ts';
export { query } from './query/query.ts';
export { type QueryStream, queryOf } from './query/query-stream.ts';
export type { QueryState } from './query/stream-machine.ts';
export type { EventHead, RunEvent, SupervisionEvent } from './report/events.ts';
export type * from './report/run-observer.ts';
export { type OpenSessionOptions, openSession } from './restart/open-session.ts';
export type { CutTurn, RateLimitPolicy, Replay, RestartPolicy } from './restart/policy.ts';
export type { Health } from './session/health.ts';
export { type Pause, type RewindOptions, type Session, type SessionState, sessionOf } from './session/session.ts';
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
export type { Gap } from './stream/newest-items.ts';
export type { Warning, WarningCode } from './warnings/warning.ts';
export type { UserFrame } from './wire/encode.ts';
export type { JsonObject, Open, UnknownKind } from './wire/kinds.ts';
export type * from './wire/messages.ts';
export { isUnknownBlock, isUnknownEvent, isUnknownMessage } from './wire/unknown.ts';
