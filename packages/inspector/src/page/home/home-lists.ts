import { type ReadonlySignal, signal } from '@preact/signals';
import type { Conversation, ConversationsPage } from '../../api.ts';
import { isFailure } from '../../conversations/outcome.ts';
import { getJson } from '../connection/http.ts';

/** The conversations of the first page. They are fetched: the list may not have loaded them. */
export interface HomeLists {
  readonly running: readonly Conversation[];
  readonly failedToday: readonly Conversation[];
  readonly latest: readonly Conversation[];
}

/** Number of conversations in a section. */
const ROWS = { all: 50, latest: 5 };
/** Shortest interval between two fetches. */
const PAUSE_MS = 1_000;

const lists = signal<HomeLists | null>(null);
let fetchedAt = 0;

/** The lists; `null` before they are fetched. */
export const homeLists: ReadonlySignal<HomeLists | null> = lists;

/** Fetches the lists soon; returns a function that cancels this. */
export function fetchHomeLists(failed: (error: unknown) => void): () => void {
  const wait = Math.max(0, fetchedAt + PAUSE_MS - Date.now());
  const timer = setTimeout(() => {
    fetchedAt = Date.now();
    fetchAll().catch(failed);
  }, wait);
  return () => clearTimeout(timer);
}

async function fetchAll(): Promise<void> {
  const [running, failed, latest] = await Promise.all([
    fetched(`state=running&limit=${ROWS.all}`),
    fetched(`outcome=failed,limit&limit=${ROWS.all}`),
    fetched(`state=done,idle&limit=${ROWS.latest}`),
  ]);
  const today = new Date().setHours(0, 0, 0, 0);
  const failedToday = failed.filter((each) => isOver(each) && isFailure(each) && each.updatedAt >= today);
  lists.value = { running, failedToday, latest };
}

async function fetched(query: string): Promise<readonly Conversation[]> {
  return (await getJson<ConversationsPage>(`api/conversations?${query}`)).conversations;
}

function isOver({ state }: Conversation): boolean {
  return state === 'failed' || state === 'idle' || state === 'done';
}
