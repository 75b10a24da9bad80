// The public API: each name is exported by one entry only. This entry has the names that programs use in their own code; the
// parts of messages, inputs and reports are in `coxswain/types`.

export type { CallbackContext } from './callbacks/callback-context.ts';
export { checkAnswer, type PermissionAnswer } from './callbacks/check-answer.ts';
export type { Decision, HookDecision, HookOutput, PermissionDecision } from './callbacks/decisions.ts';
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
export type { Hook, HookResult, HookRun, Hooks } from './callbacks/hook-events.ts';
export type { HookInput, HookInputs } from './callbacks/hook-inputs.ts';
export type {
  CanUseTool,
  PendingPermission,
  PermissionRequest,
  PermissionResult,
} from './callbacks/permission-request.ts';
export type { PermissionUpdate } from './callbacks/permission-update.ts';
export type { ToolInputs } from './callbacks/tool-inputs.ts';
export { type Client, type ClientDefaults, createClient } from './client/create-client.ts';
export type {
  ContextUsage,
  InterruptReceipt,
  McpServerStatus,
  McpServersChange,
  RewindReport,
  SettingsReport,
} from './control/answers.ts';
export type { ElicitationAnswer, ElicitationRequest } from './control/elicitation.ts';
export type { Loaded } from './control/loaded.ts';
export type { RequestOptions } from './control/pending.ts';
export type { Capabilities } from './conversation/capabilities.ts';
export type { SendOptions, Turn, TurnOptions, TurnState } from './conversation/turn.ts';
export type { TurnSettings } from './conversation/turn-settings.ts';
export { type AnyCoxswainError, type ErrorCode, isCoxswainError } from './errors/any-error.ts';
export { CoxswainError } from './errors/base.ts';
export type { Limits } from './limits.ts';
export { assemblePartials } from './messages/assemble-partials.ts';
export { textOf, toolResultsOf, toolUsesOf } from './messages/content.ts';
export { type Outcome, outcomeOf } from './messages/outcome.ts';
export { textDeltaOf } from './messages/text-delta.ts';
export type { SessionCost, TokenCounts, TurnCost } from './messages/turn-cost.ts';
export type { Effort } from './options/effort.ts';
export type { McpServerConfig } from './options/mcp-server-config.ts';
export type {
  AgentDefinition,
  AgentOptions,
  Logger,
  OutputSchema,
  SettingSource,
  Thinking,
} from './options/option-types.ts';
export { type PermissionPolicy, permissions } from './options/permission-policy.ts';
export { type ParkedRequest, type ResumedRequest, requestHash } from './park/parked-request.ts';
export { createPool } from './pool/create-pool.ts';
export type { JobOutcome } from './pool/job-outcome.ts';
export type { PoolDefaults, PoolOptions } from './pool/options.ts';
export type { JobOptions, JobSpec, Pool, PoolJob } from './pool/pool.ts';
export type { PoolEvent } from './pool/pool-events.ts';
export type { PoolStats } from './pool/pool-stats.ts';
export { query } from './query/query.ts';
export type { QueryStream } from './query/query-stream.ts';
export type { QueryState } from './query/stream-machine.ts';
export type { RunEvent } from './report/events.ts';
export { type OpenSessionOptions, openSession } from './restart/open-session.ts';
export type { InterruptedTurn, RateLimitPolicy, Replay, RestartPolicy } from './restart/policy.ts';
export type { Health } from './session/health.ts';
export type { Pause, Session, SessionState } from './session/session.ts';
export type { Collected, PermissionItem, StreamItem } from './stream/items.ts';
export type { MessageStream } from './stream/message-stream.ts';
export type { Warning, WarningCode } from './warnings/warning.ts';
export type {
  AssistantMessage,
  ContentBlock,
  Message,
  ResultMessage,
  SystemMessage,
  ToolResultBlock,
  ToolUseBlock,
  UserContent,
  UserMessage,
} from './wire/messages.ts';
export type { PermissionMode } from './wire/permission-mode.ts';
export { isUnknownBlock, isUnknownEvent, isUnknownMessage } from './wire/unknown.ts';
