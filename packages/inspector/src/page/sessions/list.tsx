import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { serverInfo } from '../connection/server-info.ts';
import { HomeLink } from '../home/home-link.tsx';
import { Icon } from '../layout/icon.tsx';
import { onKey } from '../layout/shortcuts.ts';
import { attempt, notify } from '../layout/toasts.tsx';
import { Programs } from '../programs/programs.tsx';
import { route, show, showConversation } from '../route.ts';
import { visible } from '../text/visible.ts';
import {
  type Filter,
  filter,
  filterCounts,
  hasMore,
  listed,
  listLoaded,
  loadMore,
  nextFailure,
  plotFilter,
  snapshots,
  titleQuery,
} from './conversations.ts';
import { listLayout, near, showRow } from './list-layout.ts';
import { NoAgents } from './no-agents.tsx';
import { ConversationRow } from './row.tsx';

const FILTERS: readonly (readonly [Filter, string])[] = [
  ['all', 'All'],
  ['needs-me', 'Needs you'],
  ['running', 'Running'],
  ['waiting', 'Waiting'],
  ['idle', 'Idle'],
  ['done', 'Done'],
  ['failed', 'Failed'],
];

/** Scrolling renders anew after this distance, in pixels. */
const STEP = 56;

/** The left column: search, filters and conversations, those that need a person first. */
export function ConversationList(): ComponentChild {
  useSignalEffect(() => {
    filter.value;
    titleQuery.value;
    plotFilter.value;
    snapshots.value;
    if (listLoaded.value) void attempt(loadMore);
  });
  return (
    <>
      <Programs />
      <HomeLink />
      <SearchField />
      <Filters />
      <PlotFilterNote />
      <Rows />
    </>
  );
}

function SearchField(): ComponentChild {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => onKey('/', () => field.current?.select()), []);
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          const query = field.current?.value.trim() ?? '';
          if (query === '') return;
          show({ view: 'search', query });
          // The view has a field of its own; here, the query would hide every conversation by its title.
          if (field.current) field.current.value = '';
          titleQuery.value = '';
        }}
      >
        <input
          ref={field}
          type="search"
          class="field"
          dir="auto"
          aria-label="Search conversations"
          placeholder="Search, Enter for full text"
          onInput={(event) => {
            titleQuery.value = event.currentTarget.value.trim();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            // The key does not also end a replay.
            event.preventDefault();
            event.currentTarget.value = '';
            titleQuery.value = '';
            event.currentTarget.blur();
          }}
        />
      </form>
    </search>
  );
}

function Filters(): ComponentChild {
  return (
    <fieldset class="filters" aria-label="Filter by state">
      {FILTERS.map(([name, label]) => (
        <button
          key={name}
          type="button"
          class="filter"
          aria-pressed={filter.value === name}
          onClick={() => {
            filter.value = name;
          }}
        >
          {label}
          {filterCounts.value[name] > 0 ? <span class="numbers filter-count"> {filterCounts.value[name]}</span> : null}
        </button>
      ))}
    </fieldset>
  );
}

function PlotFilterNote(): ComponentChild {
  const { day, model } = plotFilter.value;
  if (day === null && model === null) return null;
  return (
    <p class="plot-filter small">
      <span class="grow cut">{[day, model].filter(Boolean).join(' · ')}</span>
      <button
        type="button"
        class="button button-plain button-icon"
        aria-label="Remove this filter"
        onClick={() => {
          plotFilter.value = { day: null, model: null };
        }}
      >
        <Icon name="close" />
      </button>
    </p>
  );
}

function Rows(): ComponentChild {
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(800);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const sizes = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  useLayoutEffect(() => listKeys(), []);
  const current = route.value.view === 'conversation' ? route.value.id : null;
  useEffect(() => showRow(scroller.current, current), [current]);
  const { rows, days, height: total } = listLayout.value;
  return (
    <div
      ref={scroller}
      class="rows"
      onScroll={(event) => {
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
        top.value = Math.floor(scrollTop / STEP) * STEP;
        if (scrollHeight - scrollTop - clientHeight < 400 && hasMore()) void attempt(loadMore);
      }}
    >
      {rows.length === 0 ? <NoRows /> : null}
      <ul style={{ height: `${total}px` }} data-rows={rows.length}>
        {near(days, top.value, height.value).map((day) => (
          <li key={day.name} class="rows-day small" style={{ transform: `translateY(${day.top}px)` }}>
            {day.name}
          </li>
        ))}
        {near(rows, top.value, height.value).map((row) => (
          <li key={row.id} style={{ transform: `translateY(${row.top}px)` }}>
            <ConversationRow id={row.id} current={row.id === current} />
          </li>
        ))}
      </ul>
      {serverInfo.value?.sources.map(({ id, note }) =>
        note === undefined ? null : (
          <p key={id} class="rows-note quiet small">
            {visible(note)}
          </p>
        ),
      )}
    </div>
  );
}

function NoRows(): ComponentChild {
  if (!listLoaded.value) return <p class="rows-note quiet small">Loading …</p>;
  if (titleQuery.value !== '') {
    const hint = route.value.view === 'search' ? '' : ' Enter searches all transcripts.';
    return <p class="rows-note quiet small">No title matches.{hint}</p>;
  }
  if (filterCounts.value.all > 0) return <p class="rows-note quiet small">No conversation matches.</p>;
  return (
    <>
      <p class="rows-note quiet small only-wide">No conversations yet.</p>
      <div class="only-narrow">
        <NoAgents />
      </div>
    </>
  );
}

/** `j` and `k` move through the list, `f` through the failed conversations in it. */
function listKeys(): () => void {
  const go = (by: 1 | -1): void => {
    const ids = listed.peek();
    const at = route.peek().view === 'conversation' ? ids.indexOf((route.peek() as { id: string }).id) : -1;
    const next = ids[Math.max(0, Math.min(ids.length - 1, at + by))];
    if (next !== undefined) showConversation(next);
  };
  const goToFailure = async (): Promise<void> => {
    const shown = route.peek();
    const next = await nextFailure(shown.view === 'conversation' ? shown.id : null);
    if (next === null) notify('No conversation has failed.');
    else showConversation(next);
  };
  const removes = [onKey('j', () => go(1)), onKey('k', () => go(-1)), onKey('f', () => void attempt(goToFailure))];
  return () => {
    for (const remove of removes) remove();
  };
}
