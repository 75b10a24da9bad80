import { signal } from '@preact/signals';

/** The entry that the right column shows in full. */
export const selectedEntry = signal<{ readonly conversation: string; readonly n: number } | null>(null);

const opened = signal<{ readonly conversation: string; readonly entries: ReadonlySet<number> }>({
  conversation: '',
  entries: new Set(),
});

/** The unfolded entries of a conversation. */
export function openEntries(conversation: string): ReadonlySet<number> {
  return opened.value.conversation === conversation ? opened.value.entries : NONE;
}

/** Folds an entry, or unfolds it. */
export function toggleEntry(conversation: string, n: number): void {
  const entries = new Set(opened.peek().conversation === conversation ? opened.peek().entries : NONE);
  if (!entries.delete(n)) entries.add(n);
  opened.value = { conversation, entries };
}

const NONE: ReadonlySet<number> = new Set();
