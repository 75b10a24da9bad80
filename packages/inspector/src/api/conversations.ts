import type { ActionName } from './actions.ts';
import type { Approval } from './approvals.ts';
import type { CostInfo } from './cost.ts';
import type { Cursor, SourceKind } from './server.ts';
import type { Outcome } from './turns.ts';

/**
 * `needs-me`: an approval is open. `running`: a turn runs. `waiting`: something is to run and cannot yet (queued, paused,
 * restarting, background work). `idle`: open, nothing to do. `done`: closed, or on disk only. `failed`: closed, and ended by an
 * error or a limit.
 */
export type ConversationState = 'needs-me' | 'running' | 'waiting' | 'idle' | 'done' | 'failed';

/** One conversation in the list. */
export interface Conversation {
  /** Unique in this server and safe in a URL. Stays the same when the server starts again, if the conversation does. */
  readonly id: string;
  /** The id of its source. */
  readonly source: string;
  readonly kind: SourceKind;
  /** The CLI's session id. */
  readonly sessionId: string | null;
  /** Its title, else the beginning of its first prompt; '' if it has neither yet. One line, at most 200 characters. */
  readonly title: string;
  readonly state: ConversationState;
  /** More about the state in a few words: `rate limit until 14:05`, `restarting (2)`, the outcome, the error. */
  readonly stateNote: string | null;
  /** How its last turn ended, whatever its state; `null` while one runs, and before the first. */
  readonly outcome: Outcome | null;
  readonly model: string | null;
  readonly cost: CostInfo;
  readonly startedAt: number | null;
  readonly updatedAt: number;
  /** The conversation it was forked from, if the server knows that one. */
  readonly parent: string | null;
  /** The key in its pool or fleet. */
  readonly key: string | null;
  /** The file of a recording, and which of its runs if it has several: `row.ndjson, run 2`. */
  readonly file: string | null;
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  /** How many entries the transcript has; `null` if it has not been read yet. */
  readonly entries: number | null;
  /** How many turns have ended. */
  readonly turns: number;
  /** How many approvals are open. */
  readonly approvals: number;
  readonly warnings: number;
  readonly errors: number;
  /** What can be done now; empty in read-only mode. */
  readonly actions: readonly ActionName[];
}

/** The newest first, those that need a person before the others. */
export interface ConversationsPage {
  readonly conversations: readonly Conversation[];
  /** How many match the filter. */
  readonly total: number;
  /** How many there are in each state, whatever the filter. */
  readonly states: Readonly<Record<ConversationState, number>>;
  /** How many of them have `failed`, or reached a `limit`. */
  readonly failures: number;
  readonly cursor: Cursor;
}

/** One conversation with what the right column shows. */
export interface ConversationDetail {
  readonly conversation: Conversation;
  readonly costByModel: Readonly<Record<string, CostInfo>>;
  readonly approvals: readonly Approval[];
  readonly tasks: readonly TaskInfo[];
  /** Tools, MCP servers and other facts that the CLI reports when it starts. */
  readonly setup: Readonly<Record<string, string>>;
  /** Forks of this conversation. */
  readonly children: readonly string[];
  readonly cursor: Cursor;
}

/** A background task or a subagent that runs on its own. */
export interface TaskInfo {
  readonly id: string;
  readonly description: string;
  readonly state: 'running' | 'ended';
  /** The CLI's word for how it ended. */
  readonly status: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
}
