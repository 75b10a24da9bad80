import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Conversation, ConversationState, ConversationsPage, ServerEvent } from '../../api.ts';
import { mentions } from '../../conversations/mentions.ts';
import { isFailure } from '../../conversations/outcome.ts';
import { getJson } from '../connection/http.ts';
import { forgetName, nameConversation, namedInLink } from '../conversation-names.ts';
import { followConversation, route } from '../route.ts';

/** The filters of the list: `failed` selects by outcome, the others by state. */
export type Filter = 'all' | ConversationState;

const PAGE_SIZE = 200;
/** Interval at which the counts are fetched while only a part of the list is loaded. */
const RECOUNT_MS = 1_000;

type Counts = Readonly<Record<ConversationState, number>>;

const NONE: Counts = { 'needs-me': 0, running: 0, waiting: 0, idle: 0, done: 0, failed: 0 };

/** A conversation and its sort data. */
interface Known {
  readonly conversation: Signal<Conversation>;
  /** When it entered its state: a running conversation keeps its position however often it changes. */
  since: number;
  /** The number of the last event about it. */
  changed: number;
  /** It is from before the last snapshot, and the server has not confirmed it since. */
  isKept: boolean;
}

const known = new Map<string, Known>();
const order = signal(0);
/** The server's latest counts of conversations in each state, and of failed ones. */
const counts = signal<Counts>(NONE);
const failures = signal(0);
/** The number of conversations that match a query on the server, and how many are loaded. */
const fetched = signal<Readonly<Record<string, { readonly total: number; readonly loaded: number }>>>({});
const loading = new Set<string>();
const snapshotsTaken = signal(0);
/** The list before the last snapshot, until all of it is fetched again. */
let outdated: { readonly query: string; readonly rows: number } | null = null;
let changes = 0;
let recountTimer: ReturnType<typeof setTimeout> | undefined;

/** The chosen filter. */
export const filter = signal<Filter>('all');
/** The text that titles must contain. */
export const titleQuery = signal('');
/** The day and the model chosen in a plot. */
export const plotFilter = signal<{ readonly day: string | null; readonly model: string | null }>({
  day: null,
  model: null,
});
/** Number of snapshots received: each replaces all data. */
export const snapshots: ReadonlySignal<number> = snapshotsTaken;
/** Increases when a conversation has come, gone, or changed its state or title. */
export const listVersion: ReadonlySignal<number> = order;
/** Whether the first page has arrived. */
export const listLoaded = signal(false);

/** The ids that match the filters, in order: conversations that need a person first, then the newest. */
export const listed: ReadonlySignal<readonly string[]> = computed(() => {
  order.value;
  const chosen = [...known].filter(([, entry]) => {
    const conversation = entry.conversation.peek();
    return inState(conversation) && mentions(conversation, titleQuery.value) && inPlot(conversation);
  });
  return inOrder(chosen);
});

function inOrder(entries: readonly (readonly [string, Known])[]): readonly string[] {
  const needs = ({ conversation }: Known): number => (conversation.peek().state === 'needs-me' ? 1 : 0);
  const sorted = [...entries].sort(
    ([aId, a], [bId, b]) => needs(b) - needs(a) || b.since - a.since || (aId < bId ? -1 : 1),
  );
  return sorted.map(([id]) => id);
}

/** Number of conversations per filter: counted here if all are loaded, or else as reported by the server. */
export const filterCounts: ReadonlySignal<Readonly<Record<Filter, number>>> = computed(() => {
  order.value;
  const all = sumOf(counts.value);
  const sure = [...known.values()].filter(({ isKept }) => !isKept);
  if (sure.length < all) return { all, ...counts.value, failed: failures.value };
  const found: Record<Filter, number> = { all: sure.length, ...NONE };
  for (const { conversation } of sure) found[conversation.peek().state]++;
  return { ...found, failed: sure.filter(({ conversation }) => isFailure(conversation.peek())).length };
});

/** A conversation by its id. */
export function conversationOf(id: string): Conversation | undefined {
  order.value;
  return known.get(id)?.conversation.value;
}

/** The signal of a conversation that is in the list. */
export function conversationSignal(id: string): Signal<Conversation> | undefined {
  return known.get(id)?.conversation;
}

