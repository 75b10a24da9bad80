import '../styles/compare.css';
import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Entry } from '../../api.ts';
import { connection } from '../connection/event-stream.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { usePaced } from '../layout/use-paced.ts';
import { ViewHead } from '../layout/view-head.tsx';
import { conversationOf, needsFetch } from '../sessions/conversations.ts';
import { loadConversation } from '../sessions/load-conversation.ts';
import { plural } from '../text/format.ts';
import { allEntries } from '../transcript/all-entries.ts';
import { Choose } from './choose.tsx';
import { Column } from './column.tsx';
import { differenceOf } from './difference.ts';

/** Shortest interval between two fetches. */
const PAUSE_MS = 3_000;

/** Two conversations side by side, from where they differ. */
export function CompareView({ id, other }: { readonly id: string; readonly other: string | null }): ComponentChild {
  return other === null ? <Choose id={id} /> : <Comparison key={`${id} ${other}`} ids={[id, other]} />;
}

function Comparison({ ids }: { readonly ids: readonly [string, string] }): ComponentChild {
  const read = useSignal<readonly (readonly Entry[])[] | null>(null);
  const inOrder = useMemo(() => inRequestOrder<readonly (readonly Entry[])[]>((found) => (read.value = found)), []);
  const isLive = connection.value === 'live';
  useEffect(() => {
    for (const id of ids) if (needsFetch(id)) void loadConversation(id);
  }, [...ids, isLive]);
  const shown = ids.map((id) => conversationOf(id));
  const marks = shown.flatMap((each) => [each?.entries, each?.turns]);
  usePaced(PAUSE_MS, () => inOrder(() => Promise.all(ids.map(allEntries))), [isLive, ...marks]);
  const [a = [], b = []] = read.value ?? [];
  const difference = useMemo(() => differenceOf(a, b), [a, b]);
  const isSame = difference.from.every((from) => from === null);
  const alike =
    difference.same === 0 ? 'They differ from the start' : `They differ after ${plural(difference.same, 'step')}`;
  const note = isSame ? 'They say and call the same' : alike;
  return (
    <>
      <ViewHead title="Compare" note={read.value === null ? 'Loading …' : note} />
      <ScrollRegion name="view compare" label="Comparison">
        <div class="compare-columns">
          {[a, b].map((entries, at) => (
            <Column
              key={ids[at]}
              id={ids[at] ?? ''}
              entries={read.value === null ? null : entries}
              from={difference.from[at] ?? null}
            />
          ))}
        </div>
      </ScrollRegion>
    </>
  );
}
