export {
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
export type { ToolResult } from './fake-api/request-body.ts';
export type { RequestKind } from './fake-api/request-kind.ts';
export type { WaitOptions } from './fake-api/request-log.ts';
export type { ApiScript, Replies, ReplyFunction } from './fake-api/script.ts';
export { type FakeApi, type FakeApiOptions, startFakeApi } from './fake-api/server.ts';
export { type InMemoryCli, inMemoryCli } from './scripted/in-memory.ts';
export type { RunStart } from './scripted/run-log.ts';
export type { ScriptedRun } from './scripted/runs.ts';
export { type RuleOptions, Script, script } from './scripted/script.ts';
export type {
  Ignorable,
  JsonObject,
  JsonValue,
  RejectedOutput,
  ResultFields,
  ToolPermission,
} from './scripted/script-data.ts';
export { type ScriptedCli, type ScriptedCliOptions, scriptedCli } from './scripted/scripted-cli.ts';
export { type ApiErrorScript, type BackgroundScript, type ToolScript, TurnScript } from './scripted/turn.ts';
