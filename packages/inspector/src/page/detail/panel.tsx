import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { ConversationDetail } from '../../api.ts';
import { getJson, RequestError } from '../connection/http.ts';
import { openTranscript } from '../conversation/open-transcript.ts';
import { Icon } from '../layout/icon.tsx';
import { onKey } from '../layout/shortcuts.ts';
import { show } from '../route.ts';
import { conversationOf, snapshots } from '../sessions/conversations.ts';
import { selectedEntry } from '../transcript/selection.ts';
import { Agents } from './agents.tsx';
import { ConversationOverview } from './conversation-overview.tsx';
import { CostDetail } from './cost-detail.tsx';
import { EntryDetail } from './entry-detail.tsx';
import { coversPage, detailOpen, type Tab, tab } from './panel-state.ts';
import { Timeline } from './timeline.tsx';

const TABS: readonly (readonly [Tab, string])[] = [
  ['detail', 'Detail'],
  ['timeline', 'Timeline'],
  ['agents', 'Agents'],
  ['cost', 'Cost'],
];

/** The right column: the selected entry in full, the timeline, the subagents and the cost of the conversation. */
export function DetailPanel({ id }: { readonly id: string }): ComponentChild {
  useLayoutEffect(() => onKey(']', () => (detailOpen.value = !detailOpen.value)), []);
  if (!detailOpen.value) return null;
  return (
    <>
      <Backdrop />
      <section class="column-detail" aria-label="Details">
        <div class="tabs">
          <div role="tablist" aria-label="Details">
            {TABS.map(([name, label]) => (
              <button
                key={name}
                type="button"
                role="tab"
                id={`tab-${name}`}
                class="tab"
                aria-selected={tab.value === name}
                aria-controls="tab-panel"
                onClick={() => (tab.value = name)}
              >
                {label}
              </button>
            ))}
          </div>
          <span class="grow" />
          <button
            type="button"
            class="button button-plain button-icon"
            aria-label="Close the details"
            title="Close the details (])"
            onClick={() => (detailOpen.value = false)}
          >
            <Icon name="close" />
          </button>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <div class="panel" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab.value}`} tabIndex={0}>
          <PanelContent key={id} id={id} />
        </div>
      </section>
    </>
  );
}

/** On narrow pages: dims the content behind the details; a click on it, or Escape, closes them. */
function Backdrop(): ComponentChild {
  const close = (): void => {
    detailOpen.value = false;
  };
  useLayoutEffect(() => (coversPage() ? onKey('Escape', close) : undefined), []);
  // The button in the panel does the same for keyboards and screen readers.
  return <div class="backdrop below-desktop" aria-hidden="true" onClick={close} />;
}

function PanelContent({ id }: { readonly id: string }): ComponentChild {
  const detail = useSignal<ConversationDetail | null>(null);
  // Data that events do not carry (setup, cost by model, tasks) is fetched again when a turn or a state changes, and when
  // events may have been missed.
  const conversation = conversationOf(id);
  const { turns, state, approvals, cost } = conversation ?? {};
  const mark = [turns, state, approvals, cost?.usd, snapshots.value].join('-');
  useEffect(() => {
    const stop = new AbortController();
    getJson<ConversationDetail>(`api/conversations/${encodeURIComponent(id)}`, stop.signal).then(
      (found) => {
        detail.value = found;
      },
      (error: unknown) => {
        // The conversation view reports a missing conversation.
        if (!(error instanceof RequestError) && !stop.signal.aborted) throw error;
      },
    );
    return () => stop.abort();
  }, [id, mark]);
  const selected = useSignal(selectedEntry.value);
  useSignalEffect(() => {
    selected.value = selectedEntry.value;
  });
  const transcript = openTranscript.value;
  transcript?.version.value;
  const n = selected.value?.conversation === id ? selected.value.n : -1;
  useEffect(() => {
    // The entry may be far from the visible part of the transcript.
    if (n >= 0 && n < (transcript?.total.peek() ?? 0)) transcript?.ensure(n, n + 1);
  }, [transcript, n, transcript?.version.value]);
  const entry = n < 0 ? undefined : transcript?.at(n);
  if (tab.value === 'timeline') return <Timeline id={id} mark={mark} />;
  if (tab.value === 'agents') return <Agents id={id} tasks={detail.value?.tasks ?? []} />;
  if (tab.value === 'cost') return <CostDetail id={id} detail={detail.value} />;
  if (entry !== undefined) {
    const close = (): void => {
      selectedEntry.value = null;
      show({ view: 'conversation', id, entry: null }, true);
    };
    return <EntryDetail entry={entry} onClose={close} />;
  }
  return conversation === undefined ? null : <ConversationOverview conversation={conversation} detail={detail.value} />;
}
