// The entry `coxswain/errors`: the classes, for `instanceof`. `isCoxswainError(error, code)` needs none of them.
export { CoxswainError } from './base.ts';
export {
  CheckpointingNotEnabledError,
  ControlRequestError,
  ControlTimeoutError,
  InitQueueOverflowError,
  NoSuchPermissionError,
  SessionStoppedError,
  TooManyPendingRequestsError,
  UnsupportedRequestError,
} from './control.ts';
export {
  BufferOverflowError,
  JsonDecodeError,
  TooManyDecodeErrors,
  UnexpectedMessageError,
  Utf8DecodeError,
} from './decode.ts';
export { OptionsError, UnsupportedOptionError } from './options.ts';
export { DuplicateJobError, PoolClosedError, PoolQueueFullError, SessionUnhealthyError } from './pool.ts';
export { ResultError, type SchemaIssue, StructuredOutputError, type StructuredOutputFailure } from './result.ts';
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
} from './start.ts';
export {
  AbortError,
  NoResultError,
  ProcessError,
  StreamConsumedError,
  TimeoutError,
  type TimeoutKind,
  TransportError,
} from './stream.ts';
export { RestartLimitError, TurnInterruptedError } from './supervise.ts';
export { isTerminal } from './terminal.ts';
export { McpLibraryMissingError, ToolServerBusyError, ToolServerStartError } from './tool.ts';
export {
  MessageNotFoundError,
  SessionFileError,
  SessionNotFoundError,
  SubagentNotFoundError,
} from './transcript.ts';
export {
  ReaderTooSlowError,
  ResultLostError,
  SessionNotForkableError,
  TurnCancelledError,
  TurnEndedError,
  TurnNotKeptError,
  TurnQueueFullError,
  TurnStuckError,
} from './turn.ts';
