/** What differs between transactions. */
export interface Terms {
  /** Whether the commit waits for the disk; true by default. */
  readonly durable?: boolean | undefined;
  /** How long a statement may take, and how long it may wait for a lock. */
  readonly statementMs: number;
  readonly lockMs: number;
  /** How long the server waits for the next statement. */
  readonly idleMs: number;
}

/**
 * Begins a transaction with the settings that the guarantees of the fleet rest on, whatever the role, the database or the server
 * have as defaults. Only for the transaction: a pooler such as PgBouncer shares connections between clients.
 */
export function beginWith({ durable = true, statementMs, lockMs, idleMs }: Terms): string {
  const settings = {
    // Off, an acknowledged turn or a recorded `sent` could be undone by a crash of the server.
    synchronous_commit: durable ? 'on' : 'off',
    statement_timeout: Math.round(statementMs),
    lock_timeout: Math.round(lockMs),
    // A process that is stopped or cut off in a transaction holds rows that others need; the server ends it.
    idle_in_transaction_session_timeout: Math.round(idleMs),
    // Times are read in this format.
    datestyle: 'ISO',
    // Costs are read with all their digits.
    extra_float_digits: 1,
  };
  const set = Object.entries(settings).map(([name, value]) => `set local ${name} to ${value}`);
  // Rows are locked before they are changed, so no higher level is needed, and its failures would only repeat work.
  return ['begin isolation level read committed', ...set, NO_TRANSACTION_TIMEOUT].join('; ');
}

/** PostgreSQL 17 introduced it, and older releases refuse to set it. The timeouts above bound every transaction. */
const NO_TRANSACTION_TIMEOUT = `select set_config('transaction_timeout', '0', true) where current_setting('server_version_num')::integer >= 170000`;
