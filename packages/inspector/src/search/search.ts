import type { Entry, SearchHit, SearchResult, ToolEntry } from '../api.ts';
import { Explanations } from '../changes/explanations.ts';
import type { Hub } from '../conversations/hub.ts';
import type { ConversationRecord } from '../conversations/record.ts';
import { withoutMarkdown } from '../transcript/without-markdown.ts';
import { type Query, queryIn } from './query.ts';

/** Time limit of a search, number of hits per conversation, and characters of context around each. */
const LIMITS = { ms: 3_000, perConversation: 20, around: 60 };

/** Searches in titles and transcripts, newest conversations first, ignoring case. @throws Refusal */
export async function search(hub: Hub, wanted: string, limit: number): Promise<SearchResult> {
  const query = queryIn(wanted, Date.now());
  const deadline = Date.now() + LIMITS.ms;
  const hits: SearchHit[] = [];
  if (isEmpty(query)) return { hits, complete: true };
  const records = [...hub.all()].sort((a, b) => b.info.updatedAt - a.info.updatedAt);
  for (const record of records) {
    if (hits.length >= limit || Date.now() > deadline) return { hits: hits.slice(0, limit), complete: false };
    const { title, cwd, updatedAt } = record.summary();
    if (!(cwd ?? '').toLowerCase().includes(query.project)) continue;
    if (query.after !== null && updatedAt < query.after) continue;
    const head = { conversation: record.id, title, folder: cwd, updatedAt };
    const found = isAboutTools(query) ? undefined : around(title, query.text);
    if (found) hits.push({ ...head, entry: null, at: updatedAt, why: null, ...found });
    // Without a text, only the conversations of a project or a time are wanted.
    if (query.text === '' && !isAboutTools(query)) continue;
    if (!(await isReadable(hub, record, query))) continue;
    for (const hit of await inTranscript(record, query, deadline)) hits.push({ ...head, ...hit });
  }
  return { hits: hits.slice(0, limit), complete: hits.length <= limit };
}

function isEmpty({ text, project, after, ...tools }: Query): boolean {
  return text === '' && project === '' && after === null && !isAboutTools(tools);
}

function isAboutTools({ file, tool }: Pick<Query, 'file' | 'tool'>): boolean {
  return file !== '' || tool !== '';
}

/** Reads a transcript unless its source rules out a match. */
async function isReadable(hub: Hub, record: ConversationRecord, { text, file, tool }: Query): Promise<boolean> {
  if (record.load === undefined) return true;
  const source = hub.sources.find(({ info }) => info.id === record.source.id);
  for (const wanted of [text, file, tool]) {
    if (wanted !== '' && (await source?.mayContain?.(record, wanted)) === false) return false;
  }
  return record.load().then(
    () => true,
    () => false,
  );
}

type HitInTranscript = Pick<SearchHit, 'entry' | 'at' | 'before' | 'match' | 'after' | 'why'>;

async function inTranscript(record: ConversationRecord, query: Query, deadline: number): Promise<HitInTranscript[]> {
  const hits: HitInTranscript[] = [];
  const explanations = new Explanations();
  for (let from = 0; from < record.entries.total && hits.length < LIMITS.perConversation; from += SLICE) {
    for (const entry of record.entries.window(from, SLICE)) {
      explanations.note(entry);
      const found = inEntry(entry, query);
      const why = entry.kind === 'tool' ? (explanations.of(entry).why?.text ?? null) : null;
      if (found) hits.push({ entry: entry.n, at: entry.at, why, ...found });
    }
    if (Date.now() > deadline) break;
    await new Promise(setImmediate);
  }
  return hits.slice(0, LIMITS.perConversation);
}

function inEntry(entry: Entry, { text, file, tool, after }: Query): ReturnType<typeof around> {
  if (after !== null && (entry.at === null || entry.at < after)) return undefined;
  if (!isAboutTools({ file, tool })) return around(textOf(entry), text);
  if (entry.kind !== 'tool' || !entry.name.toLowerCase().includes(tool)) return undefined;
  if (file !== '' && !fileOf(entry).toLowerCase().includes(file)) return undefined;
  if (text !== '') return around(textOf(entry), text);
  return { before: `${entry.name} `, match: fileOf(entry) || entry.argument, after: '' };
}

/** The file that a tool reads or changes. */
function fileOf({ name, argument, diff }: ToolEntry): string {
  return diff?.path ?? (FILE_TOOLS.has(name) ? argument : '');
}

const FILE_TOOLS = new Set(['Read', 'Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

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
