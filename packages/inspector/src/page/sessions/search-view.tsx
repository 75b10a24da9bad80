import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SearchResult } from '../../api.ts';
import { connection } from '../connection/event-stream.ts';
import { getJson, RequestError } from '../connection/http.ts';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { ViewHead } from '../layout/view-head.tsx';
import { linkToConversation, route } from '../route.ts';
import { plural } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** The matches of a text in all transcripts. */
export function SearchView({ query }: { readonly query: string }): ComponentChild {
  const result = useSignal<SearchResult | null>(null);
  const failure = useSignal<string | null>(null);
  const again = useSignal(0);
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
        <ul class="hits">
          {result.value?.hits.map((hit, at) => (
            <li key={at}>
              <a href={linkToConversation(hit.conversation, hit.entry)}>
                <span class="cut hit-title" dir="auto">
                  {visible(hit.title) || 'Untitled conversation'}
                </span>
                <span class="small hit-text" dir="auto">
                  {visible(hit.before)}
                  <mark>{visible(hit.match)}</mark>
                  {visible(hit.after)}
                </span>
              </a>
            </li>
          ))}
        </ul>
      </ScrollRegion>
    </>
  );
}

function noteOf(result: SearchResult | null, failure: string | null): string {
  if (failure !== null) return failure;
  if (result === null) return 'Searching …';
  if (result.hits.length === 0) return 'No results.';
  return `${plural(result.hits.length, 'result')}${result.complete ? '' : ', and more'}`;
}
