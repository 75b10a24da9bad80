/** A conversation, without its messages. */
export type SDKSessionInfo = {
  sessionId: string;
  summary: string;
  lastModified: number;
  fileSize?: number;
  customTitle?: string;
  firstPrompt?: string;
  gitBranch?: string;
  cwd?: string;
  tag?: string;
  createdAt?: number;
  archived?: boolean;
};

export type SessionMessage = {
  type: 'user' | 'assistant' | 'system';
  uuid: string;
  session_id: string;
  message: unknown;
  parent_tool_use_id: string | null;
  parent_agent_id: string | null;
};

export type SessionKey = { projectKey: string; sessionId: string; subpath?: string };
export type SessionStoreEntry = { type: string; uuid?: string; timestamp?: string; [k: string]: unknown };
export type SessionSummaryEntry = { sessionId: string; mtime: number; data: Record<string, unknown> };
export type SessionStoreFlush = 'batched' | 'eager';

/** Stores conversations outside of this machine. */
export type SessionStore = {
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  listSessions?(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>>;
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  delete?(key: SessionKey): Promise<void>;
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
};

/** `dir` is the working directory of the conversation; without it, all folders are searched. */
export type SessionMutationOptions = { dir?: string; sessionStore?: SessionStore };
export type GetSessionInfoOptions = SessionMutationOptions;
export type ListSubagentsOptions = SessionMutationOptions;
export type ForkSessionOptions = SessionMutationOptions & { upToMessageId?: string; title?: string };
export type ForkSessionResult = { sessionId: string };
export type GetSubagentMessagesOptions = SessionMutationOptions & { limit?: number; offset?: number };
export type GetSessionMessagesOptions = GetSubagentMessagesOptions & { includeSystemMessages?: boolean };
export type ListSessionsOptions = GetSubagentMessagesOptions & {
  includeWorktrees?: boolean;
  includeProgrammatic?: boolean;
};
export type ImportSessionToStoreOptions = { dir?: string; includeSubagents?: boolean; batchSize?: number };
