import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Conversation, ConversationState, ConversationsPage, ServerEvent } from '../../api.ts';
import { mentions } from '../../conversations/mentions.ts';
import { isFailure } from '../../conversations/outcome.ts';
import { getJson } from '../connection/http.ts';
import { route } from '../route.ts';

/** The filters of the list: `failed` is by outcome, the others are by state. */
export type Filter = 'all' | ConversationState;

const PAGE_SIZE = 200;
/** How often the server is asked for its counts while the list has only a part of its conversations. */
const RECOUNT_MS = 1_000;

type Counts = Readonly<Record<ConversationState, number>>;

const NONE: Counts = { 'needs-me': 0, running: 0, waiting: 0, idle: 0, done: 0, failed: 0 };

/** A conversation with its place in the list. */
interface Known {
  readonly conversation: Signal<Conversation>;
  /** When it came into its state: running conversations keep their place however often they change. */
  since: number;
  /** The number of the last event about it. */
  changed: number;
  /** It was there before the last snapshot, and the server has not said since whether it still has it. */
  isKept: boolean;
}

const known = new Map<string, Known>();
const order = signal(0);
/** How many conversations the server had in each state, and how many of them had failed, when it was last asked. */
const counts = signal<Counts>(NONE);
const failures = signal(0);
/** How many conversations the server has for a query, and how many of them it has sent. */
const fetched = signal<Readonly<Record<string, { readonly total: number; readonly loaded: number }>>>({});
const loading = new Set<string>();
const snapshotsTaken = signal(0);
/** What the list showed before the last snapshot, until all of it is fetched again. */
let outdated: { readonly query: string; readonly rows: number } | null = null;
let changes = 0;
let recountTimer: ReturnType<typeof setTimeout> | undefined;

/** The chosen filter. */
export const filter = signal<Filter>('all');
/** The text that titles must contain. */
export const titleQuery = signal('');
/** The day and the model that were chosen in a plot. */
export const plotFilter = signal<{ readonly day: string | null; readonly model: string | null }>({
  day: null,
  model: null,
});
/** How many snapshots have arrived: each replaces everything that was known. */
export const snapshots: ReadonlySignal<number> = snapshotsTaken;
/** Whether the first page has arrived. */
export const listLoaded = signal(false);

/** The ids that the filters let through, in their order: those that need a person first, then the newest. */
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

/** How many conversations each filter lets through: counted here if all are known, else as the server says. */
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

/** Whether the server has to be asked for a conversation. */
export function isUnsure(id: string): boolean {
  return known.get(id)?.isKept ?? true;
}

/** Fetches the next page for the current filters; after a snapshot, as much as there was. Does nothing when all is there. */
export async function loadMore(): Promise<void> {
  const query = queryOf();
  if (outdated?.query === query) return renew(query, outdated.rows);
  const part = fetched.peek()[query];
  if (part !== undefined && listed.peek().length >= part.total) return;
  // What moved while the list was fetched is among what was fetched before.
  await load(query, part === undefined || part.loaded >= part.total ? 0 : part.loaded, PAGE_SIZE);
}

/** Fetches what the list showed before a snapshot, and then forgets what the server no longer has: the list does not move. */
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
    // The server has fewer than it said before.
    if ((fetched.peek()[query]?.loaded ?? 0) <= loaded) break;
  }
  forgetKept(snapshot);
}

/** Forgets what the server has not confirmed since a snapshot. What is open is asked for by its view. */
function forgetKept(snapshot: number): void {
  if (snapshot !== snapshotsTaken.peek()) return;
  outdated = null;
  for (const [id, { isKept }] of known) if (isKept && id !== openId()) known.delete(id);
  order.value++;
}

/** The next conversation of the list that has failed, from one on and around; `null` if there is none. */
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

/** Whether the server has conversations that the list does not show yet. */
export function hasMore(): boolean {
  return listed.value.length < (fetched.value[queryOf()]?.total ?? 0);
}

/** Adds one conversation, or replaces it. */
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

/** Forgets a conversation that the server does not have. */
export function dropConversation(id: string): void {
  if (known.delete(id)) order.value++;
  recount();
}

/** Follows the events about the list. */
export function followList(event: ServerEvent): void {
  if (event.type === 'conversation') takeConversation(event.conversation);
  else if (event.type === 'conversation-removed') dropConversation(event.conversation);
  else if (event.type === 'snapshot') {
    // What is open, and what is in the list, stays on the page until the server has said whether it still has it.
    const shown = new Set(listed.peek());
    for (const [id, entry] of known) {
      if (shown.has(id) || id === openId()) entry.isKept = true;
      else known.delete(id);
    }
    fetched.value = {};
    snapshotsTaken.value++;
    outdated = { query: queryOf(), rows: shown.size };
    takePage(event.page, 'state=', 0);
    if (event.page.conversations.length >= event.page.total) forgetKept(snapshotsTaken.peek());
  }
}

function openId(): string | null {
  const shown = route.peek();
  return shown.view === 'conversation' ? shown.id : null;
}

/** Returns false if another call already fetches this page, or if a snapshot came before the answer. */
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

/** Takes a page, except for what events have changed since it was asked for. */
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
  const entry = known.get(conversation.id);
  if (entry !== undefined) {
    // Events may have been missed.
    if (entry.isKept) entry.since = conversation.updatedAt;
    entry.isKept = false;
    entry.conversation.value = conversation;
    return entry;
  }
  const added = { conversation: signal(conversation), since: conversation.updatedAt, changed: 0, isKept: false };
  known.set(conversation.id, added);
  return added;
}

/** An event does not say what a conversation was before that the list does not have: the server counts again, soon. */
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

/** The filter `failed` also finds open conversations whose last turn has failed. */
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
