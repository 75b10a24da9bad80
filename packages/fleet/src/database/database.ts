import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseUnavailableError, FleetClosedError } from '../errors.ts';
import { Line } from './line.ts';

/** What runs SQL: the pool, or one transaction. `@.` in a text stands for the schema. */
export interface Sql {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Whether the database can be reached. */
export interface DatabaseHealth {
  readonly reachable: boolean;
  /** Since when this has been so, in ms since the epoch. */
  readonly since: number;
  readonly reason: string | undefined;
}

/** A pool of connections to one schema. */
export class Database implements Sql {
  readonly schema: string;
  readonly connectionString: string;
  readonly #pool: pg.Pool;
  /** What holds a connection of the pool may wait for this one, so it is never in the pool. */
  readonly #aside: pg.Pool;
  /** For what must not wait behind other work. It waits for rows whose holders may wait for the one above. */
  readonly #express: pg.Pool;
  readonly #inFlight = new Set<{ readonly since: number }>();
  #stalledAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  #health: DatabaseHealth = { reachable: true, since: Date.now(), reason: undefined };

  readonly #begin: string;
  readonly #line: Line;

  constructor(options: {
    readonly url: string;
    readonly schema: string;
    readonly connections: number;
    readonly idleMs: number;
  }) {
    this.schema = options.schema;
    this.connectionString = options.url;
    // A process that is stopped or cut off in a transaction holds rows that others need; the server ends it.
    this.#begin = `begin; set local idle_in_transaction_session_timeout to ${Math.round(options.idleMs)}`;
    const settings: pg.PoolConfig = {
      connectionString: options.url,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      application_name: 'coxswain-fleet',
      // A statement that hangs longer than this is cut off; ours take milliseconds.
      query_timeout: 30_000,
      types: TYPES,
    };
    this.#pool = new pg.Pool({ ...settings, max: options.connections });
    this.#line = new Line(options.connections);
    this.#aside = new pg.Pool({ ...settings, max: 1 });
    this.#express = new pg.Pool({ ...settings, max: 1 });
    for (const pool of this.#pools) {
      // An idle connection that breaks is replaced by the pool.
      pool.on('error', (error) => this.#failed(error));
      pool.on('connect', (client) => client.on('error', () => {}));
    }
  }

  get health(): DatabaseHealth {
    return this.#health;
  }

  /** For how long all statements have been answered without delay, in ms; 0 while one waits for longer than that. */
  get steadyMs(): number {
    const now = performance.now();
    for (const { since } of this.#inFlight) if (now - since > STALL_MS) return 0;
    return now - this.#stalledAt;
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.#line.through(() =>
      this.#timed(() => this.#pool.query<Row>(inSchema(text, this.schema), [...values])),
    );
    return rows;
  }

  get #pools(): readonly pg.Pool[] {
    return [this.#pool, this.#aside, this.#express];
  }

  /** A statement that must not wait behind others, on a connection of its own. */
  async queryExpress<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const { rows } = await this.#timed(() => this.#express.query<Row>(inSchema(text, this.schema), [...values]));
    return rows;
  }

  /** The queue's own statements, on a connection of their own; several may be in one text. */
  async execute(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
    const done: unknown = await this.#timed(() => this.#aside.query(text, values));
    return resultOf(done);
  }

  /**
   * Runs a function in one transaction. When it throws, nothing is stored. With `durable: false` the commit does not wait for the
   * disk: a crash of the server may undo it, but never without undoing everything that was committed later. @throws DatabaseUnavailableError
   */
  async transaction<T>(
    work: (sql: Transaction) => Promise<T>,
    { durable = true }: { readonly durable?: boolean } = {},
  ): Promise<T> {
    return this.#line.through(() => this.#transaction(work, durable));
  }

  async #transaction<T>(work: (sql: Transaction) => Promise<T>, durable: boolean): Promise<T> {
    const client = await this.#timed(() => this.#pool.connect());
    let broken: Error | undefined;
    try {
      const transaction = new Transaction(client, this.schema);
      await this.#timed(() =>
        client.query(durable ? this.#begin : `${this.#begin}; set local synchronous_commit to off`),
      );
      const value = await this.#watched(() => work(transaction));
      await this.#watched(() => client.query('commit'));
      return value;
    } catch (error) {
      // A connection that does not answer would not answer this either; the server ends the transaction with it.
      if (error instanceof DatabaseUnavailableError) broken = error;
      else
        await client.query('rollback').catch((failure: Error) => {
          broken = failure;
        });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#pools.map((pool) => pool.end().catch(() => {})));
  }

