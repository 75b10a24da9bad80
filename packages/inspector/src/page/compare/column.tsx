import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import type { Conversation, Entry } from '../../api.ts';
import { linkToConversation } from '../route.ts';
import { conversationOf } from '../sessions/conversations.ts';
import { duration, modelName, plural, spent, tokensText } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { EntryRow } from '../transcript/entry-row.tsx';

/** Entries that are shown before the link to the rest. */
const SHOWN = 200;

/** One of the compared conversations: what it is, and what it has from the difference on. */
export function Column({
  id,
  entries,
  from,
}: {
  readonly id: string;
  readonly entries: readonly Entry[] | null;
  readonly from: number | null;
}): ComponentChild {
  const open = useSignal<ReadonlySet<number>>(new Set());
  const conversation = conversationOf(id);
  const rest = from === null ? [] : (entries ?? []).filter(({ n }) => n >= from);
  const toggle = ({ n }: Entry): void => {
    const next = new Set(open.peek());
    if (!next.delete(n)) next.add(n);
    open.value = next;
  };
  return (
    <section class="compare-column" aria-label={visible(conversation?.title ?? id)}>
      <header class="compare-head">
        <a href={linkToConversation(id, from)} class="cut" dir="auto">
          {visible(conversation?.title ?? '') || 'Untitled conversation'}
        </a>
        <span class="small quiet numbers">{conversation === undefined ? '' : figuresOf(conversation)}</span>
      </header>
      {entries !== null && rest.length === 0 ? <p class="small quiet">Nothing more.</p> : null}
      {rest.slice(0, SHOWN).map((entry) => (
        <EntryRow
          key={entry.n}
          entry={entry}
          open={open.value.has(entry.n)}
          selected={false}
          onToggle={toggle}
          onSelect={() => {}}
        />
      ))}
      {rest.length <= SHOWN ? null : (
        <a class="button" href={linkToConversation(id, rest[SHOWN]?.n ?? null)}>
          {plural(rest.length - SHOWN, 'more entry').replace(/entrys$/, 'entries')}
        </a>
      )}
    </section>
  );
}

function figuresOf({ model, cost, turns, startedAt, updatedAt }: Conversation): string {
  const lasted = startedAt === null ? '' : duration(Math.max(0, updatedAt - startedAt));
  const parts = [model === null ? '' : visible(modelName(model)), plural(turns, 'turn'), spent(cost), tokensText(cost)];
  return [...parts, lasted].filter(Boolean).join(' · ');
}
