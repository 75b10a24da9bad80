import type { AuditEntry } from './actions.ts';

/** Who was asked, who answered, and what people did, newest first. */
export interface AuditPage {
  /** Requests for permission, questions and plans that waited for a person. */
  readonly requests: readonly AuditedRequest[];
  /** Actions of people on the page. */
  readonly entries: readonly AuditEntry[];
}

/** A request, and its answer. */
export interface AuditedRequest {
  /** As in `Approval.id`. */
  readonly id: string;
  readonly conversation: string;
  readonly conversationTitle: string;
  /** `Bash: npm test`. */
  readonly what: string;
  readonly entry: number | null;
  readonly askedAt: number;
  /** The groups that may answer; `null`: anyone who may use the page. */
  readonly groups: readonly string[] | null;
  /** Who opened it, where the source records that. */
  readonly seenBy: readonly string[];
  /** `null` while it waits. */
  readonly answeredAt: number | null;
  /** As in `AnsweredApproval.decision`; `null` while it waits. */
  readonly decision: string | null;
  readonly by: string | null;
  /** Where the answer came from: `page`, `program`, or what a fleet has recorded, such as `cox`; `null` if there is none. */
  readonly from: string | null;
}
