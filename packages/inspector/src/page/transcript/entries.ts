import { type ReadonlySignal, signal } from '@preact/signals';
import type { EntriesPage, Entry, ServerEvent } from '../../api.ts';
import { getJson, RequestError } from '../connection/http.ts';

/** Number of entries fetched together. */
const PAGE = 200;
/** Number of pages kept; the most recently shown stay. */
const MAX_PAGES = 25;

/**
 * The transcript of one conversation. Entries are fetched around the visible part and dropped when they are far away, so a
 * transcript of any length needs little memory.
 */
export class Entries {
  readonly conversation: string;
  /** Increases on every change. */
  readonly version: ReadonlySignal<number>;
  /** The number of entries, loaded or not; `null` before the first response. */
  readonly total: ReadonlySignal<number | null>;
  readonly failure: ReadonlySignal<RequestError | null>;
  private readonly versionSignal = signal(0);
  private readonly totalSignal = signal<number | null>(null);
  private readonly failureSignal = signal<RequestError | null>(null);
  private readonly pages: Pages = new Map();
  /** The pages before a reload; shown until the same page is complete again. */
  private readonly outdated: Pages = new Map();
  /** Number of reloads: responses to earlier requests are dropped. */
  private reloads = 0;
  /** The number of entries since the last reload. */
  private known = 0;
  /** A snapshot arrived before the first response, which may be older. */
  private isOld = false;
  private readonly fetching = new Set<number>();
  private readonly stale = new Set<number>();
  /** Entries whose text grew before they were fetched. */
  private readonly missed = new Set<number>();

  constructor(conversation: string) {
    this.conversation = conversation;
    this.version = this.versionSignal;
    this.total = this.totalSignal;
    this.failure = this.failureSignal;
  }

  /** The entry with this number, if it is loaded. */
  at(n: number): Entry | undefined {
    return entryIn(this.pages, n) ?? entryIn(this.outdated, n);
  }

  /** Fetches the end of the transcript, or the part around an entry. */
  async open(entry: number | null): Promise<void> {
    const from = entry === null ? -PAGE : Math.max(0, Math.floor(entry / PAGE) * PAGE);
    await this.fetch(from, PAGE);
  }

  /** Fetches the missing entries in a range. */
  ensure(from: number, to: number): void {
    for (let page = Math.floor(from / PAGE); page <= Math.floor(Math.max(from, to - 1) / PAGE); page++) {
      const kept = this.pages.get(page);
      if (kept !== undefined) {
        // A Map keeps insertion order: visible pages move to the end, where they are dropped last.
        this.pages.delete(page);
        this.pages.set(page, kept);
      }
      if (this.isComplete(page) || this.fetching.has(page)) continue;
      this.fetching.add(page);
      void this.fetch(page * PAGE, PAGE).finally(() => this.fetching.delete(page));
    }
  }

  /** Fetches everything again. The visible entries stay until then, which keeps the focus and the scroll position. */
  reload(): void {
    for (const [at, page] of this.pages) this.outdated.set(at, page);
    this.pages.clear();
    this.fetching.clear();
    this.reloads++;
    this.known = 0;
    void this.open(null);
  }

  /** Repeats failed requests. */
  retry(): void {
    if (this.failureSignal.peek() === null) return;
    this.failureSignal.value = null;
    this.reload();
  }

  /** Follows the events about this conversation. */
  follow(event: ServerEvent): void {
    if (event.type === 'snapshot') {
      if (this.totalSignal.peek() === null && this.failureSignal.peek() === null) this.isOld = true;
      else this.reload();
    } else if (event.type === 'conversation' && event.conversation.id === this.conversation) {
      // The conversation exists again.
      if (this.failureSignal.peek()?.code === 'not-found') this.retry();
    }
    if (!('conversation' in event) || event.conversation !== this.conversation) return;
    if (event.type === 'rewritten' || event.type === 'conversation-removed') this.reload();
    else if (event.type === 'entry') this.put(event.entry);
    else if (event.type === 'delta') this.append(event.n, event.offset, event.text);
  }

  private append(n: number, offset: number, text: string): void {
    const entry = entryIn(this.pages, n);
    if (entry === undefined) this.missed.add(n);
    if (entry === undefined || (entry.kind !== 'text' && entry.kind !== 'thinking')) return;
    if (entry.text.text.length === offset) {
      const cut = { ...entry.text, text: entry.text.text + text, length: entry.text.length + text.length };
      this.put({ ...entry, text: cut });
    } else if (offset > entry.text.text.length && entry.text.more === null) void this.refresh(n);
  }

  /** Fetches one entry that missed a part of its text. */
  private async refresh(n: number): Promise<void> {
    if (this.stale.has(n)) return;
    this.stale.add(n);
    const before = entryIn(this.pages, n);
    try {
      const page = await getJson<EntriesPage>(this.url(n, 1));
      // An event may have brought a newer version in the meantime.
      if (entryIn(this.pages, n) === before) for (const entry of page.entries) this.put(entry);
    } catch {
      // The finished entry arrives in an event.
    } finally {
      this.stale.delete(n);
    }
  }

  /** A response may be older than text that arrived in events before it. */
  private complete(n: number): void {
    const entry = entryIn(this.pages, n);
    if (entry === undefined) return;
    this.missed.delete(n);
    if ('streaming' in entry && entry.streaming) void this.refresh(n);
  }

  private async fetch(from: number, limit: number): Promise<void> {
    const { reloads } = this;
    try {
      const page = await getJson<EntriesPage>(this.url(from, limit));
      if (reloads !== this.reloads) return;
      this.failureSignal.value = null;
      this.known = Math.max(page.total, this.known);
      this.totalSignal.value = this.known;
      // An event may have brought a newer version in the meantime.
      for (const entry of page.entries) if (entryIn(this.pages, entry.n) === undefined) this.set(entry);
      for (const at of this.outdated.keys()) if (this.isComplete(at)) this.outdated.delete(at);
      for (const n of this.missed) this.complete(n);
      forget(this.pages);
      forget(this.outdated);
      this.versionSignal.value++;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (reloads === this.reloads) this.failureSignal.value = error;
    }
    if (!this.isOld) return;
    this.isOld = false;
    this.reload();
  }

  private url(from: number, limit: number): string {
    return `api/conversations/${encodeURIComponent(this.conversation)}/entries?from=${from}&limit=${limit}`;
  }

  private put(entry: Entry): void {
    this.set(entry);
    this.known = Math.max(this.known, entry.n + 1);
    this.totalSignal.value = Math.max(this.totalSignal.peek() ?? 0, this.known);
    this.versionSignal.value++;
  }

  private set(entry: Entry): void {
    const at = Math.floor(entry.n / PAGE);
    let page = this.pages.get(at);
    if (page === undefined) {
      page = [];
      this.pages.set(at, page);
    }
    page[entry.n % PAGE] = entry;
  }

  private isComplete(page: number): boolean {
    const kept = this.pages.get(page);
    if (kept === undefined) return false;
    const size = Math.min(PAGE, (this.totalSignal.peek() ?? 0) - page * PAGE);
    for (let at = 0; at < size; at++) if (kept[at] === undefined) return false;
    return true;
  }
}

/** Entries by page, then by index in the page. */
type Pages = Map<number, (Entry | undefined)[]>;

function entryIn(pages: Pages, n: number): Entry | undefined {
  return pages.get(Math.floor(n / PAGE))?.[n % PAGE];
}

function forget(pages: Pages): void {
  for (const page of pages.keys()) {
    if (pages.size <= MAX_PAGES) return;
    pages.delete(page);
  }
}
