import type { EntriesPage, Entry } from '../../api.ts';
import { getJson } from '../connection/http.ts';

/** Entries of a request, and most requests. */
const LIMITS = { page: 1_000, pages: 20 };

/** All entries of a conversation, up to a limit. */
export async function allEntries(conversation: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (let page = 0; page < LIMITS.pages; page++) {
    const range = `from=${page * LIMITS.page}&limit=${LIMITS.page}`;
    const found = await getJson<EntriesPage>(`api/conversations/${encodeURIComponent(conversation)}/entries?${range}`);
    entries.push(...found.entries);
    if (found.from + found.entries.length >= found.total || found.entries.length === 0) break;
  }
  return entries;
}