  /** Notes when a statement takes so long that the server must have stood still. */
  async #timed<T>(statement: () => Promise<T>): Promise<T> {
    const flight = { since: performance.now() };
    this.#inFlight.add(flight);
    try {
      return await this.#watched(statement);
    } finally {
      this.#inFlight.delete(flight);
      const now = performance.now();
      if (now - flight.since > STALL_MS) this.#stalledAt = now;
    }
  }

  async #watched<T>(work: () => Promise<T>): Promise<T> {
    try {
      const value = await work();
      if (!this.#health.reachable) this.#health = { reachable: true, since: Date.now(), reason: undefined };
      return value;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Errors of the connection become one error without the URL; all others stay what they are. */
  #failed(error: unknown): unknown {
    if (this.#closed) return new FleetClosedError('The query failed');
    if (error instanceof DatabaseUnavailableError || !isConnectionFailure(error)) return error;
    const reason = reasonOf(error);
    if (this.#health.reachable) this.#health = { reachable: false, since: Date.now(), reason };
    const failure = new DatabaseUnavailableError('The query failed', reason);
    // One connection may have broken; the others are only useless if no new one can be made.
    if (NO_CONNECTION.test(reason ?? '')) this.#line.fail(failure);
    return failure;
  }
}

/** One open transaction. */
export class Transaction implements Sql {
  readonly #client: pg.PoolClient;
  readonly #schema: string;

  constructor(client: pg.PoolClient, schema: string) {
    this.#client = client;
    this.#schema = schema;
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.#client.query<Row>(inSchema(text, this.#schema), [...values]);
    return rows;
  }

  /** For the queue, which takes part in the transaction. */
  async executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
    const done: unknown = await this.#client.query(text, values);
    return resultOf(done);
  }
}

/** Repeats work while the database cannot be reached. `until` is a time of `performance.now()`. @throws what the last try threw */
export async function whileUnavailable<T>(work: () => Promise<T>, until: () => number): Promise<T> {
  for (let wait = 50; ; wait = Math.min(wait * 2, 2_000)) {
    try {
      return await work();
    } catch (error) {
      const left = until() - performance.now();
      if (!isTransient(error) || left <= 0) throw error;
      await delay(Math.min(left, wait * (0.5 + Math.random() / 2)));
    }
  }
}

/** Statements of the fleet take milliseconds. */
const STALL_MS = 1_000;

/** Not the search path of the connection: a pooler such as PgBouncer shares connections between clients. */
function inSchema(text: string, schema: string): string {
  return text.replaceAll('@.', `"${schema}".`);
}

/** Counts are numbers here, not text; none of ours exceeds 2^53. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === 20 || oid === 1700
      ? Number
      : // The overloads of the two formats do not accept their union.
        pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

function resultOf(done: unknown): { rows: Record<string, unknown>[] } {
  // Several statements in one text give several results; the last one counts.
  const last: unknown = Array.isArray(done) ? done.at(-1) : done;
  return last as { rows: Record<string, unknown>[] };
}

/** The same work may succeed when it is repeated. */
export function isTransient(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError || isConflict(error) || isConnectionFailure(error);
}

/** Deadlocks and failed serialisations: the same transaction may succeed when it is repeated. */
function isConflict(error: unknown): boolean {
  return ['40P01', '40001'].includes(codeOf(error) ?? '');
}

/** The connection broke or was refused, or the server is starting or stopping. */
function isConnectionFailure(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return /^(?:08|57P0|53)/.test(code) || SYSTEM.has(code);
  return (
    error instanceof Error &&
    /connection|timeout exceeded when trying to connect|query read timeout/i.test(error.message)
  );
}

const NO_CONNECTION =
  /^(?:ECONNREFUSED|ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|57P03|53300)$|trying to connect/;

const SYSTEM: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function reasonOf(error: unknown): string | undefined {
  return codeOf(error) ?? (error instanceof Error ? error.message : undefined);
}