/** When a conversation entered its state, by which the list is sorted. */
export function sinceOf(id: string): number {
  return known.get(id)?.since ?? 0;
}

/** Whether a conversation must be fetched from the server. */
export function needsFetch(id: string): boolean {
  return known.get(id)?.isKept ?? true;
}

/** Fetches the next page for the current filters; after a snapshot, as much as was loaded before. Does nothing if all is loaded. */
export async function loadMore(): Promise<void> {
  const query = queryOf();
  if (outdated?.query === query) return renew(query, outdated.rows);
  const part = fetched.peek()[query];
  if (part !== undefined && listed.peek().length >= part.total) return;
  // Conversations that moved while the list was fetched are among those fetched before.
  await load(query, part === undefined || part.loaded >= part.total ? 0 : part.loaded, PAGE_SIZE);
}

/** Fetches the rows that the list showed before a snapshot, and then drops those that no longer exist: the list does not move. */
async function renew(query: string, rows: number): Promise<void> {
  const snapshot = snapshotsTaken.peek();
  for (;;) {
    const { loaded, total } = fetched.peek()[query] ?? { loaded: 0, total: rows };
    if (loaded >= Math.min(rows, total)) break;
    try {
      if (!(await load(query, loaded, PAGE_SIZE))) return;
    } catch (error) {
      forgetKept(snapshot);
      throw error;
    }
    // The server has fewer than it reported before.
    if ((fetched.peek()[query]?.loaded ?? 0) <= loaded) break;
  }
  forgetKept(snapshot);
}

/** Drops conversations that the server has not confirmed since a snapshot. An open conversation is fetched by its view. */
function forgetKept(snapshot: number): void {
  if (snapshot !== snapshotsTaken.peek()) return;
  outdated = null;
  for (const [id, { isKept }] of known) if (isKept && id !== openId()) forget(id);
  order.value++;
}

/** The next failed conversation in the list after `from`, wrapping around; `null` if none has failed. */
export async function nextFailure(from: string | null): Promise<string | null> {
  const failed = (): readonly string[] =>
    inOrder([...known].filter(([, entry]) => isFailure(entry.conversation.peek())));
  for (let offset = 0; failed().length < filterCounts.peek().failed; offset += PAGE_SIZE) {
    const isTaken = await load(FAILED, offset, PAGE_SIZE);
    if (!isTaken || offset + PAGE_SIZE >= (fetched.peek()[FAILED]?.total ?? 0)) break;
  }
  const ids = failed();
  if (from === null || ids.includes(from)) return ids[(ids.indexOf(from ?? '') + 1) % ids.length] ?? null;
  const all = inOrder([...known]);
  return ids.find((id) => all.indexOf(id) > all.indexOf(from)) ?? ids[0] ?? null;
}

/** Whether the server has conversations that are not loaded yet. */
export function hasMore(): boolean {
  return listed.value.length < (fetched.value[queryOf()]?.total ?? 0);
}

/** Adds or replaces one conversation. */
export function takeConversation(conversation: Conversation): void {
  const entry = known.get(conversation.id);
  const before = entry?.conversation.peek();
  put(conversation).changed = ++changes;
  if (entry !== undefined && before?.state !== conversation.state) entry.since = conversation.updatedAt;
  const isSame = before?.state === conversation.state && before.outcome === conversation.outcome;
  if (isSame && before.title === conversation.title) return;
  recount();
  order.value++;
}

/** Drops a conversation that does not exist on the server. */
export function dropConversation(id: string): void {
  if (forget(id)) order.value++;
  recount();
}

/** Removes a conversation. Where it is shown, another one of its session follows, which the server may have to find. */
function forget(id: string): boolean {
  const session = forgetName(id);
  const isKnown = known.delete(id);
  if (session === undefined) return isKnown;
  const next = [...known.values()].find(({ conversation }) => conversation.peek().sessionId === session);
  if (next !== undefined) nameConversation(next.conversation.peek().id, session);
  followConversation(id, next?.conversation.peek().id ?? session);
  return isKnown;
}

