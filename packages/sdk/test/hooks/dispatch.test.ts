import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HookDispatcher } from '../../src/hooks/dispatch.ts';
import type { HookContext, HookResult } from '../../src/hooks/events.ts';
import { newerEvents } from '../../src/hooks/newer-events.ts';
import { allow, deny, modifyInput, stopTurn } from '../../src/hooks/outcome.ts';
import { buildRegistry } from '../../src/hooks/registry.ts';
import { handle, hookDesk, soon } from './hook-desk.ts';
import { inputOf } from './measured-inputs.ts';

const GO_ON = { kind: 'answer', response: {}, interrupt: false };
const denied = (reason: unknown): object => ({
  kind: 'answer',
  response: { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: reason } },
});
const never = (): Promise<HookResult> => new Promise(() => {});

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a hook', () => {
  it('[H-1] gets the input as it came, the session, the tool call and a signal', () => {
    const seen: [unknown, HookContext][] = [];
    const desk = hookDesk({ PreToolUse: (input, context) => void seen.push([input, context]) });
    const input = inputOf('PreToolUse');
    void desk.ask({ input });
    const [given, context] = seen[0] ?? [];
    expect(given).toBe(input);
    expect(context).toMatchObject({ sessionId: 'session-1', toolUseId: 'toolu_1' });
    expect(context?.signal.aborted).toBe(false);
  });

  it('[H-4] that answers at once is answered at once, without a promise', () => {
    const desk = hookDesk({ PreToolUse: () => deny('R') });
    expect(desk.ask()).toMatchObject(denied('R'));
  });

  it('[H-4] that answers later is answered later', async () => {
    const result = handle<HookResult>();
    const desk = hookDesk({ PreToolUse: () => result.promise });
    const reply = desk.ask();
    expect(await soon(reply)).toBe('pending');
    result.resolve(deny('R'));
    expect(await soon(reply)).toMatchObject(denied('R'));
  });

  it('[H-4] that stops a turn says when the CLI needs an interrupt for it', () => {
    const desk = hookDesk({ PreToolUse: () => stopTurn('R') });
    expect(desk.ask({ release: '2.1.197' })).toMatchObject({ interrupt: true });
    expect(desk.ask({ release: '2.1.325' })).toMatchObject({ interrupt: false });
  });

  it('[H-4] is named in the warning about what it gave back', () => {
    const desk = hookDesk({ Stop: () => modifyInput({}) });
    expect(desk.ask({ event: 'Stop' })).toEqual(GO_ON);
    expect(desk.warnings).toMatchObject([
      { code: 'decision-not-expressible', context: { hook: 'hook_0', event: 'Stop', what: 'modify' } },
    ]);
  });

  it('[H-4] that gives back what the release ignores has refused the tool, and its author is told', () => {
    const desk = hookDesk({ PreToolUse: () => modifyInput({ command: 'ls' }) });
    expect(desk.ask({ release: '2.1.1' })).toMatchObject({
      kind: 'answer',
      response: { hookSpecificOutput: { permissionDecision: 'deny' } },
    });
    expect(desk.events.at(-1)).toMatchObject({ type: 'callback-ended', decision: 'deny' });
    expect(desk.warnings).toMatchObject([
      { code: 'decision-not-expressible', context: { hook: 'hook_0', what: 'modify()', required: '2.1.2' } },
    ]);
  });

  it('[H-9] runs in the context it is given, a waiting one too', async () => {
    const storage = new AsyncLocalStorage<string>();
    const inside = storage.run('the caller', () => AsyncLocalStorage.snapshot());
    const seen: (string | undefined)[] = [];
    const first = handle<HookResult>();
    const run = (): Promise<HookResult> => {
      seen.push(storage.getStore());
      return first.promise;
    };
    const dispatcher = new HookDispatcher({
      hooks: buildRegistry({ Stop: run }, { hookTimeoutMs: 1_000 }).entries,
      limits: { maxRunningHooks: 1, maxWaitingHooks: 1 },
      now: Date.now,
      sessionId: () => undefined,
      refusesPrompt: () => false,
      lacks: () => new Set(),
      context: () => inside,
      warn: () => {},
      report: () => {},
    });
    for (const requestId of ['a', 'b']) {
      void dispatcher.handle(requestId, { callback_id: 'hook_0', input: inputOf('Stop') }, 0);
    }
    first.resolve({});
    await soon(0);
    expect(seen).toEqual(['the caller', 'the caller']);
  });

  it('[S-4] is reported when it starts and when it has ended', async () => {
    const result = handle<HookResult>();
    const desk = hookDesk({ PreToolUse: () => result.promise });
    const reply = desk.ask();
    const head = { kind: 'hook', id: 'req-0', name: 'hook_0', event: 'PreToolUse', tool: 'Bash' };
    expect(desk.events).toMatchObject([{ type: 'callback-started', ...head, tool: expect.any(String) }]);
    vi.advanceTimersByTime(40);
    result.resolve(allow());
    await reply;
    expect(desk.events[1]).toMatchObject({ type: 'callback-ended', id: 'req-0', decision: 'allow', ms: 40 });
    expect(desk.events).toHaveLength(2);
  });
});

