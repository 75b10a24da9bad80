import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { Cursor, ServerEvent } from '../../api.ts';
import { loginNeeded, request } from './http.ts';
import { requireProof } from './key.ts';
import { readEvents } from './read-events.ts';

/** `live`: events arrive. `connecting`: the first connection. `lost`: it was interrupted, and the page retries. */
export type ConnectionState = 'connecting' | 'live' | 'lost';

const state = signal<ConnectionState>('connecting');
const lastEvent = signal<number | null>(null);

/** The state of the event stream. */
export const connection: ReadonlySignal<ConnectionState> = state;
/** When the last event arrived. */
export const lastEventAt: ReadonlySignal<number | null> = lastEvent;

const RETRY_MS = [500, 1_000, 2_000, 5_000] as const;
/** Longest silence of a live connection: the server sends a heartbeat every 15 seconds. */
const SILENCE_MS = 40_000;
/** Interval at which a hidden tab applies events: it gets no animation frames. */
const HIDDEN_MS = 500;

let opened: AbortController | undefined;
let watched: string | null = null;
let cursor: Cursor | null = null;
let retries = 0;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let handler: (events: readonly ServerEvent[]) => void = () => {};
let queue: ServerEvent[] = [];
let scheduled = false;

/** Starts the stream. `handle` gets all events since the last frame, once per frame. */
export function startEvents(handle: (events: readonly ServerEvent[]) => void): void {
  handler = handle;
  connect();
}

/** Requests the entries of this conversation from now on. */
export function watch(conversation: string): void {
  setWatched(conversation);
}

/** Stops requesting them, unless another conversation is watched: the next view may start before this one ends. */
export function unwatch(conversation: string): void {
  if (watched === conversation) setWatched(null);
}

function setWatched(conversation: string | null): void {
  if (conversation === watched) return;
  watched = conversation;
  if (opened !== undefined || retryTimer !== undefined) connect();
}

/** Reconnects now instead of waiting for the next retry. */
export function reconnect(): void {
  connect();
}

function connect(): void {
  clearTimeout(retryTimer);
  retryTimer = undefined;
  opened?.abort();
  const stop = new AbortController();
  opened = stop;
  let silence = setTimeout(() => stop.abort(), SILENCE_MS);
  const onData = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => stop.abort(), SILENCE_MS);
  };
  const ended = (): void => {
    clearTimeout(silence);
    lost(stop);
  };
  follow(stop.signal, onData).then(ended, ended);
}

/** Takes events until the stream ends. EventSource cannot send the key. */
async function follow(signal: AbortSignal, onData: () => void): Promise<void> {
  const query = new URLSearchParams();
  if (watched !== null) query.set('watch', watched);
  if (cursor !== null) query.set('after', cursor);
  const { body } = await request(`api/events?${query}`, { signal });
  if (body === null || signal.aborted) return;
  retries = 0;
  state.value = 'live';
  // The user may have logged in in another tab.
  loginNeeded.value = false;
  for await (const { id, data } of readEvents(body, onData)) {
    if (signal.aborted) return;
    if (id !== '') cursor = id;
    // The server sends the types of api.ts.
    queue.push(JSON.parse(data) as ServerEvent);
    schedule();
  }
}

function lost(ended: AbortController): void {
  if (opened !== ended) return;
  requireProof();
  state.value = 'lost';
  retryTimer = setTimeout(connect, RETRY_MS[Math.min(retries++, RETRY_MS.length - 1)]);
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  if (document.hidden) setTimeout(flush, HIDDEN_MS);
  else requestAnimationFrame(flush);
}

function flush(): void {
  scheduled = false;
  const events = queue;
  queue = [];
  lastEvent.value = Date.now();
  batch(() => handler(events));
}

// A frame requested while the tab was visible never arrives once it is hidden.
document.addEventListener('visibilitychange', () => {
  if (document.hidden && scheduled) setTimeout(() => scheduled && flush(), HIDDEN_MS);
});
