import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import type { HookResult } from '../../src/callbacks/hook-events.ts';
import { hookDispatcher, type TestHooks } from './hook-dispatcher.ts';
import { inputOf } from './measured-inputs.ts';
import { deferred, type Reply, settledSoon } from './replies.ts';

const DENY = { response: { hookSpecificOutput: { permissionDecision: 'deny' } } };
const never = (): Promise<HookResult> => new Promise(() => {});

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('more hook requests than the limit of running hooks', () => {
  it('[S-11] run up to 32 of 48, queue the others in order, and warn once', async () => {
    const { hooks, runs } = manyHooks();
    const replies = askTimes(hooks, 48);
    expect(runs).toHaveLength(32);
    expect(hooks.warnings).toMatchObject([{ code: 'callbacks-queued', context: { limit: 32 } }]);
    expect(hooks.dispatcher.pending.map(({ state }) => state)).toEqual([
      ...Array(32).fill('running'),
      ...Array(16).fill('waiting'),
    ]);
    for (let done = 0; done < 48; done++) {
      runs[done]?.resolve({});
      await settledSoon(0);
      expect(runs).toHaveLength(Math.min(33 + done, 48));
    }
    expect(await Promise.all(replies)).toHaveLength(48);
    expect(started(hooks)).toEqual(Array.from({ length: 48 }, (_, index) => `req-${index}`));
    expect(hooks.warnings).toHaveLength(1);
  });

  it('[S-11] cause one warning per burst', async () => {
    const { hooks, runs } = manyHooks({ running: 1 });
    for (const burst of [1, 2]) {
      const replies = askTimes(hooks, 3);
      while (hooks.dispatcher.pending.length > 0) {
        runs.shift()?.resolve({});
        await settledSoon(0);
      }
      await Promise.all(replies);
      expect(hooks.warnings).toHaveLength(burst);
    }
  });

  it('[S-11] time out counted from their arrival, including the time in the queue', async () => {
    const run = vi.fn(never);
    const hooks = hookDispatcher({ PreToolUse: run }, { running: 1, timeoutMs: 100 });
    const first = hooks.ask();
    await vi.advanceTimersByTimeAsync(60);
    const second = hooks.ask();
    await vi.advanceTimersByTimeAsync(40);
    expect(await settledSoon(first)).toMatchObject(DENY);
    expect(run).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(59);
    expect(await settledSoon(second)).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    expect(await settledSoon(second)).toMatchObject(DENY);
  });

  it('[S-11] never reach the hook if they time out in the queue', async () => {
    const run = vi.fn(never);
    const hooks = hookDispatcher(
      {
        PreToolUse: [
          { run, timeoutMs: 1_000 },
          { run, timeoutMs: 10 },
        ],
      },
      { running: 1 },
    );
    void hooks.ask();
    const waiting = hooks.ask({ callbackId: 'hook_1' });
    await vi.advanceTimersByTimeAsync(10);
    expect(await settledSoon(waiting)).toMatchObject(DENY);
    expect(run).toHaveBeenCalledTimes(1);
    expect(hooks.events).toHaveLength(1);
  });

  it('[S-11, H-7] follow the failure policy if 1,024 are waiting: a guard blocks, other events continue', () => {
    const hooks = hookDispatcher({
      PreToolUse: never,
      Stop: never,
      PermissionRequest: { run: never, onFailure: 'continue' },
    });
    void askTimes(hooks, 32 + 1_024);
    expect(hooks.dispatcher.pending).toHaveLength(1_056);
    expect(hooks.ask()).toMatchObject(DENY);
    expect(hooks.ask({ event: 'Stop', callbackId: 'hook_1' })).toMatchObject({ response: {} });
    expect(hooks.ask({ event: 'PermissionRequest', callbackId: 'hook_2' })).toMatchObject({ response: {} });
    expect(hooks.warnings.slice(1).map(({ context }) => [context.failure, context.policy])).toEqual([
      ['overflow', 'block'],
      ['overflow', 'continue'],
      ['overflow', 'continue'],
    ]);
  });

  it('[S-11] do not exhaust the stack when 20,000 queued hooks decide synchronously', async () => {
    const first = deferred<HookResult>();
    let count = 0;
    const run = (): HookResult | Promise<HookResult> => (count++ === 0 ? first.promise : allow());
    const hooks = hookDispatcher({ PreToolUse: run }, { running: 1, waiting: 20_000 });
    const replies = askTimes(hooks, 20_001);
    first.resolve({});
    await Promise.all(replies);
    expect(count).toBe(20_001);
    expect(hooks.dispatcher.pending).toEqual([]);
    expect(hooks.warnings).toHaveLength(1);
  });
});

