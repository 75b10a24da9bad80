// The entry `coxswain/transcripts`: the conversations on disk.
export type { FilePlace, ForkSessionOptions, ListSessionsOptions, SessionMessagesOptions } from './arguments.ts';
export { deleteSession, forkSession, renameSession } from './changes.ts';
export { archiveSession, tagSession, unarchiveSession } from './marks.ts';
export { getSessionEntries, getSessionMessages, type TranscriptEntry } from './messages.ts';
export type { SessionPlace } from './paths.ts';
export {
  appendSessionLines,
  readSessionLines,
  readSessionNote,
  readSessionTail,
  writeSessionFile,
} from './session-files.ts';
export { getSession, listSessions, type SessionDetails, type SubagentInfo } from './sessions.ts';
export type { SessionInfo } from './summary.ts';
export { exportSession, importSession, type TransferOptions } from './transfer.ts';
export type { TranscriptMessage } from './wire-message.ts';
