import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { TurnInfo, TurnsPage } from '../../api.ts';
import { getJson } from '../connection/http.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { now } from '../layout/clock.ts';
import { Icon } from '../layout/icon.tsx';
import { Ended } from '../layout/status.tsx';
import { attempt } from '../layout/toasts.tsx';
import { linkToConversation, linkToTurn } from '../route.ts';
import { duration, spent } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { type PlacedSpan, placed } from '../waterfall/span-tree.ts';
import { SPAN_ICONS, spanName } from './span-words.ts';
import { turnEvents } from './turn-events.ts';

const SHOWN_TURNS = 20;

/** The last turns of a conversation: what ran, when, and for how long. */
export function Timeline({ id, mark }: { readonly id: string; readonly mark: string }): ComponentChild {
  const page = useSignal<TurnsPage | null>(null);
  const read = useMemo(() => inRequestOrder<TurnsPage>((found) => (page.value = found)), [id]);
  useEffect(() => {
    const url = `api/conversations/${encodeURIComponent(id)}/turns?from=-${SHOWN_TURNS}&limit=${SHOWN_TURNS}`;
    void attempt(() => read(() => getJson(url)));
  }, [id, mark]);
  const live = turnEvents.value?.conversation === id ? turnEvents.value.turn : null;
  const fetched = page.value?.turns ?? [];
  const turns = live === null ? fetched : [...fetched.filter((turn) => turn.id !== live.id), live];
  if (page.value !== null && turns.length === 0) return <p class="quiet small">No turn has started yet.</p>;
  return (
    <ol class="turns">
      {[...turns].reverse().map((turn) => (
        <li key={turn.id}>
          <Turn id={id} turn={turn} />
        </li>
      ))}
    </ol>
  );
}

function Turn({ id, turn }: { readonly id: string; readonly turn: TurnInfo }): ComponentChild {
  // The page's clock ticks once a second: later events count, too.
  const latest = turn.spans.map((span) => span.endedAt ?? span.startedAt);
  const end = turn.endedAt ?? Math.max(now.value, turn.startedAt + 1, ...latest);
  const length = Math.max(1, end - turn.startedAt);
  return (
    <section>
      <h3 class="section-title turn-head">
        <a class="cut" href={linkToConversation(id, turn.firstEntry)} dir="auto">
          {visible(turn.title) || 'Turn'}
        </a>
        <span class="grow" />
        <span class="numbers quiet small">{[duration(length), spent(turn.cost)].filter(Boolean).join(' · ')}</span>
      </h3>
      <p class="small quiet turn-outcome">
        {turn.outcome === null ? 'Running' : <Ended outcome={turn.outcome} />}
        {turn.reason === null ? null : <span>{visible(turn.reason)}</span>}
        <span class="grow" />
        <a href={linkToTurn(id, turn.id)}>Waterfall</a>
      </p>
      <ul class="spans">
        {placed(turn.spans, end)
          .filter(({ span }) => span.kind !== 'thinking')
          .map((one) => (
            <SpanRow key={one.span.id} id={id} placed={one} start={turn.startedAt} length={length} />
          ))}
      </ul>
      {turn.spansLeftOut > 0 ? <p class="small quiet">and {turn.spansLeftOut} more</p> : null}
    </section>
  );
}

function SpanRow({
  id,
  placed: { span, depth, from, to, waitedMs },
  start,
  length,
}: {
  readonly id: string;
  readonly placed: PlacedSpan;
  readonly start: number;
  readonly length: number;
}): ComponentChild {
  const left = Math.max(0, Math.min(99.2, ((from - start) / length) * 100));
  const width = Math.max(0.8, Math.min(100 - left, ((to - from) / length) * 100));
  const took = duration(span.kind === 'permission' ? to - from : Math.max(0, to - from - waitedMs));
  const label = `${span.kind} ${span.name} ${span.argument}, ${took}${span.outcome === null ? '' : `, ${span.outcome}`}`;
  const content = (
    <>
      <Icon name={SPAN_ICONS[span.kind]} />
      <span class="cut span-name">{[spanName(span), visible(span.argument)].filter(Boolean).join(' ')}</span>
      <span class="numbers quiet span-time">{took}</span>
      <span class="span-track" aria-hidden="true">
        <span class={`span-bar span-${span.kind}`} style={{ left: `${left}%`, width: `${width}%` }} />
      </span>
    </>
  );
  return (
    <li class="small" style={{ '--depth': Math.min(depth, 4) }} title={visible(label)}>
      {span.entry === null ? (
        <span class="span">{content}</span>
      ) : (
        <a class="span" href={linkToConversation(id, span.entry)}>
          {content}
        </a>
      )}
    </li>
  );
}
