import type { ActionName } from './actions.ts';
import type { Approval } from './approvals.ts';
import type { CostInfo } from './cost.ts';
import type { Cursor, SourceKind } from './server.ts';
import type { Outcome } from './turns.ts';

/**
 * `needs-me`: an approval is open. `running`: a turn runs. `waiting`: work exists but cannot run yet (queued, paused, restarting,
 * background work). `idle`: open, without work. `done`: closed, or on disk only. `failed`: closed, and its last turn ended with an
 * error or at a limit.
 */
export type ConversationState = 'needs-me' | 'running' | 'waiting' | 'idle' | 'done' | 'failed';

/** One conversation in the list. */
export interface Conversation {
  /** Unique in this server and safe in a URL. It survives a restart of the server if the conversation does. */
  readonly id: string;
  /** The id of the source. */
  readonly source: string;
  readonly kind: SourceKind;
  /** The CLI's session id. */
  readonly sessionId: string | null;
  /** The title, or else the beginning of the first prompt; '' if neither exists yet. One line, at most 200 characters. */
  readonly title: string;
  readonly state: ConversationState;
  /** Details of the state in a few words: `rate limit until 14:05`, `restarting (2)`, the outcome, the error. */
  readonly stateNote: string | null;
  /** While a turn runs or waits: the last text or tool call of the agent, on one line; `null` if its transcript is not read. */
  readonly lastLine: string | null;
  /** How the last turn ended, in any state; `null` while a turn runs, and before the first one. */
  readonly outcome: Outcome | null;
  readonly model: string | null;
  readonly cost: CostInfo;
  readonly startedAt: number | null;
  readonly updatedAt: number;
  /** The conversation it was forked from, if it is in this server. */
  readonly parent: string | null;
  /** The key in the pool or fleet. */
  readonly key: string | null;
  /** The file of a recording, with the number of the run if the file has several: `row.ndjson, run 2`. */
  readonly file: string | null;
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  /** Number of entries in the transcript; `null` if it has not been read yet. */
  readonly entries: number | null;
  /** Number of turns that have ended. */
  readonly turns: number;
  /** Number of open approvals. */
  readonly approvals: number;
  readonly warnings: number;
  readonly errors: number;
  /** The actions that are possible now; empty in read-only mode. */
  readonly actions: readonly ActionName[];
}

/** A page of the list: conversations that need a person first, then newest first. */
export interface ConversationsPage {
  readonly conversations: readonly Conversation[];
  /** Number of conversations that match the filter. */
  readonly total: number;
  /** Number of conversations in each state, independent of the filter. */
  readonly states: Readonly<Record<ConversationState, number>>;
  /** Number of conversations whose outcome is `failed` or `limit`. */
  readonly failures: number;
  readonly cursor: Cursor;
}

/** One conversation with the content of the detail panel. */
export interface ConversationDetail {
  readonly conversation: Conversation;
  readonly costByModel: Readonly<Record<string, CostInfo>>;
  readonly approvals: readonly Approval[];
  readonly tasks: readonly TaskInfo[];
  /** Tools, MCP servers and other settings that the CLI reports when it starts. */
  readonly setup: Readonly<Record<string, string>>;
  /** Forks of this conversation. */
  readonly children: readonly string[];
  readonly cursor: Cursor;
}

/** A background task, or a subagent that runs in the background. */
export interface TaskInfo {
  readonly id: string;
  readonly description: string;
  readonly state: 'running' | 'ended';
  /** How it ended, in the CLI's terms. */
  readonly status: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
}
