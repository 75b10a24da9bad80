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
