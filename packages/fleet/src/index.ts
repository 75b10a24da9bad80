// The public API of @coxswain/fleet: named exports only. Each line is a promise to users.

export {
  type AgentJob,
  defineAgent,
  type FleetAgent,
  type FleetAgentOptions,
  type FleetReplay,
  type PreparedFiles,
  type SavedOutcome,
  type Workspace,
} from './agent/define-agent.ts';
export type { AuditKind } from './approval/audit.ts';
export type { ApprovalNotice, NoticedApproval, NoticedRequest, NoticeKind } from './approval/notice.ts';
export type { ApprovalTerms, EscalatedTerms } from './approval/terms.ts';
export type { DatabaseHealth } from './database/database.ts';
export { type FleetGrantsOptions, type FleetRole, fleetGrants } from './database/grants.ts';
export {
  AgentFunctionError,
  ApprovalClosedError,
  ApprovalForbiddenError,
  ApprovalHashError,
  ApprovalNoticeError,
  ConversationSetAsideError,
  DatabaseEncodingError,
  DatabaseUnavailableError,
  EmbeddedPostgresError,
  EmbeddedPostgresMissingError,
  FleetClosedError,
  FleetInputError,
  LeaseLostError,
  NoFleetError,
  NotInFleetError,
  ScheduledRunError,
  SchemaTooNewError,
  SchemaTooOldError,
  SubmissionError,
  TurnDataError,
  TurnNotEndedError,
  WebhookError,
  WorkspaceError,
} from './errors.ts';
export type { AnswerOptions, ApprovalAnswer, ApprovalCaller, Authorize } from './fleet/answer.ts';
export type { Approval, ApprovalFilter } from './fleet/approvals.ts';
export type { Attributes } from './fleet/attributes.ts';
export type { AuditFilter, AuditRecord, SeenOptions } from './fleet/audit.ts';
export type { CancelEffect } from './fleet/cancel.ts';
export type { ConnectOptions } from './fleet/connect.ts';
export type { Conversation, ConversationFilter, TranscriptEntry } from './fleet/conversations.ts';
export type { FleetEvent, FleetEventKind } from './fleet/events.ts';
export type { Fleet, ResendOptions, SubmitManyOptions, SubmitOptions } from './fleet/fleet.ts';
export type { FollowBody, FollowItem, FollowOptions } from './fleet/follow.ts';
export type { FleetGroup, GroupOptions } from './fleet/group.ts';
export type { GroupFilter, GroupInfo } from './fleet/groups.ts';
export { type OpenFleetOptions, openFleet } from './fleet/open-fleet.ts';
export type { PruneOptions, PruneReport } from './fleet/prune.ts';
export type { Quota, Spend, TenantQuota } from './fleet/quotas.ts';
export type { AgentRelease, Release } from './fleet/releases.ts';
export type { Schedule } from './fleet/schedules.ts';
export type { FleetStats } from './fleet/stats.ts';
export type { Steer, SteerEffect, SteerOptions } from './fleet/steer.ts';
export type { Submission } from './fleet/submit.ts';
export type { FleetTurn, TurnFilter, TurnInfo } from './fleet/turns.ts';
export type { Unserved } from './fleet/unserved.ts';
export type { WorkerAgent, WorkerInfo } from './fleet/workers.ts';
export { type FleetError, isFleetError } from './is-fleet-error.ts';
export { defaultFleetLimits, type FleetLimits } from './limits.ts';
export { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from './postgres/embedded.ts';
export type { SetAside } from './queue/queue.ts';
export {
  type PostgresClient,
  type PostgresStore,
  type PostgresStoreOptions,
  postgresStore,
} from './store/postgres-store.ts';
export type { EndedTurn, Interrupter, TurnError, TurnOutcome } from './turn/outcome.ts';
export type { RetriedOutcome, RetryPolicy } from './turn/retry-policy.ts';
export type { FleetTracing, TraceContext, TracedTurn } from './turn/tracing.ts';
export type { TurnState } from './turn/turn-state.ts';
export type { ApprovalWebhook } from './webhook/send.ts';
export { type VerifiedWebhook, verifyWebhook, type WebhookHeaders } from './webhook/verify.ts';
export { AGENT_ENVIRONMENT } from './worker/agent-environment.ts';
export { type HealthServer, type ServeHealthOptions, serveHealth } from './worker/serve-health.ts';
export { startWorker, type WorkerOptions } from './worker/start-worker.ts';
export type { DrainOptions, Worker } from './worker/worker.ts';
export type { WorkerHealth } from './worker/worker-health.ts';
export type { ArchiveFile, ArchiveStore, ArchiveTree } from './workspace/archive-store.ts';
export { type ArchiveWorkspaceOptions, archiveWorkspace } from './workspace/archive-workspace.ts';
export { folderArchive } from './workspace/folder-archive.ts';
export { type GitWorkspaceOptions, gitWorkspace } from './workspace/git-workspace.ts';
export { type PostgresArchive, type PostgresArchiveOptions, postgresArchive } from './workspace/postgres-archive.ts';
export { type StickyWorkspaceOptions, stickyWorkspace } from './workspace/sticky-workspace.ts';
