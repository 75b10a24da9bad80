import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallbackReply } from '../../src/hooks/callback-events.ts';
import type { HookResult } from '../../src/hooks/events.ts';
import { allow } from '../../src/hooks/outcome.ts';
import { countedCalls } from './counted-calls.ts';
import { type HookDesk, handle, hookDesk, soon } from './hook-desk.ts';
import { inputOf } from './measured-inputs.ts';

const DENY = { kind: 'answer', response: { hookSpecificOutput: { permissionDecision: 'deny' } } };
const never = (): Promise<HookResult> => new Promise(() => {});

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('more hooks than may run at once', () => {
  it('[S-11] 48 of one message: 32 run, the rest wait in order, one warning', async () => {
    const { desk, runs } = crowd();
    const replies = ask(desk, 48);
    expect(runs).toHaveLength(32);
    expect(desk.warnings).toMatchObject([{ code: 'callbacks-queued', context: { limit: 32 } }]);
    expect(desk.dispatcher.pending.map(({ state }) => state)).toEqual([
      ...Array(32).fill('running'),
      ...Array(16).fill('waiting'),
    ]);
    for (let done = 0; done < 48; done++) {
      runs[done]?.resolve({});
      await soon(0);
      expect(runs).toHaveLength(Math.min(33 + done, 48));
    }
    expect(await Promise.all(replies)).toHaveLength(48);
    expect(started(desk)).toEqual(Array.from({ length: 48 }, (_, index) => `req-${index}`));
    expect(desk.warnings).toHaveLength(1);
  });

  it('[S-11] warn again only in the next burst', async () => {
    const { desk, runs } = crowd({ running: 1 });
    for (const burst of [1, 2]) {
      const replies = ask(desk, 3);
      while (desk.dispatcher.pending.length > 0) {
        runs.shift()?.resolve({});
        await soon(0);
      }
      await Promise.all(replies);
      expect(desk.warnings).toHaveLength(burst);
    }
  });

  it('[S-11] a deadline counts from the arrival, waiting included', async () => {
    const run = vi.fn(never);
    const desk = hookDesk({ PreToolUse: run }, { running: 1, timeoutMs: 100 });
    const first = desk.ask();
    await vi.advanceTimersByTimeAsync(60);
    const second = desk.ask();
    await vi.advanceTimersByTimeAsync(40);
    expect(await soon(first)).toMatchObject(DENY);
    expect(run).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(59);
    expect(await soon(second)).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    expect(await soon(second)).toMatchObject(DENY);
  });

  it('[S-11] one that runs out of time while it waits is never called', async () => {
    const run = vi.fn(never);
    const desk = hookDesk(
      {
        PreToolUse: [
          { run, timeoutMs: 1_000 },
          { run, timeoutMs: 10 },
        ],
      },
      { running: 1 },
    );
    void desk.ask();
    const waiting = desk.ask({ callbackId: 'hook_1' });
    await vi.advanceTimersByTimeAsync(10);
    expect(await soon(waiting)).toMatchObject(DENY);
    expect(run).toHaveBeenCalledTimes(1);
    expect(desk.events).toHaveLength(1);
  });

  it('[S-11, H-7] past 1,024 waiting ones the failure policy answers: a guard blocks, the others go on', () => {
    const desk = hookDesk({ PreToolUse: never, Stop: never, PermissionRequest: { run: never, onFailure: 'continue' } });
    void ask(desk, 32 + 1_024);
    expect(desk.dispatcher.pending).toHaveLength(1_056);
    expect(desk.ask()).toMatchObject(DENY);
    expect(desk.ask({ event: 'Stop', callbackId: 'hook_1' })).toMatchObject({ response: {} });
    expect(desk.ask({ event: 'PermissionRequest', callbackId: 'hook_2' })).toMatchObject({ response: {} });
    expect(desk.warnings.slice(1).map(({ context }) => [context.failure, context.policy])).toEqual([
      ['overflow', 'block'],
      ['overflow', 'continue'],
      ['overflow', 'continue'],
    ]);
  });

  it('[S-11] however many waiting ones answer at once, they do not pile up on the stack', async () => {
    const first = handle<HookResult>();
    let count = 0;
    const run = (): HookResult | Promise<HookResult> => (count++ === 0 ? first.promise : allow());
    const desk = hookDesk({ PreToolUse: run }, { running: 1, waiting: 20_000 });
    const replies = ask(desk, 20_001);
    first.resolve({});
    await Promise.all(replies);
    expect(count).toBe(20_001);
    expect(desk.dispatcher.pending).toEqual([]);
    expect(desk.warnings).toHaveLength(1);
  });
});