describe('stopping the hook dispatcher', () => {
  it('[H-6, H-7] immediately answers 40 pending guards with a block, regardless of onFailure, and aborts them', async () => {
    const signals: AbortSignal[] = [];
    const run = vi.fn((_input: unknown, context: { signal: AbortSignal }): Promise<HookResult> => {
      signals.push(context.signal);
      return never();
    });
    const hooks = hookDispatcher({ PreToolUse: { run, onFailure: 'continue' } });
    const replies = askTimes(hooks, 40);
    hooks.dispatcher.stop();
    for (const reply of replies) {
      expect(await settledSoon(reply)).toMatchObject({ ...DENY, response: { continue: false, ...DENY.response } });
    }
    expect(run).toHaveBeenCalledTimes(32);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(hooks.dispatcher.pending).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('[H-7] answers later requests: guards with a block, registered or not, other events with {}', () => {
    const run = vi.fn();
    const hooks = hookDispatcher({ PreToolUse: run, PostToolUse: run });
    hooks.dispatcher.stop();
    hooks.dispatcher.stop();
    expect(hooks.ask()).toMatchObject(DENY);
    expect(hooks.ask({ callbackId: 'hook_99' })).toMatchObject(DENY);
    expect(hooks.ask({ input: undefined })).toMatchObject(DENY);
    expect(hooks.ask({ event: 'UserPromptSubmit' })).toMatchObject({ response: { continue: false } });
    expect(hooks.ask({ event: 'PermissionRequest' })).toMatchObject({
      response: { hookSpecificOutput: { decision: { behavior: 'deny', interrupt: true } } },
    });
    expect(hooks.ask({ event: 'PostToolUse', callbackId: 'hook_1' })).toMatchObject({ response: {} });
    expect(hooks.ask({ callbackId: 'hook_99', input: undefined })).toMatchObject({ response: {} });
    expect(run).not.toHaveBeenCalled();
  });

  it('[H-6] from inside a hook overrides the result of that hook', () => {
    const hooks: TestHooks = hookDispatcher({
      PreToolUse: () => {
        hooks.dispatcher.stop();
        return allow();
      },
    });
    expect(hooks.ask()).toMatchObject(DENY);
  });

  it('[H-6] makes later results and timeouts ineffective', async () => {
    const { hooks, runs } = manyHooks({ running: 1 });
    const replies = askTimes(hooks, 2);
    hooks.dispatcher.stop();
    const before = hooks.warnings.length;
    runs[0]?.resolve(allow());
    await vi.advanceTimersByTimeAsync(120_000);
    for (const reply of replies) expect(await reply).toMatchObject(DENY);
    expect(hooks.warnings).toHaveLength(before);
  });
});

describe('the overhead of a hook', () => {
  it('[H-6] includes no timer after the answer', async () => {
    const hooks = hookDispatcher({ PreToolUse: async () => ({}) });
    await hooks.ask();
    await vi.advanceTimersByTimeAsync(30_000);
    await hooks.ask();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is a small part of the round trip, over 5,000 answers', async () => {
    vi.useRealTimers();
    const hooks = hookDispatcher({ PreToolUse: () => ({}), PostToolUse: async () => ({}) });
    const sync = await microseconds(() => hooks.ask({ input: inputOfPreToolUse }));
    const async = await microseconds(() => hooks.ask({ input: inputOfPostToolUse, callbackId: 'hook_1' }));
    // A bare round trip takes more than 30 µs. The bound leaves room for a busy machine.
    expect(sync).toBeLessThan(40);
    expect(async).toBeLessThan(40);
  });
});

const inputOfPreToolUse = inputOf('PreToolUse');
const inputOfPostToolUse = inputOf('PostToolUse');

/** CPU time per call over 5,000 calls, the best of three rounds. */
async function microseconds(run: () => unknown): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < 3; round++) {
    const start = process.cpuUsage();
    for (let i = 0; i < 5_000; i++) {
      const reply = run();
      if (reply instanceof Promise) await reply;
    }
    const { user, system } = process.cpuUsage(start);
    taken.push((user + system) / 5_000);
  }
  return Math.min(...taken);
}

function manyHooks(limits: { running?: number } = {}): {
  hooks: TestHooks;
  runs: ReturnType<typeof deferred<HookResult>>[];
} {
  const runs: ReturnType<typeof deferred<HookResult>>[] = [];
  const run = (): Promise<HookResult> => {
    const one = deferred<HookResult>();
    runs.push(one);
    return one.promise;
  };
  return { hooks: hookDispatcher({ PreToolUse: run }, limits), runs };
}

function askTimes(hooks: TestHooks, times: number): Reply[] {
  return Array.from({ length: times }, () => hooks.ask());
}

function started(hooks: TestHooks): string[] {
  return hooks.events.filter(({ type }) => type === 'callback-started').map(({ id }) => id);
}
