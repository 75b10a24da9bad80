import type { ComponentChild } from 'preact';
import type { QueueInfo } from '../../api.ts';
import { now } from '../layout/clock.ts';
import { approvals } from '../needs/approvals.ts';
import { termsText } from '../needs/terms-text.ts';
import { linkToConversation } from '../route.ts';
import { conversationOf } from '../sessions/conversations.ts';
import { age, plural } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** The parked turns of a fleet, oldest first, with what each waits for, who may answer, and until when. */
export function Parked({ queue }: { readonly queue: QueueInfo }): ComponentChild {
  const waiting = approvals.value.flatMap((approval) => {
    const { terms, conversation } = approval;
    const source = conversationOf(conversation)?.source ?? queue.source;
    return terms === null || terms.parkedAt === null || source !== queue.source ? [] : [{ ...approval, terms }];
  });
  if (queue.parked === 0) return null;
  const answered = queue.parked - waiting.length;
  return (
    <>
      <h4 class="queue-title">Parked</h4>
      <ul class="tree small">
        {waiting.map(({ id, conversation, conversationTitle, tool, argument, requestedAt, terms }) => (
          <li key={id} class="queue-row">
            <span class="tag small cut queue-key">
              {visible(conversationOf(conversation)?.key ?? conversationTitle)}
            </span>
            <a class="cut" href={linkToConversation(conversation)}>
              {visible([tool, argument].filter(Boolean).join(': '))}
            </a>
            <span class="numbers quiet">{age(requestedAt, now.value)}</span>
            <span class="quiet queue-note">{visible(termsText(terms, now.value))}</span>
          </li>
        ))}
      </ul>
      {answered <= 0 ? null : (
        <p class="small quiet">{plural(answered, 'parked turn')} with an answer, for which no worker was free yet.</p>
      )}
    </>
  );
}
