export { CassetteError, type CassetteProblem, type Difference } from './cassette/cassette-error.ts';
export type { Content } from './cassette/content.ts';
export type { Matching } from './cassette/expectations.ts';
export type { CassetteEntry, PlacedEntry, RecordedRun, RunHeader } from './cassette/format.ts';
export { type Recording, type RecordingOptions, recording } from './cassette/recording.ts';
export { type Replay, type ReplayOptions, readCassette, replaying } from './cassette/replaying.ts';
export type { FakeApiAgentOptions } from './fake-api/agent-options.ts';
export {
  type ApiErrorOptions,
  type ApiErrorStep,
  apiError,
  cutMidStream,
  delay,
  type Pace,
  type Reply,
  type ReplyStep,
  redactedThinking,
  type StopReason,
  stopReason,
  streamError,
  type TextStep,
  type ThinkingStep,
  type ToolUseStep,
  text,
  thinking,
  toolUse,
  type Usage,
  until,
  usage,
} from './fake-api/reply.ts';
export type { ApiRequest } from './fake-api/request.ts';
export type { ApiTurn, ToolDefinition, ToolResult, ToolUse } from './fake-api/request-body.ts';
export type { RequestKind } from './fake-api/request-kind.ts';
export type { WaitOptions } from './fake-api/request-log.ts';
export type { ApiScript, Replies, ReplyFunction, ScriptParts } from './fake-api/script.ts';
export { type FakeApi, type FakeApiOptions, startFakeApi } from './fake-api/server.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { ToolResultPattern, TurnPattern } from './matchers/arguments.ts';
export type { ToolName } from './matchers/call.ts';
export {
  type Expectations,
  expectThat,
  type MessageExpectations,
  type RehearsalExpectations,
  type RequestExpectations,
  type RunExpectations,
} from './matchers/expect-that.ts';
export { type CoxswainMatchers, coxswainMatchers } from './matchers/matchers.ts';
export type { AsymmetricMatcher, Pattern, TextPattern } from './matchers/pattern.ts';
export type {
  ReceivedMessages,
  ReceivedRehearsal,
  ReceivedRehearsals,
  ReceivedRequests,
  ReceivedRuns,
} from './matchers/received.ts';
export type { Verdict } from './matchers/verdict.ts';
export {
  type AssistantFields,
  apiErrorMessage,
  assistantMessage,
  thinkingMessage,
  toolUseMessage,
} from './messages/assistant.ts';
export { type ToolUseRef, textBlock, thinkingBlock, toolResultBlock, toolUseBlock } from './messages/blocks.ts';
export { outcomeResult } from './messages/outcome-result.ts';
export { type PartialOptions, partialMessages, streamEvent } from './messages/partials.ts';
export { rateLimitEvent, toolProgress } from './messages/progress.ts';
export { type FailureFields, failedResult, resultMessage, type SuccessFields } from './messages/result.ts';
export {
  apiRetry,
  permissionDenied,
  type SystemFields,
  systemInit,
  systemMessage,
  taskNotification,
  taskStarted,
} from './messages/system.ts';
export { refusedToolMessage, toolResultMessage, type UserFields, userMessage } from './messages/user.ts';
export { asApiScript, type ScriptedApi } from './scripted/as-api.ts';
export type { Fault, FaultMoment, Ignorable } from './scripted/fault-data.ts';
export { type Faults, faults } from './scripted/faults.ts';
export { type InMemoryCli, inMemoryCli } from './scripted/in-memory.ts';
export type { ToolOutcome } from './scripted/interpreter/effects.ts';
export type { RunStart } from './scripted/run-log.ts';
export type { ScriptedRun } from './scripted/runs.ts';
export { type FaultOptions, type RuleOptions, Script, script } from './scripted/script.ts';
export type { RequestAnswer, ResultFields, ToolPermission } from './scripted/script-data.ts';
export { type ScriptedCli, type ScriptedCliOptions, scriptedCli } from './scripted/scripted-cli.ts';
export type {
  AgentTask,
  ApiErrorScript,
  ApiRetryScript,
  BackgroundScript,
  RateLimitScript,
  ToolScript,
} from './scripted/step-options.ts';
export { TurnScript } from './scripted/turn.ts';
export { type StoreBench, type StorePart, type StoreRule, storeContract } from './store-contract/contract.ts';
export { type FaultyStore, faultyStore, type StoreFault } from './store-contract/faulty-store.ts';
export type { OpenStore } from './store-contract/rule.ts';
export { type AgentStep, agentRequest, type ContractAgent, floodLine, inputLine } from './transport-contract/agent.ts';
export {
  type TransportBench,
  type TransportRule,
  transportContract,
} from './transport-contract/contract.ts';
export type { ContractAbility } from './transport-contract/rule.ts';
export { ContractViolation, type StagedTransport } from './transport-contract/stage.ts';
