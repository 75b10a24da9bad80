import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Span, TurnInfo, TurnsPage } from '../../api.ts';
import { getJson } from '../connection/http.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { now } from '../layout/clock.ts';
import { Icon, type IconName } from '../layout/icon.tsx';
import { Ended } from '../layout/status.tsx';
import { attempt } from '../layout/toasts.tsx';
import { linkToConversation } from '../route.ts';
import { duration, spent } from '../text/format.ts';
import { visible } from '../text/visible.ts';
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

const ICONS: Readonly<Record<Span['kind'], IconName>> = {
  tool: 'tool',
  hook: 'chevron',
  permission: 'needs-me',
  subagent: 'agent',
  task: 'queue',
};

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
      </p>
      <ul class="spans">
        {inOrder(turn.spans).map(({ span, depth }) => (
          <SpanRow key={span.id} id={id} span={span} depth={depth} start={turn.startedAt} length={length} end={end} />
        ))}
      </ul>
      {turn.spansLeftOut > 0 ? <p class="small quiet">and {turn.spansLeftOut} more</p> : null}
    </section>
  );
}

/** The spans in display order: a subagent's spans below it, and the wait for a person below the call that asks. */
function inOrder(spans: readonly Span[]): readonly { readonly span: Span; readonly depth: number }[] {
  const above = (span: Span): Span | undefined =>
    span.kind === 'permission'
      ? spans.find(({ kind, entry }) => kind !== 'permission' && entry !== null && entry === span.entry)
      : spans.find(({ id }) => id === span.parent);
  const below = new Map<Span | undefined, Span[]>();
  for (const span of spans) {
    const parent = above(span);
    below.set(parent, [...(below.get(parent) ?? []), span]);
  }
  const branch = (parent: Span | undefined, depth: number): { readonly span: Span; readonly depth: number }[] =>
    (below.get(parent) ?? []).flatMap((span) => [{ span, depth }, ...branch(span, depth + 1)]);
  return branch(undefined, 0);
}

/** The display name of a span. A permission is the time until a person or the program has answered. */
function nameOf({ kind, name, endedAt }: Span): string {
  if (kind === 'permission') return endedAt === null ? 'waits for an answer' : 'waited for an answer';
  if (kind === 'hook') return `hook ${visible(name)}`;
  if (kind === 'task') return `${visible(name)} (background)`;
  return visible(name);
}

function SpanRow({
  id,
  span,
  depth,
  start,
  length,
  end,
}: {
  readonly id: string;
  readonly span: Span;
  readonly depth: number;
  readonly start: number;
  readonly length: number;
  readonly end: number;
}): ComponentChild {
  const from = Math.max(0, Math.min(99.2, ((span.startedAt - start) / length) * 100));
  const took = Math.max(0, (span.endedAt ?? end) - span.startedAt);
  const width = Math.max(0.8, Math.min(100 - from, (took / length) * 100));
  const label = `${span.kind} ${span.name}, ${duration(took)}${span.outcome === null ? '' : `, ${span.outcome}`}`;
  const content = (
    <>
      <Icon name={ICONS[span.kind]} />
      <span class="cut span-name">{nameOf(span)}</span>
      <span class="numbers quiet span-time">{duration(took)}</span>
      <span class="span-track" aria-hidden="true">
        <span class={`span-bar span-${span.kind}`} style={{ left: `${from}%`, width: `${width}%` }} />
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
