import type { Entry, SearchHit, SearchResult } from '../api.ts';
import type { Hub } from '../conversations/hub.ts';
import type { ConversationRecord } from '../conversations/record.ts';
import { withoutMarkdown } from '../transcript/without-markdown.ts';

/** Time limit of a search, number of hits per conversation, and characters of context around each. */
const LIMITS = { ms: 3_000, perConversation: 20, around: 60 };

/** Searches for a text in titles and transcripts, newest conversations first, ignoring case. */
export async function search(hub: Hub, text: string, limit: number): Promise<SearchResult> {
  const needle = text.toLowerCase();
  const deadline = Date.now() + LIMITS.ms;
  const hits: SearchHit[] = [];
  if (needle.trim() === '') return { hits, complete: true };
  const records = [...hub.all()].sort((a, b) => b.info.updatedAt - a.info.updatedAt);
  for (const record of records) {
    if (hits.length >= limit || Date.now() > deadline) return { hits: hits.slice(0, limit), complete: false };
    const title = record.summary().title;
    const found = around(title, needle);
    if (found) hits.push({ conversation: record.id, title, entry: null, at: record.info.updatedAt, ...found });
    if (!(await isReadable(hub, record, text))) continue;
    for (const hit of await inTranscript(record, needle, deadline)) hits.push({ ...hit, title });
  }
  return { hits: hits.slice(0, limit), complete: hits.length <= limit };
}

/** Reads a transcript unless its source rules out a match. */
async function isReadable(hub: Hub, record: ConversationRecord, text: string): Promise<boolean> {
  if (record.load === undefined) return true;
  const source = hub.sources.find(({ info }) => info.id === record.source.id);
  if ((await source?.mayContain?.(record, text)) === false) return false;
  return record.load().then(
    () => true,
    () => false,
  );
}

async function inTranscript(
  record: ConversationRecord,
  needle: string,
  deadline: number,
): Promise<Omit<SearchHit, 'title'>[]> {
  const hits: Omit<SearchHit, 'title'>[] = [];
  for (let from = 0; from < record.entries.total && hits.length < LIMITS.perConversation; from += SLICE) {
    for (const entry of record.entries.window(from, SLICE)) {
      const found = around(textOf(entry), needle);
      if (found) hits.push({ conversation: record.id, entry: entry.n, at: entry.at, ...found });
    }
    if (Date.now() > deadline) break;
    await new Promise(setImmediate);
  }
  return hits.slice(0, LIMITS.perConversation);
}

/** Number of entries searched before other work gets a turn. */
const SLICE = 200;

/** The searched text of an entry: what the transcript shows. */
function textOf(entry: Entry): string {
  switch (entry.kind) {
    case 'text':
      return withoutMarkdown(entry.text.text);
    case 'prompt':
    case 'thinking':
      return entry.text.text;
    case 'tool':
      return [entry.name, entry.argument, entry.input.text, entry.result?.text ?? ''].join('\n');
    case 'system':
      return entry.text;
    case 'warning':
    case 'error':
      return `${entry.code}: ${entry.message}`;
    case 'result':
      return entry.message;
    case 'audit':
      return entry.audit.note;
  }
}

function around(text: string, needle: string): Pick<SearchHit, 'before' | 'match' | 'after'> | undefined {
  const at = text.toLowerCase().indexOf(needle);
  if (at === -1) return undefined;
  const end = at + needle.length;
  return {
    before: text.slice(Math.max(0, at - LIMITS.around), at),
    match: text.slice(at, end),
    after: text.slice(end, end + LIMITS.around),
  };
}
