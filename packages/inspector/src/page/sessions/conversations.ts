import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Conversation, ConversationState, ConversationsPage, ServerEvent } from '../../api.ts';
import { getJson } from '../connection/http.ts';

/** The filters of the list. */
export type Filter = 'all' | ConversationState;

const PAGE_SIZE = 200;

/** A conversation with its place in the list. */
interface Known {
  readonly conversation: Signal<Conversation>;
  /** When it came into its state: running conversations keep their place however often they change. */
  since: number;
}

const known = new Map<string, Known>();
const order = signal(0);
const counts = signal<Readonly<Record<ConversationState, number>> | null>(null);
const totals = signal<Readonly<Record<string, number>>>({});

/** The chosen filter. */
export const filter = signal<Filter>('all');
/** The text that titles must contain. */
export const titleQuery = signal('');
/** The day and the model that were chosen in a plot. */
export const plotFilter = signal<{ readonly day: string | null; readonly model: string | null }>({
  day: null,
  model: null,
});
/** Whether the first page has arrived. */
export const listLoaded = signal(false);

/** The ids that the filters let through, in their order: those that need a person first, then the newest. */
export const listed: ReadonlySignal<readonly string[]> = computed(() => {
  order.value;
  const words = titleQuery.value.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen: [string, Known, number][] = [];
  for (const [id, entry] of known) {
    const conversation = entry.conversation.peek();
    if (inState(conversation) && matches(conversation, words) && inPlot(conversation)) {
      chosen.push([id, entry, conversation.state === 'needs-me' ? 1 : 0]);
    }
  }
  chosen.sort((a, b) => b[2] - a[2] || b[1].since - a[1].since || (a[0] < b[0] ? -1 : 1));
  return chosen.map(([id]) => id);
});

/** How many conversations each filter lets through. */
export const filterCounts: ReadonlySignal<Readonly<Record<Filter, number>>> = computed(() => {
  const found = counts.value ?? NONE;
  return { all: Object.values(found).reduce((sum, count) => sum + count, 0), ...found };
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

/** Fetches the next page for the current filters; does nothing when all is there. */
export async function loadMore(): Promise<void> {
  const query = queryOf();
  const have = listed.peek().length;
  const total = totals.peek()[query];
  if (total !== undefined && have >= total) return;
  const offset = total === undefined ? 0 : have;
  const page = await getJson<ConversationsPage>(`api/conversations?${query}&offset=${offset}&limit=${PAGE_SIZE}`);
  takePage(page, query);
}

/** Whether the server has conversations that the list does not show yet. */
export function hasMore(): boolean {
  return listed.value.length < (totals.value[queryOf()] ?? 0);
}

/** Adds one conversation, or replaces it. */
export function takeConversation(conversation: Conversation): void {
  const entry = known.get(conversation.id);
  const before = entry?.conversation.peek();
  if (entry === undefined) {
    known.set(conversation.id, { conversation: signal(conversation), since: conversation.updatedAt });
  } else {
    if (before?.state !== conversation.state) entry.since = conversation.updatedAt;
    entry.conversation.value = conversation;
  }
  if (before?.state === conversation.state && before.title === conversation.title) return;
  recount(before?.state, conversation.state);
  order.value++;
}

/** Follows the events about the list. */
export function followList(event: ServerEvent): void {
  if (event.type === 'conversation') takeConversation(event.conversation);
  else if (event.type === 'conversation-removed') {
    const state = known.get(event.conversation)?.conversation.peek().state;
    if (state === undefined) return;
    known.delete(event.conversation);
    recount(state, undefined);
    order.value++;
  } else if (event.type === 'snapshot') {
    known.clear();
    totals.value = {};
    takePage(event.page, 'state=');
  }
}

function takePage(page: ConversationsPage, query: string): void {
  for (const conversation of page.conversations) {
    const entry = known.get(conversation.id);
    if (entry === undefined) {
      known.set(conversation.id, { conversation: signal(conversation), since: conversation.updatedAt });
    } else entry.conversation.value = conversation;
  }
  counts.value = page.states;
  totals.value = { ...totals.peek(), [query]: page.total };
  listLoaded.value = true;
  order.value++;
}

function recount(before: ConversationState | undefined, after: ConversationState | undefined): void {
  if (counts.peek() === null || before === after) return;
  const next: Record<ConversationState, number> = { ...(counts.peek() ?? NONE) };
  if (before !== undefined) next[before]--;
  if (after !== undefined) next[after]++;
  counts.value = next;
}

const NONE: Readonly<Record<ConversationState, number>> = {
  'needs-me': 0,
  running: 0,
  waiting: 0,
  idle: 0,
  done: 0,
  failed: 0,
};

function queryOf(): string {
  const query = [`state=${filter.value === 'all' ? '' : filter.value}`];
  if (titleQuery.value !== '') query.push(`q=${encodeURIComponent(titleQuery.value)}`);
  if (plotFilter.value.day !== null) query.push(`day=${plotFilter.value.day}`);
  if (plotFilter.value.model !== null) query.push(`model=${encodeURIComponent(plotFilter.value.model)}`);
  return query.join('&');
}

function inState({ state }: Conversation): boolean {
  return filter.value === 'all' || filter.value === state;
}

function matches(conversation: Conversation, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { title, key, file, model, cwd } = conversation;
  const text = [title, key, file, model, cwd].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

function inPlot(conversation: Conversation): boolean {
  const { day, model } = plotFilter.value;
  if (model !== null && conversation.model !== model) return false;
  if (day === null) return true;
  const start = new Date(`${day}T00:00:00`).getTime();
  return conversation.updatedAt >= start && (conversation.startedAt ?? conversation.updatedAt) < start + 86_400_000;
}
