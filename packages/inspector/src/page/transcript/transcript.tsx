import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Entry } from '../../api.ts';
import { now, ShownTime } from '../layout/clock.ts';
import { show } from '../route.ts';
import { plural } from '../text/format.ts';
import { EntryRow } from './entry-row.tsx';
import { isOpen, openEntries, selectedEntry, toggleEntry } from './selection.ts';
import { transcriptKeys } from './transcript-keys.ts';
import { VirtualList } from './virtual-list.tsx';

/** The source of a transcript's entries: the server, or a replay. */
export interface EntrySource {
  readonly conversation: string;
  readonly version: { readonly value: number };
  readonly total: { readonly value: number | null };
  at(n: number): Entry | undefined;
  ensure(from: number, to: number): void;
  /** The time that is shown, unless it is now. */
  readonly time?: ReadonlySignal<number>;
}

/** Where a transcript starts. A new object, even with the same row, scrolls there again. */
export interface Start {
  readonly row: number;
}

/** The transcript: newest entries at the bottom, where it stays unless the reader scrolls up. */
export function Transcript({
  source,
  start,
}: {
  readonly source: EntrySource;
  readonly start: Start | null;
}): ComponentChild {
  const list = useRef<VirtualList>(null);
  const atEnd = useSignal(start === null);
  const total = source.total.value ?? 0;
  // Entries that were there before the reader came are not new.
  const seen = useSignal(total);
  const version = useComputed(() => source.version.value);
  useSignalEffect(() => {
    if (atEnd.value) seen.value = source.total.value ?? 0;
  });
  useEffect(() => {
    if (start !== null) list.current?.toRow(start.row);
  }, [source, start]);
  useLayoutEffect(() => transcriptKeys(list), []);
  const toggle = useCallback(
    (entry: Entry) => {
      list.current?.hold();
      toggleEntry(source.conversation, entry);
    },
    [source],
  );
  const select = useCallback(
    (entry: Entry) => {
      selectedEntry.value = { conversation: source.conversation, n: entry.n };
      show({ view: 'conversation', id: source.conversation, entry: entry.n }, true);
    },
    [source],
  );
  const opened = openEntries(source.conversation);
  const selected = selectedEntry.value?.conversation === source.conversation ? selectedEntry.value.n : null;
  const fresh = Math.max(0, total - seen.value);
  return (
    <div class="transcript">
      <ShownTime.Provider value={source.time ?? now}>
        <VirtualList
          handle={list}
          label="Transcript"
          count={total}
          version={version.value}
          estimate={44}
          onRange={(from, to) => source.ensure(from, to)}
          onEnd={(end) => {
            atEnd.value = end;
          }}
          row={(n) => {
            const entry = source.at(n);
            if (entry === undefined) return <div class="entry entry-missing" aria-hidden="true" />;
            return (
              <EntryRow
                entry={entry}
                open={isOpen(opened, entry)}
                selected={n === selected}
                onToggle={toggle}
                onSelect={select}
              />
            );
          }}
        />
      </ShownTime.Provider>
      {atEnd.value ? null : (
        <button type="button" class="button to-end" onClick={() => list.current?.toEnd()}>
          {fresh === 0 ? 'To the end ↓' : `${plural(fresh, 'new').replace(/s$/, '')} ↓`}
        </button>
      )}
    </div>
  );
}
