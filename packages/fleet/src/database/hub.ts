import pg from 'pg';
import { endClient } from './connections.ts';
import type { Database } from './database.ts';
import { channelOf, notify } from './log.ts';

/**
 * Interval at which the connection is tried, and the time it has to answer: it only receives, so one that no longer carries anything would
 * not be noticed.
 */
const PING_MS = 15_000;

/** Receives the notifications of one schema, and reconnects when the connection breaks. */
export class Hub {
  readonly #database: Database;
  readonly #waiting = new Map<string, Set<() => void>>();
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #ping: NodeJS.Timeout | undefined;
  #closed = false;
  #attempt = 0;
  #hasReceived = false;

  readonly #pingMs: number;

  constructor(database: Database, pingMs: number = PING_MS) {
    this.#database = database;
    this.#pingMs = pingMs;
  }

  /** True if notifications arrive. Behind a pooler such as PgBouncer in transaction mode they do not, although LISTEN succeeds. */
  get listening(): boolean {
    return this.#client !== undefined && this.#hasReceived;
  }

  /** Connects; after a failure it retries in the background, and waits end by their timeouts meanwhile. */
  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#database.connectionString,
      connectionTimeoutMillis: 15_000,
      keepAlive: true,
      query_timeout: this.#pingMs,
      application_name: 'coxswain-fleet listener',
    });
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ payload }) => {
      this.#hasReceived ||= this.#client === client;
      this.wake(payload ?? '');
    });
    try {
      await client.connect();
      await client.query(`listen "${channelOf(this.#database.schema)}"`);
      if (this.#closed) return void (await endClient(client));
      this.#client = client;
      this.#hasReceived = false;
      this.#attempt = 0;
      this.#pingLater(client);
      // A notification to itself: until it arrives, waiting callers poll as often as without notifications.
      await notify(this.#database, this.#database.schema, 'hello');
      // Notifications were missed meanwhile, so every waiting caller polls.
      for (const topic of [...this.#waiting.keys()]) this.wake(topic);
    } catch {
      void endClient(client);
      this.#reconnect();
    }
  }

  /** Resolves at a notification of the topic, after `ms`, or when the signal aborts. */
  wait(topic: string, ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.#closed || signal?.aborted) return resolve();
      const listeners = this.#waiting.get(topic) ?? new Set();
      this.#waiting.set(topic, listeners);
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        listeners.delete(done);
        if (listeners.size === 0 && this.#waiting.get(topic) === listeners) this.#waiting.delete(topic);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
      listeners.add(done);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#ping);
    for (const topic of [...this.#waiting.keys()]) this.wake(topic);
    const client = this.#client;
    this.#client = undefined;
    if (client) await endClient(client);
  }

  /** Ends the waits for a topic in this process. */
  wake(topic: string): void {
    for (const done of [...(this.#waiting.get(topic) ?? [])]) done();
  }

  #pingLater(client: pg.Client): void {
    clearTimeout(this.#ping);
    this.#ping = setTimeout(() => {
      client.query('select 1').then(
        () => this.#client === client && this.#pingLater(client),
        () => this.#lost(client),
      );
    }, this.#pingMs);
    this.#ping.unref();
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    void endClient(client);
    this.#reconnect();
  }

  #reconnect(): void {
    if (this.#closed) return;
    const wait = Math.min(100 * 2 ** this.#attempt, 5_000) * (0.5 + Math.random() / 2);
    this.#attempt += 1;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.open(), wait);
    this.#retry.unref();
  }
}