/** Follows the events about the list. */
export function followList(event: ServerEvent): void {
  if (event.type === 'conversation') takeConversation(event.conversation);
  else if (event.type === 'conversation-removed') dropConversation(event.conversation);
  else if (event.type === 'snapshot') {
    // The open conversation and those in the list stay on the page until the server confirms or drops them.
    const shown = new Set(listed.peek());
    for (const [id, entry] of known) {
      if (shown.has(id) || id === openId()) entry.isKept = true;
      else forget(id);
    }
    fetched.value = {};
    snapshotsTaken.value++;
    outdated = { query: queryOf(), rows: shown.size };
    takePage(event.page, 'state=', 0);
    if (event.page.conversations.length < event.page.total) return;
    // The page has all conversations: the open one, if it is missing, no longer exists either.
    for (const [id, { isKept }] of known) if (isKept) forget(id);
    outdated = null;
    order.value++;
  }
}

function openId(): string | null {
  const shown = route.peek();
  return shown.view === 'conversation' ? shown.id : null;
}

/** Returns false if another call already fetches this page, or if a snapshot arrived before the response. */
async function load(query: string, offset: number, limit: number): Promise<boolean> {
  const [snapshot, asked] = [snapshotsTaken.peek(), changes];
  const key = `${snapshot} ${offset} ${limit} ${query}`;
  if (loading.has(key)) return false;
  loading.add(key);
  try {
    const page = await getJson<ConversationsPage>(`api/conversations?${query}&offset=${offset}&limit=${limit}`);
    if (snapshot !== snapshotsTaken.peek()) return false;
    takePage(page, query, offset, asked);
    return true;
  } finally {
    loading.delete(key);
  }
}

/** Takes a page, except for conversations that events have changed since the request. */
function takePage(page: ConversationsPage, query: string, offset: number, asked = changes): void {
  for (const conversation of page.conversations) {
    if ((known.get(conversation.id)?.changed ?? 0) <= asked) put(conversation);
  }
  const loaded = Math.max(offset + page.conversations.length, fetched.peek()[query]?.loaded ?? 0);
  counts.value = page.states;
  failures.value = page.failures;
  fetched.value = { ...fetched.peek(), [query]: { total: page.total, loaded } };
  listLoaded.value = true;
  order.value++;
}

function put(conversation: Conversation): Known {
  const { id, kind, sessionId } = conversation;
  if (sessionId !== null && (kind === 'process' || kind === 'disk')) {
    nameConversation(id, sessionId);
    // A link may have been opened before its conversation was known.
    followConversation(sessionId, namedInLink(sessionId));
  }
  const entry = known.get(id);
  if (entry !== undefined) {
    // Events may have been missed.
    if (entry.isKept) entry.since = conversation.updatedAt;
    entry.isKept = false;
    entry.conversation.value = conversation;
    return entry;
  }
  const added = { conversation: signal(conversation), since: conversation.updatedAt, changed: 0, isKept: false };
  known.set(id, added);
  return added;
}

/** Fetches the counts soon: an event does not contain the previous state of a conversation that is not loaded. */
function recount(): void {
  if (known.size >= sumOf(counts.peek()) || recountTimer !== undefined) return;
  recountTimer = setTimeout(() => {
    recountTimer = undefined;
    // The next change tries again.
    load(queryOf(), 0, 1).catch(() => {});
  }, RECOUNT_MS);
}

function sumOf(states: Counts): number {
  return Object.values(states).reduce((sum, count) => sum + count, 0);
}

function queryOf(): string {
  const query = [filter.value === 'failed' ? FAILED : `state=${filter.value === 'all' ? '' : filter.value}`];
  if (titleQuery.value !== '') query.push(`q=${encodeURIComponent(titleQuery.value)}`);
  if (plotFilter.value.day !== null) query.push(`day=${plotFilter.value.day}`);
  if (plotFilter.value.model !== null) query.push(`model=${encodeURIComponent(plotFilter.value.model)}`);
  return query.join('&');
}

/** The filter `failed` also matches open conversations whose last turn failed. */
function inState(conversation: Conversation): boolean {
  if (filter.value === 'failed') return isFailure(conversation);
  return filter.value === 'all' || filter.value === conversation.state;
}

const FAILED = 'outcome=failed,limit';

function inPlot(conversation: Conversation): boolean {
  const { day, model } = plotFilter.value;
  if (model !== null && conversation.model !== model) return false;
  if (day === null) return true;
  const start = new Date(`${day}T00:00:00`).getTime();
  return conversation.updatedAt >= start && (conversation.startedAt ?? conversation.updatedAt) < start + 86_400_000;
}
