import type { Client, Pool, Session } from 'coxswain';

/** A pool with any type of output. */
export type WatchablePool = Pick<Pool, 'observe' | 'events' | 'stats' | 'waiting' | 'cancel'> & {
  submit(job: { readonly key?: string; readonly prompt: string }): { readonly outcome: Promise<unknown> };
};

/** What can be observed in this process. */
export type Observable = Client | Session | WatchablePool;

export function isPool(target: Observable): target is WatchablePool {
  return 'submit' in target && 'stats' in target;
}
