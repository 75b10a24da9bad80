// The entry `coxswain/transcripts`: the conversations that the CLI keeps on disk.
export type { SessionPlace } from './place.ts';
export type { SessionDetails, SessionInfo, SubagentInfo } from './session-info.ts';
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
} from './sessions.ts';
export type { TranscriptMessage } from './wire-message.ts';