describe('a hook that ends its session itself', () => {
  it.each<[string, () => HookResult]>([
    ['says nothing', () => undefined],
    ['allows', () => allow()],
    [
      'throws',
      () => {
        throw new Error('x');
      },
    ],
  ])('[S-9] and %s is answered with a block, once', (_, result) => {
    let seen: AbortSignal | undefined;
    const desk = hookDesk({
      PreToolUse: (_input, { signal }) => {
        seen = signal;
        desk.dispatcher.stop();
        return result();
      },
    });
    expect(desk.ask()).toMatchObject({
      kind: 'answer',
      response: { continue: false, hookSpecificOutput: { permissionDecision: 'deny' } },
    });
    expect(seen?.aborted).toBe(true);
    expect(desk.dispatcher.pending).toEqual([]);
    expect(desk.events.map(({ type }) => type)).toEqual(['callback-started', 'callback-ended']);
    expect(desk.events[1]).toMatchObject({ decision: 'session-stop' });
    expect(desk.warnings).toHaveLength(1);
  });
});

describe('a request that is not as expected', () => {
  it('[H-8] for a hook nobody registered goes on, with a warning', () => {
    const desk = hookDesk({});
    expect(desk.ask({ callbackId: 'hook_9' })).toEqual(GO_ON);
    expect(desk.ask({ callbackId: { a: 1 } })).toEqual(GO_ON);
    expect(desk.warnings).toMatchObject([
      { code: 'unknown-hook', context: { hook: 'hook_9', event: 'PreToolUse', requestId: 'req-0' } },
      { code: 'unknown-hook' },
    ]);
  });

  it('[H-3] with a missing or a new field reaches the hook all the same', () => {
    const { tool_name: _gone, ...rest } = inputOf('PreToolUse');
    const desk = hookDesk({ PreToolUse: () => deny('R') });
    expect(desk.ask({ input: { ...rest, toolName: 'Bash' } })).toMatchObject(denied('R'));
    expect(desk.warnings.map(({ code }) => code)).toEqual(['hook-input-changed', 'hook-input-changed']);
  });

  it.each([undefined, null, 'x', [], {}, { hook_event_name: 7 }])(
    '[H-3] with %j for an input is a failure, and blocks what a guard guards',
    (input) => {
      const run = vi.fn();
      const desk = hookDesk({ PreToolUse: run, Stop: run, PostToolUse: { run, onFailure: 'block' } });
      expect(desk.ask({ input })).toMatchObject(denied(expect.any(String)));
      expect(desk.ask({ input, callbackId: 'hook_1' })).toEqual(GO_ON);
      expect(desk.ask({ input, callbackId: 'hook_2' })).toMatchObject({ response: { decision: 'block' } });
      expect(run).not.toHaveBeenCalled();
      expect(desk.warnings.map(({ context }) => context.failure)).toEqual(Array(3).fill('malformed-request'));
    },
  );

  it('[H-1] of an event nobody knows is served', () => {
    const desk = hookDesk(newerEvents({ BrandNew: () => deny('R') }));
    const input = { hook_event_name: 'BrandNew', anything: 1 };
    expect(desk.ask({ input })).toMatchObject({ response: { decision: 'block', continue: false } });
    expect(desk.warnings).toEqual([]);
  });

  it('[H-6] with an id that is still open gets no second answer', async () => {
    const run = vi.fn(never);
    const desk = hookDesk({ PreToolUse: run });
    void desk.ask({ requestId: 'same' });
    expect(desk.ask({ requestId: 'same' })).toEqual({ kind: 'none' });
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('a hook that fails', () => {
  const failures: [string, () => HookResult | Promise<HookResult>, string][] = [
    [
      'throws',
      () => {
        throw new Error('secret');
      },
      'throw',
    ],
    ['rejects', () => Promise.reject(new Error('secret')), 'throw'],
    ['throws a stone', () => Promise.reject(Object.create(null)), 'throw'],
    ['gives back rubbish', () => 'no' as never, 'bad-result'],
    ['gives back what JSON cannot hold', () => modifyInput({ n: 1n }), 'bad-result'],
  ];

  it.each(failures)('[H-7] and %s lets things go on, with a warning', async (_what, run, failure) => {
    const desk = hookDesk({ PreToolUse: run });
    expect(await desk.ask()).toEqual(GO_ON);
    expect(desk.warnings).toMatchObject([
      {
        code: 'hook-failed',
        context: { hook: 'hook_0', event: 'PreToolUse', failure, policy: 'continue', requestId: 'req-0', ms: 0 },
      },
    ]);
    expect(desk.warnings[0]?.context.cause).toEqual(expect.any(String));
    expect(JSON.parse(JSON.stringify(desk.warnings))).toEqual(desk.warnings);
  });

  it.each(failures)('[H-7] and %s blocks when it says so, and does not tell the model why', async (_what, run) => {
    const desk = hookDesk({ PreToolUse: { run, onFailure: 'block' } });
    const reply = await desk.ask();
    expect(reply).toMatchObject(denied(expect.any(String)));
    expect(JSON.stringify(reply)).not.toContain('secret');
    expect(desk.warnings).toMatchObject([{ context: { policy: 'block' } }]);
  });

  it.each([
    ['PreToolUse', { hookSpecificOutput: { permissionDecision: 'deny' } }],
    ['UserPromptSubmit', { decision: 'block' }],
    ['PermissionRequest', { hookSpecificOutput: { decision: { behavior: 'deny' } } }],
    ['PreModelSwitch', { hookSpecificOutput: { permissionDecision: 'deny' } }],
    ['PostToolUse', {}],
    ['Stop', {}],
    ['SubagentStop', {}],
  ])('[H-6, H-7] by taking too long: %s is answered with %j', async (event, response) => {
    const desk = hookDesk({ [event]: never });
    const reply = desk.ask({ event });
    await vi.advanceTimersByTimeAsync(59_999);
    expect(await soon(reply)).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    expect(await soon(reply)).toMatchObject({ kind: 'answer', response });
    expect(desk.warnings).toMatchObject([{ code: 'hook-failed', context: { failure: 'timeout', ms: 60_000 } }]);
  });

  it("[H-7] by taking too long does as it says: onFailure 'continue' opens a guard, 'block' closes the rest", async () => {
    const desk = hookDesk({
      PreToolUse: { run: never, onFailure: 'continue', timeoutMs: 5 },
      PostToolUse: { run: never, onFailure: 'block', timeoutMs: 5 },
    });
    const open = desk.ask();
    const closed = desk.ask({ event: 'PostToolUse', callbackId: 'hook_1' });
    await vi.advanceTimersByTimeAsync(5);
    expect(await open).toEqual(GO_ON);
    expect(await closed).toMatchObject({ response: { decision: 'block' } });
  });

  it('[H-6] by taking too long has lost: its signal is aborted and its result ignored', async () => {
    const result = handle<HookResult>();
    const signals: AbortSignal[] = [];
    const desk = hookDesk(
      {
        PreToolUse: (_input, { signal }) => {
          signals.push(signal);
          return result.promise;
        },
      },
      { timeoutMs: 10 },
    );
    const reply = desk.ask();
    await vi.advanceTimersByTimeAsync(10);
    expect(await reply).toMatchObject(denied(expect.any(String)));
    expect(signals[0]?.aborted).toBe(true);
    expect(signals[0]?.reason).toMatchObject({ name: 'AbortError', message: expect.stringContaining('too long') });
    result.resolve(allow());
    await soon(0);
    expect(desk.events.filter(({ type }) => type === 'callback-ended')).toMatchObject([{ decision: 'timeout' }]);
    expect(desk.warnings).toHaveLength(1);
  });

  it('[H-6] sees the abort also when it looks at the signal only afterwards', async () => {
    const contexts: HookContext[] = [];
    const desk = hookDesk({
      PreToolUse: (_input, context) => {
        contexts.push(context);
        return never();
      },
    });
    void desk.ask();
    desk.dispatcher.cancel('req-0');
    expect(contexts[0]?.signal.aborted).toBe(true);
  });

  it('[H-6, H-7] after it has lost may still throw: nothing comes of it', async () => {
    const result = handle<HookResult>();
    const desk = hookDesk({ PreToolUse: () => result.promise }, { timeoutMs: 10 });
    const reply = desk.ask();
    await vi.advanceTimersByTimeAsync(10);
    await reply;
    result.reject(new Error('too late'));
    await soon(0);
    expect(desk.warnings).toHaveLength(1);
  });

  it('[E-4] with a hostile promise is a failure like any other', async () => {
    // Made by hand: the linter takes a property of this name for a slip.
    const thenable = (descriptor: PropertyDescriptor): unknown => Object.defineProperty({}, 'then', descriptor);
    const throwing = (): never => {
      throw new Error('x');
    };
    const hostile = [
      thenable({ value: (_yes: unknown, no: (error: unknown) => void) => no(new Error('x')) }),
      thenable({ get: throwing }),
      thenable({ value: throwing }),
    ];
    for (const promise of hostile) {
      const desk = hookDesk({ PreToolUse: () => promise as Promise<HookResult> });
      expect(await desk.ask()).toEqual(GO_ON);
      expect(desk.warnings).toMatchObject([{ context: { failure: 'throw' } }]);
    }
  });
});

describe('a request the CLI withdraws', () => {
  it('[H-8] aborts the callback and is not answered', async () => {
    const signals: AbortSignal[] = [];
    const desk = hookDesk({
      PreToolUse: (_input, { signal }) => {
        signals.push(signal);
        return never();
      },
    });
    const reply = desk.ask();
    expect(desk.dispatcher.cancel('req-0')).toBe(true);
    expect(await soon(reply)).toEqual({ kind: 'none' });
    expect(signals[0]?.aborted).toBe(true);
    expect(desk.dispatcher.cancel('req-0')).toBe(false);
    expect(desk.dispatcher.pending).toEqual([]);
    expect(desk.warnings).toEqual([]);
    expect(desk.events[1]).toMatchObject({ decision: 'cancelled' });
  });

  it('[H-8] while it waits is never given to the callback', async () => {
    const result = handle<HookResult>();
    const run = vi.fn(() => result.promise);
    const desk = hookDesk({ PreToolUse: run }, { running: 1 });
    void desk.ask();
    const waiting = desk.ask();
    desk.dispatcher.cancel('req-1');
    expect(await soon(waiting)).toEqual({ kind: 'none' });
    result.resolve({});
    await soon(0);
    expect(run).toHaveBeenCalledTimes(1);
  });
});
