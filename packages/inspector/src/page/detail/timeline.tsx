import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Span, TurnInfo, TurnsPage } from '../../api.ts';
import { getJson } from '../connection/http.ts';
import { now } from '../layout/clock.ts';
import { Icon, type IconName } from '../layout/icon.tsx';
import { attempt } from '../layout/toasts.tsx';
import { linkToConversation } from '../route.ts';
import { duration, usd } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { turnEvents } from './turn-events.ts';

const SHOWN_TURNS = 20;

/** The last turns of a conversation: what ran when, and for how long. */
export function Timeline({ id, mark }: { readonly id: string; readonly mark: string }): ComponentChild {
  const page = useSignal<TurnsPage | null>(null);
  useEffect(() => {
    void attempt(async () => {
      page.value = await getJson<TurnsPage>(
        `api/conversations/${encodeURIComponent(id)}/turns?from=-${SHOWN_TURNS}&limit=${SHOWN_TURNS}`,
      );
    });
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

const ICONS: Readonly<Record<Span['kind'], IconName>> = {
  tool: 'tool',
  hook: 'chevron',
  permission: 'needs-me',
  subagent: 'agent',
  task: 'queue',
};

function Turn({ id, turn }: { readonly id: string; readonly turn: TurnInfo }): ComponentChild {
  const end = turn.endedAt ?? Math.max(now.value, turn.startedAt + 1);
  const length = Math.max(1, end - turn.startedAt);
  return (
    <section>
      <h3 class="section-title turn-head">
        <a class="cut" href={linkToConversation(id, turn.firstEntry)} dir="auto">
          {visible(turn.title) || 'Turn'}
        </a>
        <span class="grow" />
        <span class="numbers quiet small">
          {duration(length)}
          {turn.cost === null ? '' : ` · ${usd(turn.cost.usd)}`}
        </span>
      </h3>
      <p class="small quiet">{turn.outcome ?? 'running'}</p>
      <ul class="spans">
        {turn.spans.map((span) => (
          <SpanRow key={span.id} id={id} span={span} start={turn.startedAt} length={length} end={end} />
        ))}
      </ul>
      {turn.spansLeftOut > 0 ? <p class="small quiet">and {turn.spansLeftOut} more</p> : null}
    </section>
  );
}

function SpanRow({
  id,
  span,
  start,
  length,
  end,
}: {
  readonly id: string;
  readonly span: Span;
  readonly start: number;
  readonly length: number;
  readonly end: number;
}): ComponentChild {
  const from = Math.max(0, Math.min(100, ((span.startedAt - start) / length) * 100));
  const took = Math.max(0, (span.endedAt ?? end) - span.startedAt);
  const width = Math.max(0.8, Math.min(100 - from, (took / length) * 100));
  const label = `${span.kind} ${span.name}, ${duration(took)}${span.outcome === null ? '' : `, ${span.outcome}`}`;
  const content = (
    <>
      <Icon name={ICONS[span.kind]} />
      <span class="cut span-name">{visible(span.name)}</span>
      <span class="numbers quiet span-time">{duration(took)}</span>
      <span class="span-track" aria-hidden="true">
        <span class={`span-bar span-${span.kind}`} style={{ left: `${from}%`, width: `${width}%` }} />
      </span>
    </>
  );
  return (
    <li class="small" data-nested={span.parent !== null} title={visible(label)}>
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
