import type { AppendBatch, StoreEntry } from './session-store.ts';

/** The entries that `seen` does not have; adds them to it. */
export function unseen(
  entries: readonly StoreEntry[],
  batch: AppendBatch | undefined,
  seen: Set<string>,
): readonly StoreEntry[] {
  return entries.filter((entry, index) => {
    const id = entryId(entry, batch, index);
    if (id === undefined) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** What tells an entry that comes twice: its uuid, or its place in its batch. Undefined when nothing does. */
function entryId(entry: StoreEntry, batch: AppendBatch | undefined, index: number): string | undefined {
  if (typeof entry.uuid === 'string') return entry.uuid;
  return batch === undefined ? undefined : `${batch.id}#${index}`;
}
