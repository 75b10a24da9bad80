import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Entry } from '../../api.ts';
import { connection } from '../connection/event-stream.ts';
import { now } from '../layout/clock.ts';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { attempt } from '../layout/toasts.tsx';
import { ViewHead } from '../layout/view-head.tsx';
import { linkToConversation } from '../route.ts';
import { conversationOf, needsFetch } from '../sessions/conversations.ts';
import { loadConversation } from '../sessions/load-conversation.ts';
import { dateTime, modelName, plural, spent } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { allEntries } from '../transcript/all-entries.ts';
import { EntryRow } from '../transcript/entry-row.tsx';
import { ShownWhole } from './shown-whole.ts';

/** Most entries on paper: all of them are on the page at once. */
const MOST = 5_000;

/** A whole conversation, unfolded, for printing. */
export function PrintView({ id }: { readonly id: string }): ComponentChild {
  const entries = useSignal<readonly Entry[] | null>(null);
  const isLive = connection.value === 'live';
  useEffect(() => {
    if (needsFetch(id)) void loadConversation(id);
    void attempt(async () => {
      entries.value = await allEntries(id);
    });
  }, [id, isLive]);
  const conversation = conversationOf(id);
  const { model = null, cost = null, startedAt = null } = conversation ?? {};
  const facts = [startedAt === null ? '' : dateTime(startedAt, now.peek()), modelName(model ?? ''), spent(cost)];
  const left = (entries.value?.length ?? 0) - MOST;
  return (
    <>
      <ViewHead
        title={visible(conversation?.title ?? '') || 'Conversation'}
        note={entries.value === null ? 'Loading …' : visible(facts.filter(Boolean).join(' · '))}
      >
        <a class="button" href={linkToConversation(id)}>
          Back
        </a>
        <button type="button" class="button" disabled={entries.value === null} onClick={() => print()}>
          Print
        </button>
      </ViewHead>
      <ScrollRegion name="view print" label="Conversation">
        <ShownWhole.Provider value>
          {entries.value?.slice(0, MOST).map((entry) => (
            <EntryRow key={entry.n} entry={entry} open selected={false} onToggle={() => {}} onSelect={() => {}} />
          ))}
        </ShownWhole.Provider>
        {left <= 0 ? null : (
          <p class="small quiet">and {plural(left, 'more step')}: export the conversation instead.</p>
        )}
      </ScrollRegion>
    </>
  );
}
