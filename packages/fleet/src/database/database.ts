import type pg from 'pg';
import { DatabaseUnavailableError, FleetClosedError } from '../errors.ts';
import { COLUMN_TYPES } from './column-types.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { Connections, discard } from './connections.ts';
import {
  isConnectionFailure,
  isPermanent,
  isSilentConnection,
  isWithoutConnections,
  messageOf,
  reasonOf,
} from './failure.ts';
import { Reconnects } from './reconnects.ts';
import { RoundTrips } from './round-trips.ts';
import { beginWith, type TransactionSettings } from './settings.ts';
import { writeProbe } from './write-probe.ts';

/** Runs SQL: the pool, or one transaction. `@.` in a text stands for the schema. */
export interface Sql {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Whether the database can be reached. */
export interface DatabaseHealth {
  readonly reachable: boolean;
  /** When this became so, in ms since the epoch. */
  readonly since: number;
  readonly reason: string | undefined;
}

/** How a transaction runs. */
export interface TransactionOptions {
  /**
   * With `false`, the commit does not wait for the disk: a crash of the server may undo it, but only together with everything
   * committed later. True by default.
   */
  readonly durable?: boolean | undefined;
  /** Time limit of the transaction once it has a connection; then the connection counts as silent. */
  readonly withinMs?: number | undefined;
  /** Statements may take minutes. */
  readonly patient?: boolean | undefined;
}

/** A pool of connections to one schema. */
export class Database implements Sql {
  readonly schema: string;
  readonly connectionString: string;
  readonly #pool: Connections;
  /** For the queue's own statements. Not in the pool: a transaction that holds a connection of the pool may wait for this one. */
  readonly #queue: Connections;
  /** For statements that must not wait behind other work. They may wait for rows whose owner waits for the connection above. */
  readonly #express: Connections;
  readonly #inFlight = new Set<{ readonly since: number; readonly trips: number }>();
  readonly #roundTrips = new RoundTrips();
  /** The server may have stalled just before this process connected. */
  #stalledAt = performance.now();
  #closed = false;
  #health: DatabaseHealth = { reachable: true, since: Date.now(), reason: undefined };
  #reachableAt = performance.now();

  readonly #settings: TransactionSettings;
  readonly #expressSettings: TransactionSettings;
  readonly #concurrency: ConcurrencyLimit;
  readonly #reconnects: Reconnects;

