import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Conversation, ConversationDetail, ConversationsPage } from '../../api.ts';
import { getJson } from '../connection/http.ts';
import { now } from '../layout/clock.ts';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { attempt } from '../layout/toasts.tsx';
import { ViewHead } from '../layout/view-head.tsx';
import { linkToCompare } from '../route.ts';
import { age } from '../text/format.ts';
import { visible } from '../text/visible.ts';

const LATEST = 50;

/** Chooses the other conversation: the original, the forks, then the newest ones. */
export function Choose({ id }: { readonly id: string }): ComponentChild {
  const choices = useSignal<readonly Conversation[] | null>(null);
  useEffect(() => {
    void attempt(async () => {
      choices.value = await choicesFor(id);
    });
  }, [id]);
  return (
    <>
      <ViewHead title="Compare" note={choices.value === null ? 'Loading …' : 'Choose the other conversation'} />
      <ScrollRegion name="view" label="Conversations">
        {choices.value?.length === 0 ? <p class="quiet">There is no other conversation.</p> : null}
        <ul class="plain-list">
          {choices.value?.map((each) => (
            <li key={each.id}>
              <a class="compare-choice" href={linkToCompare(id, each.id)}>
                <span class="cut grow" dir="auto">
                  {visible(each.title) || 'Untitled conversation'}
                </span>
                <span class="small quiet cut">{visible(each.cwd ?? '')}</span>
                <span class="small quiet numbers">{age(each.updatedAt, now.peek())}</span>
              </a>
            </li>
          ))}
        </ul>
      </ScrollRegion>
    </>
  );
}

async function choicesFor(id: string): Promise<readonly Conversation[]> {
  const [{ conversation, children }, page] = await Promise.all([
    getJson<ConversationDetail>(`api/conversations/${encodeURIComponent(id)}`),
    getJson<ConversationsPage>(`api/conversations?limit=${LATEST}`),
  ]);
  const related = new Set([conversation.parent, ...children]);
  const others = page.conversations.filter((each) => each.id !== conversation.id);
  return [...others].sort((a, b) => Number(related.has(b.id)) - Number(related.has(a.id)));
}
