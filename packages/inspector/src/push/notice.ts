import type { Approval } from '../api.ts';

/** A notification about a request. It names the tool and the conversation only: it may be shown on a locked screen. */
export interface Notice {
  readonly title: string;
  readonly body: string;
  /** The id of the request: a later notice replaces an earlier one. */
  readonly tag: string;
  /** The link that a click opens. */
  readonly view: string;
}

/** The notice about a request. Server and page share it, so that both notify in the same way. */
export function noticeOf({ id, kind, tool, conversation, conversationTitle }: Approval): Notice {
  const title =
    kind === 'tool' ? `${tool} needs you` : kind === 'plan' ? 'A plan to approve' : 'The agent has a question';
  return { title, body: conversationTitle, tag: id, view: `#/c/${encodeURIComponent(conversation)}` };
}
