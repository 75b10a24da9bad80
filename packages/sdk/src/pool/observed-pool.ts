import type { ObservedRun, ObservedSlot } from '../report/run-observer.ts';
import type { Pool } from './pool.ts';

const pools = new WeakMap<ObservedSlot, WeakRef<Pool>>();

/** The pool that an observed session belongs to; `undefined` if it belongs to none. */
export function poolOf(run: ObservedRun): Pool | undefined {
  return run.pool && pools.get(run.pool)?.deref();
}

/** Makes a pool known under a place of its sessions. */
export function notePool(place: ObservedSlot, pool: Pool): void {
  pools.set(place, new WeakRef(pool));
}
