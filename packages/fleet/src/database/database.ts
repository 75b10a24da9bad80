import pg from 'pg';
import { DatabaseUnavailableError, FleetClosedError } from '../errors.ts';
import { Connections, discard } from './connections.ts';
import { isConnectionFailure, isPermanent, isSilence, isWithoutConnections, reasonOf, wordsOf } from './failure.ts';
import { Line } from './line.ts';
import { Reconnects } from './reconnects.ts';
import { RoundTrips } from './round-trips.ts';
import { beginWith, type Terms } from './settings.ts';

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

/** How a transaction runs. */
export interface TransactionOptions {
  /**
   * With `false` the commit does not wait for the disk: a crash of the server may undo it, but never without undoing everything
   * that was committed later. True by default.
   */
  readonly durable?: boolean | undefined;
  /** How long the transaction may take once it has a connection; after that the connection counts as silent. */
  readonly withinMs?: number | undefined;
  /** Statements may take minutes. */
  readonly patient?: boolean | undefined;
}

/** A pool of connections to one schema. */
export class Database implements Sql {
  readonly schema: string;
  readonly connectionString: string;
  readonly #pool: Connections;
  /** What holds a connection of the pool may wait for this one, so it is never in the pool. */
  readonly #aside: Connections;
  /** For what must not wait behind other work. It waits for rows whose holders may wait for the one above. */
  readonly #express: Connections;
  readonly #inFlight = new Set<{ readonly since: number; readonly trips: number }>();
  readonly #roundTrips = new RoundTrips();
  /** The server may have stood still just before this process came. */
  #stalledAt = performance.now();
  #closed = false;
  #health: DatabaseHealth = { reachable: true, since: Date.now(), reason: undefined };
  #reachableAt = performance.now();

  readonly #terms: Terms;
  readonly #expressTerms: Terms;
  readonly #line: Line;
  readonly #reconnects = new Reconnects();

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
    // A transaction that was left open is ended by then.
    this.#terms = { statementMs: STATEMENT_MS, lockMs: 10_000, idleMs };
    // A lease must be renewed on another connection while there is time.
    const expressMs = Math.max(1_000, Math.min(leaseMs / 4, STATEMENT_MS));
    this.#expressTerms = { statementMs: expressMs, lockMs: expressMs, idleMs };
    const settings: pg.PoolConfig = {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // Statements that need not wait for each other's answers take one round trip.
      pipeline: true,
      application_name: 'coxswain-fleet',
      // The server ends a statement before this; the connection may not even carry that answer.
      query_timeout: STATEMENT_MS + 2_000,
      types: TYPES,
    };
    const broken = (error: Error): void => void this.#failed(error);
    const create = (more: pg.PoolConfig): Connections =>
      new Connections({ ...settings, ...more }, this.#reconnects, broken);
    this.#pool = create({ max: connections });
    this.#line = new Line(connections);
    this.#aside = create({ max: 1 });
    // A second attempt must be possible while there is time.
    const connectionTimeoutMillis = Math.min(CONNECT_MS, Math.max(5_000, leaseMs / 2));
    this.#express = create({ max: 1, query_timeout: expressMs + 250, connectionTimeoutMillis });
  }

  get health(): DatabaseHealth {
    return this.#health;
  }

  /** For how long it has been reachable, in ms, whatever the clock of the machine says; 0 while it is not. */
  get reachableMs(): number {
    return this.#health.reachable ? performance.now() - this.#reachableAt : 0;
  }

  /** For how long all statements have been answered without unusual delay, in ms; 0 while one waits for longer than that. */
  get steadyMs(): number {
    const now = performance.now();
    for (const { since, trips } of this.#inFlight) if (now - since > this.#roundTrips.slowMs(trips)) return 0;
    return now - this.#stalledAt;
  }

  /** An answer that takes longer than this shows that the server stood still. */
  get slowMs(): number {
    return this.#roundTrips.slowMs(1);
  }

  /** One statement in a transaction of its own. */
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#line.through(() => this.#one<Row>(this.#pool, this.#terms, text, values));
  }

