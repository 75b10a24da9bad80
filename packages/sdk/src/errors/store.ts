import { CoxswainError, reasonOf } from './base.ts';

/** The operations of a session store. */
export type StoreOperation = 'append' | 'load' | 'list' | 'delete' | 'blob';

/**
 * A session store failed or timed out, even after retries; `cause` is the last error. A turn that fails with this error was
 * answered but is not completely stored. If `attempts` is 0, the store was not called, because entries were already lost.
 */
export class StoreFailedError extends CoxswainError<'store-failed'> {
  declare readonly operation: StoreOperation;
  declare readonly sessionId: string;
  declare readonly attempts: number;

  constructor(fields: { operation: StoreOperation; sessionId: string; attempts: number; cause: unknown }) {
    const { operation, sessionId, attempts, cause } = fields;
    const tried = ['', ' (tried once)'][attempts] ?? ` (tried ${attempts} times)`;
    const [doing, next] = OPERATIONS[operation];
    const failed = `${doing} ${sessionId} failed${tried}: ${reasonOf(cause).replace(/\.$/, '')}.`;
    super('StoreFailedError', `${failed} ${attempts === 0 ? LOST : next}`, fields);
  }
}

/** The store lacks an optional method that the call needs. */
export class StoreUnableError extends CoxswainError<'store-unable'> {
  /** The missing method. */
  declare readonly method: string;

  constructor(method: string) {
    const message = `This session store has no ${method}(), which this call needs. Use a store that has it, or add it to your adapter.`;
    super('StoreUnableError', message, { method });
  }
}

const KEPT =
  'Entries that are not stored yet are kept and retried with the next turn; check the store, and raise limits.storeTimeoutMs if it is slow.';
const LOST =
  'They are permanently missing from the store: raise limits.maxLineBytes for later sessions. If the conversation is still on disk, delete it from the store and import it with importSession().';
const AGAIN = 'Check that the store can be reached and returns values of the declared types, then try again.';

/** Description of each operation, and the advice after a failure. */
const OPERATIONS: Readonly<Record<StoreOperation, readonly [doing: string, next: string]>> = {
  append: ['Storing entries of the conversation', KEPT],
  load: ['Loading the conversation', AGAIN],
  list: ['Listing the conversations of the project', AGAIN],
  delete: ['Deleting the conversation', AGAIN],
  blob: ['Storing a file of the conversation', KEPT],
};