  constructor(options: {
    readonly url: string;
    readonly schema: string;
    readonly connections: number;
    readonly leaseMs: number;
  }) {
    const { url, schema, connections, leaseMs } = options;
    this.schema = schema;
    this.connectionString = url;
    const idleMs = Math.min(leaseMs / 2, 5_000);
    // By then the server has ended a transaction that was left open.
    this.#settings = { statementMs: STATEMENT_MS, lockMs: LOCK_MS, idleMs };
    // Leaves time to renew a lease on another connection.
    const expressMs = Math.max(1_000, Math.min(leaseMs / 4, STATEMENT_MS));
    this.#expressSettings = { statementMs: expressMs, lockMs: expressMs, idleMs };
    const config: pg.PoolConfig = {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // Statements that do not depend on each other take one round trip.
      pipeline: true,
      application_name: 'coxswain-fleet',
      // Later than the server's own timeout: applies if the connection does not even deliver that error.
      query_timeout: STATEMENT_MS + 2_000,
      types: COLUMN_TYPES,
    };
    this.#reconnects = new Reconnects(writeProbe(config));
    const broken = (error: Error): void => void this.#failed(error);
    const create = (more: pg.PoolConfig): Connections =>
      new Connections({ ...config, ...more }, this.#reconnects, broken);
    this.#pool = create({ max: connections });
    this.#concurrency = new ConcurrencyLimit(connections);
    this.#queue = create({ max: 1 });
    // Leaves time for a second attempt.
    const connectionTimeoutMillis = Math.min(CONNECT_MS, Math.max(5_000, leaseMs / 2));
    this.#express = create({ max: 1, query_timeout: expressMs + 250, connectionTimeoutMillis });
  }

  get health(): DatabaseHealth {
    return this.#health;
  }

  /** Time in ms for which the database has been reachable, by the monotonic clock; 0 while it is not. */
  get reachableMs(): number {
    return this.#health.reachable ? performance.now() - this.#reachableAt : 0;
  }

  /** Time in ms for which the database has answered all statements without unusual delay; 0 while a statement is delayed. */
  get steadyMs(): number {
    const now = performance.now();
    for (const { since, trips } of this.#inFlight) if (now - since > this.#roundTrips.slowMs(trips)) return 0;
    return now - this.#stalledAt;
  }

  /** If a response takes longer than this, the server has stalled. */
  get slowMs(): number {
    return this.#roundTrips.slowMs(1);
  }

  /** Time in ms to wait for a row that the fleet itself locks for a few round trips only. */
  get rowLockMs(): number {
    return Math.min(LOCK_MS, this.#roundTrips.slowMs(ROW_TRIPS));
  }

  /** Runs one statement in its own transaction. */
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#concurrency.run(() => this.#one<Row>(this.#pool, this.#settings, text, values));
  }

  /** Runs a statement that must not wait behind others, on a separate connection. */
  async queryExpress<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#one<Row>(this.#express, this.#expressSettings, text, values);
  }

  /** Runs the queue's own statements on a separate connection; one text may hold several. */
  async execute(text: string, values: unknown[] = []): Promise<{ rows: Record<string, unknown>[] }> {
    const begin = beginWith(this.#settings);
    // Some texts have their own transaction, or commands that must not run in one.
    const own = /^\s*BEGIN;/.test(text);
    const alone = own || /\bCONCURRENTLY\b/i.test(text);
    const statement = own ? text.replace('BEGIN;', () => `${begin};`) : text;
    return resultOf(await this.#send(this.#queue, alone ? undefined : begin, statement, values));
  }

  /** Runs a function in one transaction. When it throws, nothing is stored. @throws DatabaseUnavailableError */
  async transaction<T>(work: (sql: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return this.#concurrency.run(() => this.#transaction(work, options));
  }

  async #transaction<T>(
    work: (sql: Transaction) => Promise<T>,
    { durable = true, patient, withinMs }: TransactionOptions,
  ): Promise<T> {
    const client = await this.#connect(this.#pool);
    const since = performance.now();
    const run = async (): Promise<T> => {
      const queryMs = patient ? PATIENT_MS : undefined;
      const transaction = new Transaction(client, this.schema, queryMs, (statement) => this.#observed(statement));
      const waits = patient ? PATIENT_MS : withinMs && withinMs * 0.8;
      const settings = waits === undefined ? this.#settings : { ...this.#settings, statementMs: waits, lockMs: waits };
      // Need not be awaited first: if it fails, every later statement fails, too.
      const begun = this.#timed(() => client.query(beginWith({ ...settings, durable })), 1);
      const [began, worked] = await Promise.allSettled([begun, work(transaction)]);
      if (began.status === 'rejected') throw began.reason;
      if (worked.status === 'rejected') throw worked.reason;
      const { value } = worked;
      const { command } = await this.#observed(() => client.query('commit'));
      // A statement failed, and `work` ignored it.
      if (command !== 'COMMIT')
        throw new DatabaseUnavailableError('The query failed', 'the transaction was rolled back');
      return value;
    };
    try {
      const value = await (withinMs === undefined ? run() : within(withinMs, run(), () => this.#replaceSilent(since)));
      client.release();
      return value;
    } catch (error) {
      // A rollback may hang on such a connection; the server ends the transaction when the connection closes.
      if (error instanceof DatabaseUnavailableError) discard(client, error);
      else
        await client.query('rollback').then(
          () => client.release(),
          (failure: Error) => discard(client, failure),
        );
      throw error;
    }
  }

  async #one<Row extends object>(
    connections: Connections,
    settings: TransactionSettings,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const statement = inSchema(text, this.schema);
    const done = await this.#send(connections, beginWith(settings), statement, [...values]);
    // The caller states the type of the rows that its SQL returns.
    return resultOf(done).rows as Row[];
  }

  async #send(connections: Connections, begin: string | undefined, text: string, values: unknown[]): Promise<unknown> {
    const client = await this.#connect(connections);
    return this.#timed(() => sendOn(client, begin, text, values), 1);
  }

  /** Returns an idle connection, or a new one. */
  #connect(connections: Connections): Promise<pg.PoolClient> {
    return this.#timed(() => connections.connect(), CONNECT_TRIPS);
  }

  get #connections(): readonly Connections[] {
    return [this.#pool, this.#queue, this.#express];
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#reconnects.close();
    await Promise.all(this.#connections.map((connections) => connections.close()));
  }

  /** Runs work that takes `trips` round trips, and records a stall of the server if it takes too long. */
  async #timed<T>(work: () => Promise<T>, trips: number): Promise<T> {
    const flight = { since: performance.now(), trips };
    this.#inFlight.add(flight);
    try {
      const value = await this.#observed(work);
      if (trips === 1) this.#roundTrips.answered(performance.now() - flight.since);
      return value;
    } finally {
      this.#inFlight.delete(flight);
      const now = performance.now();
      if (now - flight.since > this.#roundTrips.slowMs(trips)) this.#stalledAt = now;
    }
  }

  /** A connection has been silent since then: replaces the pools that are older. */
  #replaceSilent(since: number): void {
    if (this.#closed) return;
    const replaced = this.#connections.filter((connections) => connections.replaceOlderThan(since));
    if (replaced.length > 0) this.#reconnects.recordSilence();
  }

  /** Runs a statement and records whether the database can be reached. */
  async #observed<T>(statement: () => Promise<T>): Promise<T> {
    const since = performance.now();
    try {
      const value = await statement();
      if (!this.#health.reachable) {
        this.#health = { reachable: true, since: Date.now(), reason: undefined };
        this.#reachableAt = performance.now();
      }
      return value;
    } catch (error) {
      if (isSilentConnection(error)) this.#replaceSilent(since);
      throw this.#failed(error);
    }
  }

  /** Turns errors that may be temporary into one error, without the URL; returns permanent errors unchanged. */
  #failed(error: unknown): unknown {
    if (this.#closed) return new FleetClosedError('The query failed');
    if (isPermanent(error)) return error;
    const reason = reasonOf(error);
    if (isConnectionFailure(error) && this.#health.reachable)
      this.#health = { reachable: false, since: Date.now(), reason };
    const failure = new DatabaseUnavailableError('The query failed', reason, messageOf(error));
    // One connection may have broken. Waiting calls only fail if no new connection can be opened.
    if (isWithoutConnections(reason ?? '')) this.#concurrency.rejectWaiting(failure);
    return failure;
  }
}

/** What a transaction uses of a client of `pg`. The types of `pg` must not be in those of this package: users do not have them. */
interface Client {
  query<Row extends object>(statement: {
    readonly text: string;
    readonly values: unknown[];
    readonly query_timeout: number | undefined;
  }): Promise<{ readonly rows: Row[] }>;
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/** One open transaction. */
export class Transaction implements Sql {
  readonly #client: Client;
  readonly #schema: string;
  readonly #queryMs: number | undefined;
  readonly #observed: <T>(statement: () => Promise<T>) => Promise<T>;

  constructor(
    client: Client,
    schema: string,
    queryMs: number | undefined,
    watched: <T>(statement: () => Promise<T>) => Promise<T>,
  ) {
    this.#client = client;
    this.#schema = schema;
    this.#queryMs = queryMs;
    this.#observed = watched;
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const statement = { text: inSchema(text, this.#schema), values: [...values], query_timeout: this.#queryMs };
    const { rows } = await this.#observed(() => this.#client.query<Row>(statement));
    return rows;
  }

  /** Sets how long the following statements wait for a lock. */
  async setLockTimeout(ms: number): Promise<void> {
    await this.query(`select set_config('lock_timeout', $1, true)`, [String(Math.round(ms))]);
  }

  /** The interface of the queue, which takes part in the transaction. */
  async executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
    const done: unknown = await this.#observed(() => this.#client.query(text, values));
    return resultOf(done);
  }
}

const STATEMENT_MS = 30_000;
const LOCK_MS = 10_000;

/** Several transactions one after the other, each of a few round trips. */
const ROW_TRIPS = 20;

/** Time limit of a new connection, and its round trips at most: TCP, TLS, the password, and a wait for the connection in use. */
const CONNECT_MS = 15_000;
const CONNECT_TRIPS = 6;

/** Time limit for new columns and indexes of large tables. */
const PATIENT_MS = 10 * 60_000;

/** Calls `late` and rejects if the work takes longer than `ms`. @throws DatabaseUnavailableError */
function within<T>(ms: number, work: Promise<T>, late: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      late();
      reject(new DatabaseUnavailableError('The query failed', `no answer within ${Math.round(ms)} ms`));
    }, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Sends a statement and its transaction in one round trip. */
async function sendOn(
  client: pg.PoolClient,
  begin: string | undefined,
  text: string,
  values: unknown[],
): Promise<unknown> {
  const sent =
    begin === undefined
      ? [client.query(text, values)]
      : [client.query(begin), client.query(text, values), client.query('commit')];
  const answers = await Promise.allSettled(sent);
  const failure = answers.find((answer) => answer.status === 'rejected');
  const last = answers.at(-1);
  // The commit rolls a failed statement back. A failed text with its own transaction leaves that open.
  if (last?.status === 'rejected') discard(client, last.reason);
  else client.release();
  if (failure !== undefined) throw failure.reason;
  const [answer] = begin === undefined ? answers : answers.slice(1);
  return answer?.status === 'fulfilled' ? answer.value : undefined;
}

/** Qualifies tables. The search path is not used: a pooler such as PgBouncer shares connections between clients. */
function inSchema(text: string, schema: string): string {
  return text.replaceAll('@.', `"${schema}".`);
}

function resultOf(done: unknown): { rows: Record<string, unknown>[] } {
  // A text with several statements has several results; the last one counts.
  const last: unknown = Array.isArray(done) ? done.at(-1) : done;
  return last as { rows: Record<string, unknown>[] };
}
