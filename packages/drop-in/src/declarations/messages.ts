import type { UUID } from 'node:crypto';
import type * as core from 'coxswain';
import type * as wire from 'coxswain/types';
import type { Mutable } from './mutable.ts';
import type { PermissionMode } from './options.ts';

/** A message of the CLI under its official name: the CLI's own JSON. */
type Sdk<M> = Mutable<M> & { uuid: UUID; session_id: string };

type Init = Omit<wire.SystemInit, 'permissionMode'>;

export type SDKAssistantMessage = Sdk<core.AssistantMessage>;
export type SDKAssistantMessageError = wire.ApiErrorKind;
export type SDKSystemMessage = Sdk<Init> & { permissionMode: PermissionMode };
export type SDKPartialAssistantMessage = Sdk<wire.StreamEventMessage>;
export type SDKResultSuccess = Sdk<wire.SuccessResult> & { is_error: boolean; usage: NonNullableUsage };
export type SDKResultError = Sdk<wire.FailureResult> & { is_error: boolean; usage: NonNullableUsage };
export type SDKResultMessage = SDKResultSuccess | SDKResultError;
export type SDKPermissionDenial = Mutable<wire.PermissionDenial>;
export type SDKDeferredToolUse = Mutable<wire.DeferredToolUse>;
export type ModelUsage = Mutable<wire.ModelUsage>;
/** The CLI fills all fields of a result's usage. */
export type NonNullableUsage = { [K in keyof wire.Usage]-?: NonNullable<Mutable<wire.Usage>[K]> };
export type TerminalReason = wire.TerminalReason;
export type SDKMessageOrigin = Mutable<wire.MessageOrigin>;
export type SDKStatus = SDKStatusMessage['status'];

/** A prompt, and what the CLI says in the role of the user. Frames are passed on as they are. */
export type SDKUserMessage = {
  type: 'user';
  message: { role: 'user' | 'assistant'; content: string | readonly (wire.UserContentBlock | core.ContentBlock)[] };
  parent_tool_use_id: string | null;
  isSynthetic?: boolean;
  tool_use_result?: unknown;
  priority?: 'now' | 'next' | 'later';
  origin?: SDKMessageOrigin;
  shouldQuery?: boolean;
  timestamp?: string;
  client_composed?: true;
  uuid?: UUID;
  pasted_content?: (string | readonly wire.UserContentBlock[])[];
  inline_pastes?: string[];
  session_id?: string;
  agent_id?: string;
  subagent_type?: string;
  task_description?: string;
};

/** The CLI's echo of a prompt, with `extraArgs: { 'replay-user-messages': null }`. */
export type SDKUserMessageReplay = Omit<SDKUserMessage, 'uuid' | 'session_id'> & {
  uuid: UUID;
  session_id: string;
  isReplay: true;
  file_attachments?: unknown[];
};

