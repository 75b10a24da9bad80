/**
 * A lease as its worker counts it, by the worker's monotonic clock. The database counts from the arrival of the request. Counted
 * from when the request was sent, a lease never ends later here than there.
 */
export interface Lease {
  /** When the request that granted or renewed the lease was sent. */
  readonly requestedAt: number;
  readonly leaseMs: number;
  /** Time between the end of the agent's processes and the end of the lease. */
  readonly stopBeforeMs: number;
}

/** What the worker does now. */
export type LeaseAction = 'hold' | 'renew' | 'stop';

/** The lease after it was granted or renewed by a request sent at `requestedAt`. Responses may arrive out of order. */
export function renewed(lease: Lease, requestedAt: number): Lease {
  return requestedAt > lease.requestedAt ? { ...lease, requestedAt } : lease;
}

/** The action due at this time: renew after a third of the lease, stop shortly before its end. */
export function actionAt(lease: Lease, now: number): LeaseAction {
  if (now >= stopAt(lease)) return 'stop';
  return now >= lease.requestedAt + lease.leaseMs / 3 ? 'renew' : 'hold';
}

/** When the worker must end the agent. */
export function stopAt({ requestedAt, leaseMs, stopBeforeMs }: Lease): number {
  return requestedAt + leaseMs - stopBeforeMs;
}

/**
 * The epoch of a new claim, so that no earlier owner can write. It follows the clock of the database: if a failover, a restore or
 * the removal of the conversation undoes a claim, its epoch is not used again.
 */
export function nextEpoch(epoch: number, databaseNow: number): number {
  return Math.max(epoch + 1, Math.floor(databaseNow));
}
