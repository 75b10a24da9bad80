import { faultyStore, type StoreFault } from '@coxswain/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoreFailedError } from '../../src/errors/store.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import { Mirror } from '../../src/store/mirror.ts';
import type { SessionKey, SessionStore, StoreEntry } from '../../src/store/session-store.ts';

const TERMS = { storeTimeoutMs: 15, storeLoadMs: 15, storeAttempts: 2, storeRetryMs: 1 };
const key: SessionKey = { projectKey: 'p', sessionId: 's' };
const agent: SessionKey = { ...key, subpath: 'subagents/agent-a' };

const entry = (n: number): StoreEntry => (n % 3 === 0 ? { type: 'note', n } : { type: 'user', uuid: `u${n}`, n });
const numbers = (entries: readonly StoreEntry[] | null): unknown[] => (entries ?? []).map(({ n }) => n);

describe('the mirror', () => {
  it('[G-3, G-4] stores every entry once and in order, whichever calls fail', async () => {
    const fault = fc.constantFrom<StoreFault | undefined>(
      undefined,
      { fault: 'fail' },
      { fault: 'hang' },
      { fault: 'slow', ms: 2 },
      { fault: 'lost-answer', how: 'fail' },
      { fault: 'lost-answer', how: 'hang' },
    );
    const step = fc.record({ size: fc.integer({ min: 0, max: 4 }), toAgent: fc.boolean(), flush: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 12 }), fc.array(step, { maxLength: 8 }), async (faults, steps) => {
        const inner = memoryStore();
        const store = faultyStore(inner);
        store.fault = faults;
        const mirror = new Mirror(store, TERMS);
        const given = { main: [] as number[], agent: [] as number[] };
        let n = 0;
        for (const { size, toAgent, flush } of steps) {
          const added = Array.from({ length: size }, () => n++);
          given[toAgent ? 'agent' : 'main'].push(...added);
          mirror.add(toAgent ? agent : key, added.map(entry));
          if (flush) await mirror.flush();
        }
        store.fault = undefined;
        while (await mirror.flush());
        expect(mirror.pending).toBe(0);
        expect(numbers(await inner.load(key))).toEqual(given.main);
        expect(numbers(await inner.load(agent))).toEqual(given.agent);
      }),
      { numRuns: 60 },
    );
  });

  it('[G-3] uses a different batch id for every call, even for several transcripts', async () => {
    const ids: unknown[] = [];
    const inner = memoryStore();
    const store: SessionStore = {
      load: inner.load,
      async append(_key, _entries, batch) {
        ids.push(batch?.id);
      },
    };
    for (const mirror of [new Mirror(store, TERMS), new Mirror(store, TERMS)]) {
      for (const one of [key, agent, { ...key, sessionId: 'cleared' }]) mirror.add(one, [entry(0)]);
      await mirror.flush();
      mirror.add(key, [entry(3)]);
      await mirror.flush();
    }
    expect(ids).toHaveLength(8);
    expect(new Set(ids).size).toBe(8);
  });

  it('[G-4] reports a store that fails, keeps the entries, and stores them with the next flush', async () => {
    const inner = memoryStore();
    const store = faultyStore(inner);
    store.fault = { fault: 'fail', message: 'disk full' };
    const mirror = new Mirror(store, TERMS);
    mirror.add(key, [entry(1), entry(2)]);
    const failure = await mirror.flush();
    expect(failure).toBeInstanceOf(StoreFailedError);
    expect(failure).toMatchObject({ code: 'store-failed', operation: 'append', sessionId: 's', attempts: 2 });
    expect(failure?.message).toContain('disk full');
    expect(store.calls.append).toBe(2);
    expect(mirror.pending).toBe(2);
    store.fault = undefined;
    mirror.add(key, [entry(4)]);
    expect(await mirror.flush()).toBeUndefined();
    expect(numbers(await inner.load(key))).toEqual([1, 2, 4]);
  });

  it('[G-4] gives up on a store that hangs, and adds no entry twice after a lost answer', async () => {
    const inner = memoryStore();
    const store = faultyStore(inner);
    store.fault = [{ fault: 'lost-answer', how: 'hang' }, { fault: 'hang' }];
    const mirror = new Mirror(store, TERMS);
    mirror.add(key, [entry(0), entry(1)]);
    expect((await mirror.flush())?.message).toContain('did not answer within 15 ms');
    expect(await mirror.flush()).toBeUndefined();
    expect(numbers(await inner.load(key))).toEqual([0, 1]);
  });

  it('[G-3] collects the entries that arrive during a call for the next call', async () => {
    const store = faultyStore(memoryStore());
    store.fault = { fault: 'slow', ms: 10 };
    const mirror = new Mirror(store, { ...TERMS, storeTimeoutMs: 1_000 });
    for (let n = 0; n < 50; n += 1) mirror.add(key, [entry(n)]);
    await mirror.flush();
    expect(store.calls.append).toBe(2);
  });
});
