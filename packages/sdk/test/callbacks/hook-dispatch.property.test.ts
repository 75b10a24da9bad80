import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallbackAnswer } from '../../src/callbacks/callback-request.ts';
import { allow, deny } from '../../src/callbacks/decisions.ts';
import type { HookResult, OnFailure } from '../../src/callbacks/hook-events.ts';
import { hookDispatcher } from './hook-dispatcher.ts';
import { deferred } from './replies.ts';

/** A possible event; any number of them occur in any order. */
type Step =
  | { readonly step: 'ask'; readonly how: 'later' | 'now' | 'throw' }
  | { readonly step: 'allow' | 'deny' | 'reject' | 'cancel'; readonly which: number }
  | { readonly step: 'wait'; readonly ms: number }
  | { readonly step: 'stop' };

const which = fc.nat({ max: 30 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ step: fc.constant('ask'), how: fc.constantFrom('later', 'later', 'now', 'throw') }),
  },
  { weight: 4, arbitrary: fc.record({ step: fc.constantFrom('allow', 'deny', 'reject', 'cancel'), which }) },
  { weight: 2, arbitrary: fc.record({ step: fc.constant('wait'), ms: fc.integer({ min: 1, max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant('stop') }) },
) as fc.Arbitrary<Step>;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('hook requests under any sequence of events', () => {
  it('[H-6, H-8, S-11] get exactly one answer each, by the first event that applies, and leave nothing open', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.constantFrom<OnFailure | undefined>(undefined, 'continue', 'block'),
        async (steps, onFailure) => {
          const waiting: ReturnType<typeof deferred<HookResult>>[] = [];
          let how = 'later';
          let busiest = 0;
          let busy = 0;
          const run = (): HookResult | Promise<HookResult> => {
            if (how === 'now') return allow();
            if (how === 'throw') throw new Error('thrown');
            const one = deferred<HookResult>();
            waiting.push(one);
            return one.promise;
          };
          const hooks = hookDispatcher({ PreToolUse: { run, onFailure } }, { running: 3, waiting: 4, timeoutMs: 100 });
          const replies: (CallbackAnswer | undefined)[][] = [];
          let stopped = false;
          for (const one of steps) {
            if (one.step === 'ask') {
              how = one.how;
              const seen: (CallbackAnswer | undefined)[] = [];
              replies.push(seen);
              const reply = hooks.ask();
              if (reply instanceof Promise) void reply.then((value) => seen.push(value));
              else seen.push(reply);
              if (stopped)
                expect(seen).toMatchObject([{ response: { hookSpecificOutput: { permissionDecision: 'deny' } } }]);
            } else if (one.step === 'allow') waiting[one.which]?.resolve(allow());
            else if (one.step === 'deny') waiting[one.which]?.resolve(deny('no'));
            else if (one.step === 'reject') waiting[one.which]?.reject(new Error('rejected'));
            else if (one.step === 'cancel') hooks.dispatcher.cancel(`req-${one.which}`);
            else if (one.step === 'wait') await vi.advanceTimersByTimeAsync(one.ms);
            else {
              stopped = true;
              hooks.dispatcher.stop();
              expect(hooks.dispatcher.pending).toEqual([]);
            }
            busy = hooks.dispatcher.pending.filter(({ state }) => state === 'running').length;
            busiest = Math.max(busiest, busy);
            how = 'later';
          }
          await vi.advanceTimersByTimeAsync(1_000);
          for (const one of waiting) one.resolve(allow());
          await vi.advanceTimersByTimeAsync(0);
          for (const seen of replies) expect(seen).toHaveLength(1);
          expect(busiest).toBeLessThanOrEqual(3);
          expect(hooks.dispatcher.pending).toEqual([]);
          const begun = hooks.events.filter(({ type }) => type === 'callback-started').map(({ id }) => id);
          const ended = hooks.events.filter(({ type }) => type === 'callback-ended').map(({ id }) => id);
          expect(ended.toSorted()).toEqual(begun.toSorted());
          expect(new Set(begun).size).toBe(begun.length);
          expect(vi.getTimerCount()).toBe(0);
        },
      ),
      { numRuns: 300 },
    );
  });
});
