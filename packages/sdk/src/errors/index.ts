// The entry `coxswain/errors`: the classes, for `instanceof`. `isCoxswainError(error, code)` needs none of them.
export { CoxswainError, isCoxswainError, isTerminal } from './base.ts';
export { OptionsError, UnsupportedOptionError } from './options.ts';
export {
  CheckpointingNotEnabledError,
  ControlRequestError,
  ControlTimeoutError,
  DuplicateJobError,
  InitQueueOverflowError,
  NoSuchPermissionError,
  PoolClosedError,
  PoolQueueFullError,
  ReaderTooSlowError,
  RestartLimitError,
  ResultLostError,
  SessionNotForkableError,
  SessionStoppedError,
  SessionUnhealthyError,
  TooManyPendingRequestsError,
  TurnCancelledError,
  TurnEndedError,
  TurnInterruptedError,
  TurnNotKeptError,
  TurnQueueFullError,
  TurnStuckError,
  UnsupportedRequestError,
} from './session.ts';
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
export { StoreFailedError, type StoreOperation, StoreUnableError } from './store.ts';
export {
  AbortError,
  BufferOverflowError,
  JsonDecodeError,
  NoResultError,
  ProcessError,
  ResultError,
  type SchemaIssue,
  StreamConsumedError,
  StructuredOutputError,
  type StructuredOutputFailure,
  TimeoutError,
  type TimeoutKind,
  TooManyDecodeErrors,
  TransportError,
  UnexpectedMessageError,
  Utf8DecodeError,
} from './stream.ts';
export { McpLibraryMissingError, ToolServerBusyError, ToolServerStartError } from './tool.ts';
export {
  MessageNotFoundError,
  SessionFileError,
  SessionNotFoundError,
  SubagentNotFoundError,
} from './transcript.ts';
