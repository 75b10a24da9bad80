import { signal } from '@preact/signals';
import type { Entry } from '../../api.ts';

/** The entry that the right column shows in full. */
export const selectedEntry = signal<{ readonly conversation: string; readonly n: number } | null>(null);

/** Entries by number, as they were when they were unfolded. */
type Unfolded = ReadonlyMap<number, Entry>;

const opened = signal<{ readonly conversation: string; readonly entries: Unfolded }>({
  conversation: '',
  entries: new Map(),
});

/** The unfolded entries of a conversation. */
export function openEntries(conversation: string): Unfolded {
  return opened.value.conversation === conversation ? opened.value.entries : NONE;
}

/** Whether an entry is unfolded. After a rewrite of the transcript, another entry may have the same number. */
export function isOpen(unfolded: Unfolded, entry: Entry): boolean {
  const before = unfolded.get(entry.n);
  return before !== undefined && isSame(before, entry);
}

/** Folds or unfolds an entry. */
export function toggleEntry(conversation: string, entry: Entry): void {
  const entries = new Map(opened.peek().conversation === conversation ? opened.peek().entries : NONE);
  if (isOpen(entries, entry)) entries.delete(entry.n);
  else entries.set(entry.n, entry);
  opened.value = { conversation, entries };
}

const NONE: Unfolded = new Map();

/** Number of characters compared. The rest may grow or be cut. */
const HEAD = 200;

/** Whether two entries with the same number are versions of one entry. Its time changes when it is complete. */
function isSame(a: Entry, b: Entry): boolean {
  if (a === b) return true;
  if (a.parent !== b.parent) return false;
  if (a.kind === 'tool') return b.kind === 'tool' && a.id === b.id;
  if (a.kind === 'thinking') return b.kind === 'thinking' && isPart(a.text.text, b.text.text);
  if (a.kind === 'warning' || a.kind === 'error') return a.kind === b.kind && a.at === b.at && a.message === b.message;
  // Other entries cannot be unfolded.
  return false;
}

/** Whether one of two texts is the beginning of the other. */
function isPart(a: string, b: string): boolean {
  const length = Math.min(HEAD, a.length, b.length);
  return a.slice(0, length) === b.slice(0, length);
}
