import pg from 'pg';
import type { Reconnects } from './reconnects.ts';

/** Time for a graceful end of a connection. Without a limit, a broken connection would keep the process alive. */
const END_MS = 5_000;

/** A connection pool that can be replaced as a whole. */
export class Connections {
  readonly #settings: pg.PoolConfig;
  readonly #reconnects: Reconnects;
  readonly #onError: (error: Error) => void;
  /** All open connections with their pools, and the connections in use. */
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
   * A connection has been silent since then, and idle ones may be as well: replaces the pool, unless it is newer. Returns whether it
   * was replaced.
   */
  replaceOlderThan(since: number): boolean {
    if (this.#createdAt > since) return false;
    const old = this.#pool;
    this.#pool = this.#create();
    void this.#end(old);
    return true;
  }

  /** Closes the pool once running queries have ended. */
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
      for (const [client, its] of this.#open) if (its === pool && !this.#busy.has(client)) destroy(client);
    }, END_MS);
    timer.unref();
    await pool.end().catch(() => {});
  }
}

/** Destroys a connection that does not answer, or whose transaction cannot be ended; the server then rolls it back. */
export function discard(client: pg.PoolClient, error: Error): void {
  destroy(client);
  client.release(error);
}

/** Closes a connection that is not in a pool. */
export async function endClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => destroy(client), END_MS);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

function destroy(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.connection.stream.destroy();
}
