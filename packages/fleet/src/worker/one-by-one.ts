import type { Database, Transaction } from '../database/database.ts';
import { isAboutRows } from '../database/failure.ts';

/** Where rows are handled, and until when. */
export interface OneByOne {
  readonly database: Database;
  /** Ends the work before the next row. */
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/**
 * Handles rows, each in its own transaction. One that is damaged, or that another program locks, is reported, and the others are handled:
 * locked rows are waited for only briefly.
 */
export async function oneByOne<Row>(
  { database, signal, onError }: OneByOne,
  rows: readonly Row[],
  work: (sql: Transaction, row: Row) => Promise<void>,
): Promise<void> {
  for (const row of rows) {
    if (signal.aborted) return;
    try {
      await database.transaction(async (sql) => {
        await sql.setLockTimeout(database.rowLockMs / 10);
        await work(sql, row);
      });
    } catch (error) {
      if (!isAboutRows(error)) throw error;
      onError(error);
    }
  }
}
