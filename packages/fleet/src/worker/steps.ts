/**
 * The named steps of a turn on its worker: `fetched` (the job is fetched, the transaction is open), `claimed`, `sent` (recorded; the
 * prompt is sent next), `answering` (the first message of the model was read), `result` (read from the agent), `committing`
 * (everything is written, the transaction is open), `committed`. Instead of the last two: `parked`, or `retried` (another attempt follows). The server ends a transaction that stays open for half a lease, at
 * most 5 s; then the claim or the commit is repeated.
 */
export type WorkerStep =
  | 'fetched'
  | 'claimed'
  | 'sent'
  | 'answering'
  | 'result'
  | 'parked'
  | 'retried'
  | 'committing'
  | 'committed';

/** Called at each step; the turn waits for it. For tracing, and for tests that stop a worker there. */
export type OnStep = (step: WorkerStep, turn: { readonly id: string; readonly key: string }) => void | Promise<void>;
