import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionStore } from 'coxswain/store';

/** A fault of a call of `append` or `load`. */
export type StoreFault =
  | { readonly fault: 'slow'; readonly ms: number }
  /** It rejects without an effect. */
  | { readonly fault: 'fail'; readonly message?: string }
  /** It never settles and has no effect. */
  | { readonly fault: 'hang' }
  /** It takes effect, but rejects or never settles. */
  | { readonly fault: 'lost-answer'; readonly how: 'fail' | 'hang' };

/** A store with programmable faults. */
export interface FaultyStore extends SessionStore {
  /** The fault of the following calls; undefined for none. A list is consumed call by call. */
  fault: StoreFault | undefined | readonly (StoreFault | undefined)[];
  /** Number of calls of `append` and `load`. */
  readonly calls: { append: number; load: number };
}

/** Wraps a store so that its `append` and `load` are slow, fail, hang, or lose their answer. */
export function faultyStore(inner: SessionStore): FaultyStore {
  const next = (): StoreFault | undefined => {
    const { fault } = store;
    if (!isList(fault)) return fault;
    store.fault = fault.slice(1);
    return fault[0];
  };
  const calls = { append: 0, load: 0 };
  const store: FaultyStore = {
    fault: undefined,
    calls,
    append(key, entries, batch) {
      calls.append += 1;
      return suffer(next(), () => inner.append(key, entries, batch));
    },
    load(key) {
      calls.load += 1;
      return suffer(next(), () => inner.load(key));
    },
    ...(inner.listSessions && {
      listSessions: (projectKey) => Promise.resolve(inner.listSessions?.(projectKey) ?? []),
    }),
    ...(inner.delete && { delete: async (key) => inner.delete?.(key) }),
    ...(inner.listSubkeys && { listSubkeys: async (key) => inner.listSubkeys?.(key) ?? [] }),
    ...(inner.blobs && { blobs: inner.blobs }),
  };
  return store;
}

async function suffer<T>(fault: StoreFault | undefined, work: () => Promise<T>): Promise<T> {
  if (fault?.fault === 'slow') await sleep(fault.ms);
  if (fault?.fault === 'fail') throw new Error(fault.message ?? 'the store is down');
  if (fault?.fault === 'hang') await new Promise(() => {});
  const value = await work();
  if (fault?.fault === 'lost-answer' && fault.how === 'fail') throw new Error('the connection was lost');
  if (fault?.fault === 'lost-answer') await new Promise(() => {});
  return value;
}

function isList(fault: FaultyStore['fault']): fault is readonly (StoreFault | undefined)[] {
  return Array.isArray(fault);
}
