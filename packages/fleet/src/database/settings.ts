/** The settings that differ between transactions. */
export interface TransactionSettings {
  /** Whether the commit waits for the disk; true by default. */
  readonly durable?: boolean | undefined;
  /** Time limits of a statement, and of its wait for a lock. */
  readonly statementMs: number;
  readonly lockMs: number;
  /** Time the server waits for the next statement. */
  readonly idleMs: number;
}

/**
 * Returns SQL that begins a transaction with the settings that the fleet's guarantees need, whatever the defaults of the role, the
 * database or the server are. They only apply to the transaction, because a pooler such as PgBouncer shares connections.
 */
export function beginWith({ durable = true, statementMs, lockMs, idleMs }: TransactionSettings): string {
  const settings = {
    // With `off`, a crash of the server could undo an acknowledged turn or a recorded `sent`.
    synchronous_commit: durable ? 'on' : 'off',
    statement_timeout: Math.round(statementMs),
    lock_timeout: Math.round(lockMs),
    // A process that is suspended or disconnected in a transaction holds locks that others need; the server ends the transaction.
    idle_in_transaction_session_timeout: Math.round(idleMs),
    // The format in which `pg` parses times.
    datestyle: 'ISO',
    // Returns costs with all their digits.
    extra_float_digits: 1,
  };
  const set = Object.entries(settings).map(([name, value]) => `set local ${name} to ${value}`);
  // Rows are locked before they are changed, so a higher level would only add failures to repeat.
  return ['begin isolation level read committed', ...set, NO_TRANSACTION_TIMEOUT].join('; ');
}

/** PostgreSQL 17 introduced the setting, and older releases refuse it. The timeouts above limit every transaction. */
const NO_TRANSACTION_TIMEOUT = `select set_config('transaction_timeout', '0', true) where current_setting('server_version_num')::integer >= 170000`;
