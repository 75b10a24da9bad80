import type { Cursor, ServerEvent } from '../api.ts';
import type { Hub } from '../conversations/hub.ts';
import type { NumberedChange } from '../journal/journal.ts';

/** The request for an event stream. */
export interface StreamRequest {
  readonly watch: string | undefined;
  /** From `Last-Event-ID`, or else from `after`. */
  readonly cursor: Cursor | undefined;
  readonly signal: AbortSignal;
}

/** Conversations in a snapshot, changes per write, time in which changes are collected, and interval of heartbeats. */
const PACE = { snapshot: 200, batch: 500, collectMs: 25, heartbeatMs: 15_000 };

/**
 * The changes since a cursor, as server-sent events. The stream takes changes from the journal when the connection has
 * room for them; a reader that is too slow for the journal gets a snapshot instead of the changes it missed.
 */
export function eventStream(hub: Hub, request: StreamRequest): ReadableStream<Uint8Array> {
  const reader = new Reader(hub, request);
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const text = await reader.next();
        if (text === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(text));
      },
      cancel: () => reader.end(),
    },
    { highWaterMark: 1 },
  );
}

class Reader {
  readonly #hub: Hub;
  readonly #watch: string | undefined;
  /** The reader has all changes up to this number; undefined if it has none. */
  #position: number | undefined;
  /** Number of characters sent of each streaming entry. */
  readonly #sent = new Map<number, number>();
  readonly #stop: (() => void)[] = [];
  #wake: () => void = () => {};
  #ended = false;
  #lastWrite = 0;
  #greeted = false;

  constructor(hub: Hub, { watch, cursor, signal }: StreamRequest) {
    this.#hub = hub;
    this.#watch = watch;
    this.#position = hub.journal.position(cursor);
    this.#stop.push(hub.journal.listen(() => this.#wake()));
    if (watch !== undefined) this.#stop.push(hub.watch(watch));
    const abort = (): void => this.end();
    signal.addEventListener('abort', abort, { once: true });
    this.#stop.push(() => signal.removeEventListener('abort', abort));
  }

  /** The next text to write; undefined at the end. Waits for a change or the next heartbeat. */
  async next(): Promise<string | undefined> {
    if (!this.#greeted) {
      this.#greeted = true;
      return `retry: 1000\n\n${this.#position === undefined ? this.#snapshot() : this.#changes()}`;
    }
    while (!this.#ended) {
      const text = this.#changes();
      if (text !== '') {
        // Combines many small changes into one write.
        const early = this.#lastWrite + PACE.collectMs - Date.now();
        if (early > 0) await this.#wait(early, false);
        this.#lastWrite = Date.now();
        return early > 0 ? text + this.#changes() : text;
      }
      if (!(await this.#wait(PACE.heartbeatMs, true)) && !this.#ended) return ': still here\n\n';
    }
    // The final events of a server that closes.
    return this.#changes() || undefined;
  }

  end(): void {
    this.#ended = true;
    for (const stop of this.#stop.splice(0)) stop();
    this.#wake();
  }

  /** Resolves with true on a change, and with false after the time. */
  #wait(ms: number, wakeable: boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.#wake = () => {
        if (!wakeable && !this.#ended) return;
        clearTimeout(timer);
        resolve(!this.#ended);
      };
      if (wakeable && this.#hub.journal.seq !== this.#position) this.#wake();
    });
  }

  #snapshot(): string {
    const { journal, approvals } = this.#hub;
    this.#position = journal.seq;
    this.#sent.clear();
    const page = this.#hub.list(EVERYTHING, 0, PACE.snapshot);
    return this.#written(journal.seq, { type: 'snapshot', page, approvals: approvals.list() });
  }

  #changes(): string {
    const noted = this.#position === undefined ? undefined : this.#hub.journal.after(this.#position, PACE.batch);
    if (noted === undefined) return this.#snapshot();
    let text = '';
    for (const item of noted) {
      this.#position = item.seq;
      const event = this.#event(item);
      if (event) text += this.#written(item.seq, event);
    }
    // All changes up to here have been read, even if the last ones were replaced.
    if (noted.length < PACE.batch) this.#position = this.#hub.journal.seq;
    return text;
  }

  #event({ change }: NumberedChange): ServerEvent | undefined {
    if (change.what === 'event') return change.id === null || change.id === this.#watch ? change.event : undefined;
    const record = this.#hub.find(change.id);
    if (!record) return undefined;
    if (change.what === 'conversation') return { type: 'conversation', conversation: record.summary() };
    if (change.id !== this.#watch) return undefined;
    if (change.what === 'turn') {
      const turn = record.turn(change.turn);
      return turn && { type: 'turn', conversation: change.id, turn };
    }
    const entry = record.entry(change.n);
    if (entry === undefined) return undefined;
    const streams = (entry.kind === 'text' || entry.kind === 'thinking') && entry.streaming;
    const offset = this.#sent.get(change.n);
    if (!streams) this.#sent.delete(change.n);
    if (change.what === 'growth' && streams && offset !== undefined) {
      const text = entry.text.text.slice(offset);
      this.#sent.set(change.n, offset + text.length);
      return text === '' ? undefined : { type: 'delta', conversation: change.id, n: change.n, offset, text };
    }
    if (change.what === 'growth' && !streams) return undefined;
    if (streams) this.#sent.set(change.n, entry.text.text.length);
    return { type: 'entry', conversation: change.id, entry };
  }

  #written(seq: number, event: ServerEvent): string {
    return `id: ${this.#hub.journal.cursorAt(seq)}\ndata: ${JSON.stringify(event)}\n\n`;
  }
}

const EVERYTHING = { states: [], outcomes: [], q: '', key: '', model: '', source: '', day: '' };
