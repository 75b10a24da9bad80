import '../styles/waterfall.css';
import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import type { TurnInfo, TurnsPage } from '../../api.ts';
import { addCost } from '../../conversations/cost.ts';
import { connection, unwatch, watch } from '../connection/event-stream.ts';
import { getJson } from '../connection/http.ts';
import { inRequestOrder } from '../connection/request-order.ts';
import { turnEvents } from '../detail/turn-events.ts';
import { now } from '../layout/clock.ts';
import { Icon } from '../layout/icon.tsx';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { onKey } from '../layout/shortcuts.ts';
import { attempt } from '../layout/toasts.tsx';
import { ViewHead } from '../layout/view-head.tsx';
import { linkToConversation } from '../route.ts';
import { snapshots } from '../sessions/conversations.ts';
import { duration, roughDuration, spent } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { SpanRow } from './span-row.tsx';
import { type Period, type PlacedSpan, placed, timeSpent } from './span-tree.ts';
import { around, moved, ticksOf, zoomed } from './zoom.ts';

/** Number of the newest turns among which the shown one is looked for. */
const TURNS = 200;
const TICKS = 6;

/** A turn over time: the calls of the model, its thinking, tools, hooks, subagents and the waiting for people. */
export function WaterfallView({ id, turn: wanted }: { readonly id: string; readonly turn: string }): ComponentChild {
  const page = useSignal<TurnsPage | null>(null);
  const read = useMemo(() => inRequestOrder<TurnsPage>((found) => (page.value = found)), [id]);
  useEffect(() => {
    watch(id);
    return () => unwatch(id);
  }, [id]);
  useEffect(() => {
    void attempt(() =>
      read(() => getJson(`api/conversations/${encodeURIComponent(id)}/turns?from=-${TURNS}&limit=${TURNS}`)),
    );
  }, [id, snapshots.value, connection.value === 'live']);
  const live =
    turnEvents.value?.conversation === id && turnEvents.value.turn.id === wanted ? turnEvents.value.turn : null;
  const turn = live ?? page.value?.turns.find((each) => each.id === wanted);
  if (turn !== undefined) return <Waterfall key={`${id} ${wanted}`} id={id} turn={turn} />;
  const note = page.value === null ? 'Loading …' : 'This turn is too old to be shown, or does not exist.';
  return <ViewHead title="Waterfall" note={note} />;
}

function Waterfall({ id, turn }: { readonly id: string; readonly turn: TurnInfo }): ComponentChild {
  const zoom = useSignal<Period | null>(null);
  const latest = turn.spans.map((span) => span.endedAt ?? span.startedAt);
  const whole = { from: turn.startedAt, to: turn.endedAt ?? Math.max(now.value, turn.startedAt + 1, ...latest) };
  const shown = zoom.value ?? whole;
  const rows = placed(turn.spans, whole.to);
  const set = (next: Period): void => {
    zoom.value = next.to - next.from >= whole.to - whole.from ? null : next;
  };
  const keys: readonly (readonly [string, () => void])[] = [
    ['+', () => set(zoomed(shown, whole, 0.5))],
    ['-', () => set(zoomed(shown, whole, 2))],
    ['0', () => set(whole)],
    ['ArrowLeft', () => set(moved(shown, whole, -0.25))],
    ['ArrowRight', () => set(moved(shown, whole, 0.25))],
  ];
  useLayoutEffect(() => {
    const removes = keys.map(([key, act]) => onKey(key, act));
    return () => {
      for (const remove of removes) remove();
    };
  });
  const ticks = ticksOf(shown, turn.startedAt, TICKS);
  return (
    <>
      <ViewHead title={visible(turn.title) || 'Turn'} note={noteOf(turn, whole, rows)} />
      <ScrollRegion name="view fall" label="Waterfall of the turn">
        <div class="fall-tools">
          <ZoomButtons keys={keys} isZoomed={zoom.value !== null} />
          <span class="grow" />
          <a class="button" href={linkToConversation(id, turn.firstEntry)}>
            Transcript
          </a>
        </div>
        <table>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col" class="numbers fall-figure">
                Tokens
              </th>
              <th scope="col" class="numbers fall-figure">
                Cost
              </th>
              <th scope="col" class="numbers fall-figure">
                Took
              </th>
              <th scope="col" class="fall-axis">
                <span class="hidden-visually">When, since the start of the turn</span>
                {ticks.map((tick) => (
                  <span
                    key={tick}
                    class="numbers fall-tick"
                    style={{ left: `${((tick + turn.startedAt - shown.from) / (shown.to - shown.from)) * 100}%` }}
                  >
                    {tick === 0 ? '0 s' : tick < 1_000 ? duration(tick) : roughDuration(tick)}
                  </span>
                ))}
              </th>
            </tr>
          </thead>
          <tbody
            onWheel={(event) => {
              if (!event.ctrlKey && !event.metaKey) return;
              event.preventDefault();
              set(zoomed(shown, whole, event.deltaY < 0 ? 0.8 : 1.25));
            }}
          >
            {rows.map((row) => (
              <SpanRow key={row.span.id} id={id} placed={row} shown={shown} onZoom={(to) => set(around(to, whole))} />
            ))}
          </tbody>
        </table>
        {rows.length === 0 ? <p class="small quiet">Nothing was recorded in this turn.</p> : null}
        {turn.spansLeftOut > 0 ? <p class="small quiet">and {turn.spansLeftOut} more</p> : null}
      </ScrollRegion>
    </>
  );
}

function ZoomButtons({
  keys,
  isZoomed,
}: {
  readonly keys: readonly (readonly [string, () => void])[];
  readonly isZoomed: boolean;
}): ComponentChild {
  const [plus, minus, fit] = keys;
  return (
    <fieldset class="fall-zoom" aria-label="Zoom">
      <button
        type="button"
        class="button button-icon"
        aria-label="Zoom in"
        title="Zoom in (+)"
        onClick={() => plus?.[1]()}
      >
        +
      </button>
      <button
        type="button"
        class="button button-icon"
        aria-label="Zoom out"
        title="Zoom out (-)"
        disabled={!isZoomed}
        onClick={() => minus?.[1]()}
      >
        −
      </button>
      <button type="button" class="button" title="The whole turn (0)" disabled={!isZoomed} onClick={() => fit?.[1]()}>
        <Icon name="list" />
        All
      </button>
    </fieldset>
  );
}

/** The time and cost of the turn, and where the time went. */
function noteOf({ cost, spans }: TurnInfo, { from, to }: Period, rows: readonly PlacedSpan[]): string {
  const { model, tools, hooks, waiting } = timeSpent(rows);
  const parts = Object.entries({ model, tools, hooks, 'waiting for people': waiting }).filter(([, ms]) => ms > 0);
  const ofCalls = spans.flatMap((span) => span.cost ?? []);
  const shown = cost ?? (ofCalls.length === 0 ? null : ofCalls.reduce(addCost));
  return [duration(to - from), spent(shown), ...parts.map(([name, ms]) => `${name} ${duration(ms)}`)]
    .filter(Boolean)
    .join(' · ');
}
