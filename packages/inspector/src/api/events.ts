import type { AuditEntry } from './actions.ts';
import type { AnsweredApproval, Approval } from './approvals.ts';
import type { Conversation, ConversationsPage } from './conversations.ts';
import type { Entry } from './transcript.ts';
import type { TurnInfo } from './turns.ts';

/**
 * One event of `api/events`: an SSE message without an `event:` line, whose `data:` is this JSON and whose `id:` is a
 * `Cursor`. EventSource resumes automatically; nothing is lost or sent twice. `entry`, `delta`, `rewritten` and `turn` are sent only
 * for the conversation in `watch`. Start the stream with the `cursor` of the data fetched before.
 */
export type ServerEvent =
  /**
   * The first event if the request has no cursor, or one that is too old or from an earlier server: discard everything, use this
   * first page of the list, and fetch the watched transcript again.
   */
  | { readonly type: 'snapshot'; readonly page: ConversationsPage; readonly approvals: readonly Approval[] }
  /** A new or changed conversation. */
  | { readonly type: 'conversation'; readonly conversation: Conversation }
  | { readonly type: 'conversation-removed'; readonly conversation: string }
  /** A new or changed entry: replaces the entry with the same `n`. */
  | { readonly type: 'entry'; readonly conversation: string; readonly entry: Entry }
  /** Text to append to the streaming entry `n`, whose length was `offset` before. If its length differs, ignore the event. */
  | {
      readonly type: 'delta';
      readonly conversation: string;
      readonly n: number;
      readonly offset: number;
      readonly text: string;
    }
  /** The transcript was replaced (rewound, compacted, cleared): fetch it again. */
  | { readonly type: 'rewritten'; readonly conversation: string }
  | { readonly type: 'turn'; readonly conversation: string; readonly turn: TurnInfo }
  | { readonly type: 'approval'; readonly approval: Approval }
  | { readonly type: 'approval-answered'; readonly answered: AnsweredApproval }
  | { readonly type: 'audit'; readonly audit: AuditEntry }
  /** `api/stats` has new figures. One event may cover many changes; there may be several per second. */
  | { readonly type: 'stats-changed' }
  /** `api/queues` has changed. */
  | { readonly type: 'queues-changed' }
  /** The server is closing; the page reconnects automatically. */
  | { readonly type: 'bye' };
