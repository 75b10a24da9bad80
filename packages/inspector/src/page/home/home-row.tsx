import type { ComponentChild } from 'preact';
import type { Conversation } from '../../api.ts';
import { isFailure } from '../../conversations/outcome.ts';
import { now } from '../layout/clock.ts';
import { Status } from '../layout/status.tsx';
import { linkToConversation } from '../route.ts';
import { conversationSignal } from '../sessions/conversations.ts';
import { age, spent } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** A conversation on the first page: its title, and its last line or why it failed. */
export function HomeRow({ fetched }: { readonly fetched: Conversation }): ComponentChild {
  const { id } = fetched;
  // Events update the data of the list.
  const conversation = conversationSignal(id)?.value ?? fetched;
  const { title, state, outcome, stateNote, lastLine, cost, updatedAt } = conversation;
  const line = isFailure(conversation) ? stateNote : lastLine;
  return (
    <a class="home-row" href={linkToConversation(id)}>
      <span class="cut home-title" dir="auto">
        {visible(title) || 'Untitled conversation'}
      </span>
      <span class="small numbers quiet">{[spent(cost), age(updatedAt, now.value)].filter(Boolean).join(' · ')}</span>
      <span class="small home-line">
        <Status state={state} outcome={outcome} />
        <span class="cut" dir="auto">
          {visible(line ?? '')}
        </span>
      </span>
    </a>
  );
}
