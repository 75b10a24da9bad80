import type { AuditEntry } from './actions.ts';
import type { AnsweredApproval, Approval } from './approvals.ts';
import type { Conversation, ConversationsPage } from './conversations.ts';
import type { Entry } from './transcript.ts';
import type { TurnInfo } from './turns.ts';

/**
 * One event of `api/events`: an SSE message without an `event:` line, whose `data:` is this JSON and whose `id:` is a
 * `Cursor`. EventSource resumes by itself; nothing is lost or sent twice. `entry`, `delta`, `rewritten` and `turn` come only
 * for the conversation named by `watch`. Start it with the `cursor` of what was fetched before.
 */
export type ServerEvent =
  /**
   * The first event if there was no cursor, or the cursor is too old or of an earlier server: forget everything, take this
   * (the first page of the list) and fetch the watched transcript again.
   */
  | { readonly type: 'snapshot'; readonly page: ConversationsPage; readonly approvals: readonly Approval[] }
  /** New, or changed. */
  | { readonly type: 'conversation'; readonly conversation: Conversation }
  | { readonly type: 'conversation-removed'; readonly conversation: string }
  /** New, or changed: replaces the entry with the same `n`. */
  | { readonly type: 'entry'; readonly conversation: string; readonly entry: Entry }
  /** Text to append to the streaming entry `n`, which had `offset` characters before. Ignore it if that is not so. */
  | {
      readonly type: 'delta';
      readonly conversation: string;
      readonly n: number;
      readonly offset: number;
      readonly text: string;
    }
  /** The transcript is another one now (rewound, compacted, cleared): fetch it again. */
  | { readonly type: 'rewritten'; readonly conversation: string }
  | { readonly type: 'turn'; readonly conversation: string; readonly turn: TurnInfo }
  | { readonly type: 'approval'; readonly approval: Approval }
  | { readonly type: 'approval-answered'; readonly answered: AnsweredApproval }
  | { readonly type: 'audit'; readonly audit: AuditEntry }
  /** `api/stats` gives other figures now. One stands for many changes, but there may be several a second. */
  | { readonly type: 'stats-changed' }
  /** `api/queues` gives something else now. */
  | { readonly type: 'queues-changed' }
  /** The server closes; the page tries again by itself. */
  | { readonly type: 'bye' };
