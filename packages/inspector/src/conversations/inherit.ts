import type { Cut, Entry } from '../api.ts';
import type { ConversationRecord } from './record.ts';

/**
 * Copies the transcript of a conversation into its fork, without a turn that still runs: the fork does not have it. `upTo`: the
 * answer after which the fork continues.
 */
export async function inherit(fork: ConversationRecord, from: ConversationRecord, upTo?: string): Promise<void> {
  await from.load?.();
  const next = upTo === undefined ? undefined : from.forkPoints.promptAfter(upTo);
  const total = next ?? endOf(from);
  await fork.quietly(async () => {
    for (let n = 0; n < total; n += 1) {
      const entry = from.entry(n);
      if (entry) fork.restore(copied(entry, from, fork));
    }
  });
}

function endOf({ entries, activity }: ConversationRecord): number {
  if (activity.running === 0) return entries.total;
  for (let n = entries.total; n > 0; n -= 1) if (entries.get(n - 1)?.kind === 'result') return n;
  return 0;
}

/** An entry whose full texts are stored with the fork, which may outlive the other conversation. */
function copied(entry: Entry, from: ConversationRecord, fork: ConversationRecord): Entry {
  const fields = Object.entries(entry).map(([name, value]) => [
    name,
    hasMore(value) ? moved(value, from, fork) : value,
  ]);
  // The fields are the same; only the URLs of full texts change.
  return Object.fromEntries(fields) as Entry;
}

function hasMore(value: unknown): value is Pick<Cut, 'more'> {
  return typeof value === 'object' && value !== null && 'more' in value;
}

function moved<T extends Pick<Cut, 'more'>>(cut: T, from: ConversationRecord, fork: ConversationRecord): T {
  const number = /\/parts\/(\d+)$/.exec(cut.more ?? '')?.[1];
  const bytes = number === undefined ? undefined : from.entries.part(Number(number));
  return bytes === undefined ? cut : { ...cut, more: fork.storeFullText(bytes.toString()) };
}