  /** A statement that must not wait behind others, on a connection of its own. */
  async queryExpress<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const rows = await this.#one<Row>(this.#express, this.#expressTerms, text, values);
    this.#reconnects.stored();
    return rows;
  }

  /** The queue's own statements, on a connection of their own; several may be in one text. */
  async execute(text: string, values: unknown[] = []): Promise<{ rows: Record<string, unknown>[] }> {
    const begin = beginWith(this.#terms);
    // It has transactions of its own, and commands that no transaction may contain.
    const own = /^\s*BEGIN;/.test(text);
    const alone = own || /\bCONCURRENTLY\b/i.test(text);
    const statement = own ? text.replace('BEGIN;', () => `${begin};`) : text;
    return resultOf(await this.#send(this.#aside, alone ? undefined : begin, statement, values));
  }

  /** Runs a function in one transaction. When it throws, nothing is stored. @throws DatabaseUnavailableError */
  async transaction<T>(work: (sql: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return this.#line.through(() => this.#transaction(work, options));
  }

  async #transaction<T>(
    work: (sql: Transaction) => Promise<T>,
    { durable = true, patient, withinMs }: TransactionOptions,
  ): Promise<T> {
    const client = await this.#connect(this.#pool);
    const since = performance.now();
    const run = async (): Promise<T> => {
      const queryMs = patient ? PATIENT_MS : undefined;
      const transaction = new Transaction(client, this.schema, queryMs, (statement) => this.#watched(statement));
      const waits = patient ? PATIENT_MS : withinMs && withinMs * 0.8;
      const terms = waits === undefined ? this.#terms : { ...this.#terms, statementMs: waits, lockMs: waits };
      // Not waited for: if it fails, so does every statement after it, because the transaction or the connection is broken.
      const begun = this.#timed(() => client.query(beginWith({ ...terms, durable })), 1);
      const [began, worked] = await Promise.allSettled([begun, work(transaction)]);
      if (began.status === 'rejected') throw began.reason;
      if (worked.status === 'rejected') throw worked.reason;
      const { value } = worked;
      const { command } = await this.#watched(() => client.query('commit'));
      // A statement failed, and `work` went on.
      if (command !== 'COMMIT')
        throw new DatabaseUnavailableError('The query failed', 'the transaction was rolled back');
      if (durable) this.#reconnects.stored();
      return value;
    };
    try {
      const value = await (withinMs === undefined ? run() : within(withinMs, run(), () => this.#distrust(since)));
      client.release();
      return value;
    } catch (error) {
      // A connection that does not answer would not answer this either; the server ends the transaction with it.
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
    terms: Terms,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const statement = inSchema(text, this.schema);
    const done = await this.#send(connections, beginWith(terms), statement, [...values]);
    // What a statement returns is what its text says.
    return resultOf(done).rows as Row[];
  }

  async #send(connections: Connections, begin: string | undefined, text: string, values: unknown[]): Promise<unknown> {
    const client = await this.#connect(connections);
    return this.#timed(() => sendOn(client, begin, text, values), 1);
  }

  /** One that is idle, or a new one. */
  #connect(connections: Connections): Promise<pg.PoolClient> {
    return this.#timed(() => connections.connect(), CONNECT_TRIPS);
  }

  get #connections(): readonly Connections[] {
    return [this.#pool, this.#aside, this.#express];
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#connections.map((connections) => connections.close()));
  }

  /** Notes when something takes so long that the server must have stood still; `trips` is how many round trips it takes. */
  async #timed<T>(work: () => Promise<T>, trips: number): Promise<T> {
    const flight = { since: performance.now(), trips };
    this.#inFlight.add(flight);
    try {
      const value = await this.#watched(work);
      if (trips === 1) this.#roundTrips.answered(performance.now() - flight.since);
      return value;
    } finally {
      this.#inFlight.delete(flight);
      const now = performance.now();
      if (now - flight.since > this.#roundTrips.slowMs(trips)) this.#stalledAt = now;
    }
  }

  /** No answer came to what was sent since then. */
  #distrust(since: number): void {
    if (this.#closed) return;
    const replaced = this.#connections.filter((connections) => connections.distrust(since));
    if (replaced.length > 0) this.#reconnects.silence();
  }

  /** Runs a statement and notes whether the database can be reached. */
  async #watched<T>(statement: () => Promise<T>): Promise<T> {
    const since = performance.now();
    try {
      const value = await statement();
      if (!this.#health.reachable) {
        this.#health = { reachable: true, since: Date.now(), reason: undefined };
        this.#reachableAt = performance.now();
      }
      return value;
    } catch (error) {
      if (isSilence(error)) this.#distrust(since);
      throw this.#failed(error);
    }
  }

  /** What may be over in a moment becomes one error, without the URL; errors that prove a mistake stay what they are. */
  #failed(error: unknown): unknown {
    if (this.#closed) return new FleetClosedError('The query failed');
    if (isPermanent(error)) return error;
    const reason = reasonOf(error);
    if (isConnectionFailure(error) && this.#health.reachable)
      this.#health = { reachable: false, since: Date.now(), reason };
    const failure = new DatabaseUnavailableError('The query failed', reason, wordsOf(error));
    // One connection may have broken; the others are only useless if no new one can be made.
    if (isWithoutConnections(reason ?? '')) this.#line.fail(failure);
    return failure;
  }
}

/** One open transaction. */
export class Transaction implements Sql {
  readonly #client: pg.PoolClient;
  readonly #schema: string;
  readonly #queryMs: number | undefined;
  readonly #watched: <T>(statement: () => Promise<T>) => Promise<T>;

  constructor(
    client: pg.PoolClient,
    schema: string,
    queryMs: number | undefined,
    watched: <T>(statement: () => Promise<T>) => Promise<T>,
  ) {
    this.#client = client;
    this.#schema = schema;
    this.#queryMs = queryMs;
    this.#watched = watched;
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const statement = { text: inSchema(text, this.#schema), values: [...values], query_timeout: this.#queryMs };
    const { rows } = await this.#watched(() => this.#client.query<Row>(statement));
    return rows;
  }

  /** For the queue, which takes part in the transaction. */
  async executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
    const done: unknown = await this.#watched(() => this.#client.query(text, values));
    return resultOf(done);
  }
}

const STATEMENT_MS = 30_000;

/** How long a connection may take, and how many round trips at most: TCP, TLS, the password, and a wait for the one that is in use. */
const CONNECT_MS = 15_000;
const CONNECT_TRIPS = 6;

/** For new columns and indexes of large tables. */
const PATIENT_MS = 10 * 60_000;

/** Calls `late` and rejects if the work takes longer. @throws DatabaseUnavailableError */
function within<T>(ms: number, work: Promise<T>, late: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      late();
      reject(new DatabaseUnavailableError('The query failed', `no answer within ${Math.round(ms)} ms`));
    }, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Sends a statement with the transaction around it, without waiting in between. */
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
  // A statement that fails is rolled back by the commit after it; a transaction of the queue's own stays open.
  if (last?.status === 'rejected') discard(client, last.reason);
  else client.release();
  if (failure !== undefined) throw failure.reason;
  const [answer] = begin === undefined ? answers : answers.slice(1);
  return answer?.status === 'fulfilled' ? answer.value : undefined;
}

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
