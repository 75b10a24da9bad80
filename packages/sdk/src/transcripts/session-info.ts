/** What a list shows of a session, as plain JSON. Times are in ms since the epoch. */
export interface SessionInfo {
  readonly id: string;
  /** The name somebody gave it, else the one the CLI made up, else its first prompt. */
  readonly title: string;
  /** The name somebody gave it. */
  readonly customTitle?: string;
  readonly firstPrompt?: string;
  readonly lastPrompt?: string;
  /** Where it was started. */
  readonly cwd?: string;
  /** The branch it was last on; none outside of git. */
  readonly gitBranch?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly sizeBytes: number;
  /** The session `forkSession` made it from; the CLI itself does not keep that. */
  readonly forkedFrom?: string;
  /** The transcript. */
  readonly path: string;
}

/** A session and the subagents it has had. */
export interface SessionDetails extends SessionInfo {
  readonly subagents: readonly SubagentInfo[];
}

/** A subagent with a transcript of its own. */
export interface SubagentInfo {
  /** For `getSessionMessages(id, { agentId })`. */
  readonly id: string;
  readonly type?: string;
  readonly description?: string;
  /** The tool call that started it. */
  readonly toolUseId?: string;
}
