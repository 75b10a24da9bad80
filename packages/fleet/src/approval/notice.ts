import type { Approval } from '../fleet/approvals.ts';

/**
 * What a notice is about. `requested`: an answer is needed. `escalated`: an answer of other groups is needed. The others close the
 * approval; `answered` means that the answer has reached the agent.
 */
export type NoticeKind = (typeof KINDS)[number];

const KINDS = ['requested', 'escalated', 'answered', 'expired', 'void'] as const;

/** What happened to an approval: the body of a webhook, and the argument of `onApproval`. */
export interface ApprovalNotice {
  readonly type: `approval.${NoticeKind}`;
  /** When it happened, in the format of ISO 8601. */
  readonly timestamp: string;
  /** The approval as it is when the notice is sent, which may be later. */
  readonly data: NoticedApproval;
}

/** An approval in a notice. */
export interface NoticedApproval extends Omit<Approval, 'request' | 'answer'> {
  /** What is asked; null if it has more than 256 KB. `hash` covers all of it in any case. */
  readonly request: NoticedRequest | null;
  readonly decision: string | null;
}

/** What an agent asks for, in a notice. */
export interface NoticedRequest {
  readonly kind: 'tool' | 'question' | 'plan';
  readonly toolName: string;
  readonly input: unknown;
  readonly toolUseId?: string | undefined;
  readonly description?: string | undefined;
}

const LARGEST_INPUT = 256 * 1024;

/** The notice about an approval. */
export function noticeOf(kind: NoticeKind, at: Date, { request, answer, ...approval }: Approval): ApprovalNotice {
  const { kind: asked, toolName, input, toolUseId, description } = request;
  const isLarge = JSON.stringify(input ?? null).length > LARGEST_INPUT;
  return {
    type: `approval.${kind}`,
    timestamp: at.toISOString(),
    data: {
      ...approval,
      request: isLarge ? null : { kind: asked, toolName, input, toolUseId, description },
      decision: answer?.decision ?? null,
    },
  };
}

/** True for the name of a kind. */
export function isNoticeKind(value: unknown): value is NoticeKind {
  return KINDS.some((kind) => kind === value);
}