describe('stopping', () => {
  it('[H-6, H-7] answers 40 pending guards at once with a block, whatever onFailure says, and aborts them', async () => {
    const signals: AbortSignal[] = [];
    const run = vi.fn((_input: unknown, context: { signal: AbortSignal }): Promise<HookResult> => {
      signals.push(context.signal);
      return never();
    });
    const desk = hookDesk({ PreToolUse: { run, onFailure: 'continue' } });
    const replies = ask(desk, 40);
    desk.dispatcher.stop();
    for (const reply of replies) {
      expect(await soon(reply)).toMatchObject({ ...DENY, response: { continue: false, ...DENY.response } });
    }
    expect(run).toHaveBeenCalledTimes(32);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(desk.dispatcher.pending).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('[H-7] answers what still arrives: guards with a block, registered or not, the rest with {}', () => {
    const run = vi.fn();
    const desk = hookDesk({ PreToolUse: run, PostToolUse: run });
    desk.dispatcher.stop();
    desk.dispatcher.stop();
    expect(desk.ask()).toMatchObject(DENY);
    expect(desk.ask({ callbackId: 'hook_99' })).toMatchObject(DENY);
    expect(desk.ask({ input: undefined })).toMatchObject(DENY);
    expect(desk.ask({ event: 'UserPromptSubmit' })).toMatchObject({ response: { continue: false } });
    expect(desk.ask({ event: 'PermissionRequest' })).toMatchObject({
      response: { hookSpecificOutput: { decision: { behavior: 'deny', interrupt: true } } },
    });
    expect(desk.ask({ event: 'PostToolUse', callbackId: 'hook_1' })).toMatchObject({ response: {} });
    expect(desk.ask({ callbackId: 'hook_99', input: undefined })).toMatchObject({ response: {} });
    expect(run).not.toHaveBeenCalled();
  });

  it('[H-6] from inside a hook beats what that hook goes on to say', () => {
    const desk: HookDesk = hookDesk({
      PreToolUse: () => {
        desk.dispatcher.stop();
        return allow();
      },
    });
    expect(desk.ask()).toMatchObject(DENY);
  });

  it('[H-6] leaves later results and deadlines without effect', async () => {
    const { desk, runs } = crowd({ running: 1 });
    const replies = ask(desk, 2);
    desk.dispatcher.stop();
    const before = desk.warnings.length;
    runs[0]?.resolve(allow());
    await vi.advanceTimersByTimeAsync(120_000);
    for (const reply of replies) expect(await reply).toMatchObject(DENY);
    expect(desk.warnings).toHaveLength(before);
  });
});

describe('what a hook costs', () => {
  it('[H-6] no timer and no AbortController as long as it answers in time and leaves the signal alone', async () => {
    const set = countedCalls('setTimeout');
    const controllers = vi.spyOn(globalThis, 'AbortController');
    const desk = hookDesk({ PreToolUse: () => ({}), PostToolUse: async () => ({}) });
    for (let i = 0; i < 1_000; i++) {
      void desk.ask();
      await desk.ask({ event: 'PostToolUse', callbackId: 'hook_1' });
    }
    expect(set.calls).toBeLessThanOrEqual(1);
    expect(controllers).not.toHaveBeenCalled();
    expect(desk.warnings).toEqual([]);
    controllers.mockRestore();
  });

  it('[H-6] leaves nothing behind that would wait for its deadline', async () => {
    const desk = hookDesk({ PreToolUse: async () => ({}) });
    await desk.ask();
    await vi.advanceTimersByTimeAsync(30_000);
    await desk.ask();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('5,000 answers take a small part of the time their round trips take', async () => {
    vi.useRealTimers();
    const desk = hookDesk({ PreToolUse: () => ({}), PostToolUse: async () => ({}) });
    const sync = await microseconds(() => desk.ask({ input: inputOfPreToolUse }));
    const async = await microseconds(() => desk.ask({ input: inputOfPostToolUse, callbackId: 'hook_1' }));
    // Measured 1.3 and 1.7 µs; a bare round trip is above 30. The bound leaves room for a busy machine.
    expect(sync).toBeLessThan(40);
    expect(async).toBeLessThan(40);
  });
});

const inputOfPreToolUse = inputOf('PreToolUse');
const inputOfPostToolUse = inputOf('PostToolUse');

/** What each of 5,000 takes, the least of three times: CPU time, which also counts a collection of other tests' garbage. */
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

function crowd(limits: { running?: number } = {}): { desk: HookDesk; runs: ReturnType<typeof handle<HookResult>>[] } {
  const runs: ReturnType<typeof handle<HookResult>>[] = [];
  const run = (): Promise<HookResult> => {
    const one = handle<HookResult>();
    runs.push(one);
    return one.promise;
  };
  return { desk: hookDesk({ PreToolUse: run }, limits), runs };
}

function ask(desk: HookDesk, times: number): (CallbackReply | Promise<CallbackReply>)[] {
  return Array.from({ length: times }, () => desk.ask());
}

function started(desk: HookDesk): string[] {
  return desk.events.filter(({ type }) => type === 'callback-started').map(({ id }) => id);
}
