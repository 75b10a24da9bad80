import pg from 'pg';
import type { Reconnects } from './reconnects.ts';

/** How long a connection may take to end in order. One that is cut off would wait for ever, and keep the process alive. */
const END_MS = 5_000;

/** A pool of connections that can be replaced as a whole. */
export class Connections {
  readonly #settings: pg.PoolConfig;
  readonly #reconnects: Reconnects;
  readonly #onError: (error: Error) => void;
  /** The connections that have not ended, and those of them that are in use. */
  readonly #open = new Map<pg.PoolClient, pg.Pool>();
  readonly #busy = new Set<pg.PoolClient>();
  #pool: pg.Pool;
  #createdAt = 0;

  constructor(settings: pg.PoolConfig, reconnects: Reconnects, onError: (error: Error) => void) {
    this.#settings = settings;
    this.#reconnects = reconnects;
    this.#onError = onError;
    this.#pool = this.#create();
  }

  async connect(): Promise<pg.PoolClient> {
    if (this.#pool.idleCount === 0) this.#reconnects.check();
    return this.#pool.connect();
  }

  /**
   * A connection has carried nothing since then. Those that are idle may be no better, so whoever comes next gets a new one,
   * unless they are newer than that. Returns whether they were replaced.
   */
  distrust(since: number): boolean {
    if (this.#createdAt > since) return false;
    const old = this.#pool;
    this.#pool = this.#create();
    void this.#end(old);
    return true;
  }

  /** Lets what is under way end. */
  async close(): Promise<void> {
    await this.#end(this.#pool);
  }

  #create(): pg.Pool {
    const pool = new pg.Pool(this.#settings);
    this.#createdAt = performance.now();
    // An idle connection that breaks is replaced by the pool.
    pool.on('error', (error) => this.#onError(error));
    pool.on('connect', (client) => {
      client.on('error', () => {});
      this.#open.set(client, pool);
    });
    pool.on('acquire', (client) => this.#busy.add(client));
    pool.on('release', (_, client) => this.#busy.delete(client));
    pool.on('remove', (client) => this.#open.delete(client));
    return pool;
  }

  async #end(pool: pg.Pool): Promise<void> {
    const timer = setTimeout(() => {
      for (const [client, its] of this.#open) if (its === pool && !this.#busy.has(client)) cut(client);
    }, END_MS);
    timer.unref();
    await pool.end().catch(() => {});
  }
}

/** Gives a connection back that does not answer, or whose transaction cannot be ended; the server ends that with it. */
export function discard(client: pg.PoolClient, error: Error): void {
  cut(client);
  client.release(error);
}

/** Ends a connection that is not in a pool. */
export async function endClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => cut(client), END_MS);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

function cut(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.connection.stream.destroy();
}