export type SDKCompactBoundaryMessage = Sdk<wire.SystemCompactBoundary>;
export type SDKStatusMessage = Sdk<wire.SystemStatus>;
export type SDKAPIRetryMessage = Sdk<wire.SystemApiRetry>;
export type SDKControlRequestProgressMessage = Sdk<wire.SystemControlRequestProgress>;
export type SDKModelRefusalFallbackMessage = Sdk<wire.SystemModelFallback>;
export type SDKModelRefusalNoFallbackMessage = Sdk<wire.SystemModelRefusal>;
export type SDKLocalCommandOutputMessage = Sdk<wire.SystemLocalCommandOutput>;
export type SDKHookStartedMessage = Sdk<wire.SystemHookStarted>;
export type SDKHookProgressMessage = Sdk<wire.SystemHookProgress>;
export type SDKHookResponseMessage = Sdk<wire.SystemHookResponse>;
export type SDKPluginInstallMessage = Sdk<wire.SystemPluginInstall>;
export type SDKToolProgressMessage = Sdk<wire.ToolProgressMessage>;
export type SDKAuthStatusMessage = Sdk<wire.AuthStatusMessage>;
export type SDKTaskNotificationMessage = Sdk<wire.SystemTaskNotification>;
export type SDKTaskStartedMessage = Sdk<wire.SystemTaskStarted>;
export type SDKTaskUpdatedMessage = Sdk<wire.SystemTaskUpdated>;
export type SDKTaskProgressMessage = Sdk<wire.SystemTaskProgress>;
export type SDKBackgroundTasksChangedMessage = Sdk<wire.SystemBackgroundTasksChanged>;
export type SDKThinkingTokensMessage = Sdk<wire.SystemThinkingTokens>;
export type SDKSessionStateChangedMessage = Sdk<wire.SystemSessionStateChanged>;
export type SDKWorkerShuttingDownMessage = Sdk<wire.SystemWorkerShuttingDown>;
export type SDKCommandsChangedMessage = Sdk<wire.SystemCommandsChanged>;
export type SDKNotificationMessage = Sdk<wire.SystemNotification>;
export type SDKFilesPersistedEvent = Sdk<wire.SystemFilesPersisted>;
export type SDKToolUseSummaryMessage = Sdk<wire.ToolUseSummaryMessage>;
export type SDKMemoryRecallMessage = Sdk<wire.SystemMemoryRecall>;
export type SDKRateLimitEvent = Sdk<wire.RateLimitEventMessage>;
export type SDKRateLimitInfo = Mutable<wire.RateLimitInfo>;
export type SDKElicitationCompleteMessage = Sdk<wire.SystemElicitationComplete>;
export type SDKPermissionDeniedMessage = Sdk<wire.SystemPermissionDenied>;
export type SDKPromptSuggestionMessage = Sdk<wire.PromptSuggestionMessage>;
export type SDKMirrorErrorMessage = Sdk<wire.SystemMirrorError>;
export type SDKInformationalMessage = Sdk<wire.SystemInformational>;
export type SDKConversationResetMessage = Sdk<wire.ConversationResetMessage>;
export type SDKSessionWritesLostMessage = Sdk<wire.SystemSessionWritesLost>;
/** Sent beside the messages; not part of `SDKMessage`. */
export type SDKActiveGoalMessage = Sdk<wire.ActiveGoalMessage>;

/** What a query yields. Ignore types and subtypes that you do not know: newer CLIs send others. */
export type SDKMessage =
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKResultMessage
  | SDKSystemMessage
  | SDKPartialAssistantMessage
  | SDKCompactBoundaryMessage
  | SDKStatusMessage
  | SDKAPIRetryMessage
  | SDKControlRequestProgressMessage
  | SDKModelRefusalFallbackMessage
  | SDKModelRefusalNoFallbackMessage
  | SDKLocalCommandOutputMessage
  | SDKHookStartedMessage
  | SDKHookProgressMessage
  | SDKHookResponseMessage
  | SDKPluginInstallMessage
  | SDKToolProgressMessage
  | SDKAuthStatusMessage
  | SDKTaskNotificationMessage
  | SDKTaskStartedMessage
  | SDKTaskUpdatedMessage
  | SDKTaskProgressMessage
  | SDKBackgroundTasksChangedMessage
  | SDKThinkingTokensMessage
  | SDKSessionStateChangedMessage
  | SDKWorkerShuttingDownMessage
  | SDKCommandsChangedMessage
  | SDKNotificationMessage
  | SDKFilesPersistedEvent
  | SDKToolUseSummaryMessage
  | SDKMemoryRecallMessage
  | SDKRateLimitEvent
  | SDKElicitationCompleteMessage
  | SDKPermissionDeniedMessage
  | SDKPromptSuggestionMessage
  | SDKMirrorErrorMessage
  | SDKInformationalMessage
  | SDKConversationResetMessage
  | SDKSessionWritesLostMessage;
