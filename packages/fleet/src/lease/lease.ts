/**
 * A lease as its worker sees it, by the worker's monotonic clock. The database counts from when it received the request, so
 * a lease that is counted from when the request was sent never ends later here than there.
 */
export interface Lease {
  /** When the request that granted or renewed it was sent. */
  readonly askedAt: number;
  readonly leaseMs: number;
  /** How long before the end the agent's processes are ended. */
  readonly stopBeforeMs: number;
}

/** What the worker does now. */
export type LeaseAction = 'hold' | 'renew' | 'stop';

/** A lease was granted or renewed by a request that was sent at `askedAt`. Answers may arrive out of order. */
export function renewed(lease: Lease, askedAt: number): Lease {
  return askedAt > lease.askedAt ? { ...lease, askedAt } : lease;
}

/** What to do at this time: renew after a third of the lease, stop shortly before its end. */
export function actionAt(lease: Lease, now: number): LeaseAction {
  if (now >= stopAt(lease)) return 'stop';
  return now >= lease.askedAt + lease.leaseMs / 3 ? 'renew' : 'hold';
}

/** When the agent's processes must be ended. */
export function stopAt({ askedAt, leaseMs, stopBeforeMs }: Lease): number {
  return askedAt + leaseMs - stopBeforeMs;
}

/** The lease as the database sees it. */
export interface Holding {
  readonly owner: string | null;
  readonly epoch: number;
  /** By the clock of the database, in ms; null without an owner. */
  readonly leaseUntil: number | null;
}

/** A conversation can be claimed when no worker has it, or the lease of the one that has it is over. */
export function canClaim({ owner, leaseUntil }: Holding, now: number): boolean {
  return owner === null || leaseUntil === null || leaseUntil <= now;
}

/**
 * The holding after a claim: a new epoch, so that no earlier owner can write. It follows the clock of the database, so that it
 * does not come again when a claim is undone by a failover, a restore or the removal of the conversation.
 */
export function claimed({ epoch }: Holding, owner: string, now: number, leaseMs: number): Holding {
  return { owner, epoch: Math.max(epoch + 1, Math.floor(now)), leaseUntil: now + leaseMs };
}

/** Whether a worker may write: the check that every transaction makes first. */
export function canWrite(holding: Holding, owner: string, epoch: number): boolean {
  return holding.owner === owner && holding.epoch === epoch;
}
