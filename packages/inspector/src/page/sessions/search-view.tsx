import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { SearchHit, SearchResult } from '../../api.ts';
import { connection } from '../connection/event-stream.ts';
import { getJson, RequestError } from '../connection/http.ts';
import { now } from '../layout/clock.ts';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { ViewHead } from '../layout/view-head.tsx';
import { linkToConversation, route, show } from '../route.ts';
import { dateTime, plural } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** The matches of a text and of filters in all transcripts, by conversation. */
export function SearchView({ query }: { readonly query: string }): ComponentChild {
  const result = useSignal<SearchResult | null>(null);
  const failure = useSignal<string | null>(null);
  const again = useSignal(0);
  const field = useRef<HTMLInputElement>(null);
  const isLive = connection.value === 'live';
  useEffect(() => {
    if (isLive && failure.peek() !== null) again.value++;
  }, [isLive]);
  // Enter searches again, even for the same text.
  useEffect(() => {
    const stop = new AbortController();
    result.value = null;
    failure.value = null;
    getJson<SearchResult>(`api/search?limit=200&q=${encodeURIComponent(query)}`, stop.signal).then(
      (found) => {
        result.value = found;
      },
      (error: unknown) => {
        if (error instanceof RequestError) failure.value = error.message;
      },
    );
    return () => stop.abort();
  }, [query, route.value, again.value]);
  return (
    <>
      <ViewHead title={`“${visible(query)}”`} note={noteOf(result.value, failure.value)} />
      <ScrollRegion name="view" label="Search results">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            show({ view: 'search', query: field.current?.value.trim() ?? '' });
          }}
        >
          <input
            key={query}
            ref={field}
            type="search"
            class="field"
            dir="auto"
            aria-label="Search transcripts"
            defaultValue={query}
          />
        </form>
        <p class="small quiet search-filters">
          Filters: <code>file:rate.ts</code> <code>tool:Edit</code> <code>project:rowing</code>{' '}
          <code>after:2026-11-18</code>, <code>after:yesterday</code> or <code>after:7d</code>
        </p>
        {byConversation(result.value?.hits ?? []).map((hits) => (
          <Conversation key={hits[0]?.conversation} hits={hits} />
        ))}
      </ScrollRegion>
    </>
  );
}

/** The hits of one conversation. */
function Conversation({ hits }: { readonly hits: readonly SearchHit[] }): ComponentChild {
  const [first] = hits;
  if (first === undefined) return null;
  return (
    <section>
      <h3 class="hits-head">
        <a class="cut hit-title" dir="auto" href={linkToConversation(first.conversation)}>
          {visible(first.title) || 'Untitled conversation'}
        </a>
        <span class="grow" />
        <span class="cut small quiet" title={visible(first.folder ?? '')}>
          {visible(first.folder ?? '')}
        </span>
        <span class="small quiet numbers">{dateTime(first.updatedAt, now.peek())}</span>
      </h3>
      <ul class="hits">
        {hits.map((hit, at) => (
          <li key={at}>
            <a href={linkToConversation(hit.conversation, hit.entry)}>
              <span class="small hit-text" dir="auto">
                {hit.at === null || hit.entry === null ? null : (
                  <span class="numbers quiet">{dateTime(hit.at, now.peek())} </span>
                )}
                {visible(hit.before)}
                <mark>{visible(hit.match)}</mark>
                {visible(hit.after)}
              </span>
              {hit.why === null ? null : (
                <span class="small quiet hit-why" dir="auto">
                  {visible(hit.why)}
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function byConversation(hits: readonly SearchHit[]): readonly (readonly SearchHit[])[] {
  const groups = new Map<string, SearchHit[]>();
  for (const hit of hits) groups.set(hit.conversation, [...(groups.get(hit.conversation) ?? []), hit]);
  return [...groups.values()];
}

function noteOf(result: SearchResult | null, failure: string | null): string {
  if (failure !== null) return failure;
  if (result === null) return 'Searching …';
  if (result.hits.length === 0) return 'No results.';
  const conversations = plural(byConversation(result.hits).length, 'conversation');
  return `${plural(result.hits.length, 'result')} in ${conversations}${result.complete ? '' : ', and more'}`;
}
