import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallbackContext } from '../../src/callbacks/callback-context.ts';
import { allow, deny, modifyInput, replaceOutput, stopTurn } from '../../src/callbacks/decisions.ts';
import { HookDispatcher } from '../../src/callbacks/hook-dispatch.ts';
import type { HookResult } from '../../src/callbacks/hook-events.ts';
import { buildRegistry } from '../../src/callbacks/registry.ts';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { hookDispatcher } from './hook-dispatcher.ts';
import { inputOf } from './measured-inputs.ts';
import { deferred, settledSoon } from './replies.ts';

const CONTINUE = { response: {}, interrupt: false };
const denied = (reason: unknown): object => ({
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
  it('[H-1] receives the unchanged input, the session id, the tool call id and a signal', () => {
    const seen: [unknown, CallbackContext][] = [];
    const hooks = hookDispatcher({ PreToolUse: (input, context) => void seen.push([input, context]) });
    const input = inputOf('PreToolUse');
    void hooks.ask({ input });
    const [given, context] = seen[0] ?? [];
    expect(given).toBe(input);
    expect(context).toMatchObject({ sessionId: 'session-1', toolUseId: 'toolu_1' });
    expect(context?.signal.aborted).toBe(false);
  });

  it('[H-4] is answered immediately if it decides synchronously', () => {
    const hooks = hookDispatcher({ PreToolUse: () => deny('R') });
    expect(hooks.ask()).toMatchObject(denied('R'));
  });

  it('[H-4] is answered when its promise resolves if it returns one', async () => {
    const result = deferred<HookResult>();
    const hooks = hookDispatcher({ PreToolUse: () => result.promise });
    const reply = hooks.ask();
    expect(await settledSoon(reply)).toBe('pending');
    result.resolve(deny('R'));
    expect(await settledSoon(reply)).toMatchObject(denied('R'));
  });

  it('[H-4] requests an interrupt if it stops the turn and the CLI needs one', () => {
    const hooks = hookDispatcher({ PreToolUse: () => stopTurn('R') });
    expect(hooks.ask({ release: '2.1.197' })).toMatchObject({ interrupt: true });
    expect(hooks.ask({ release: PINNED_VERSION })).toMatchObject({ interrupt: false });
  });

  it('[H-4] is named in the warning about its result', () => {
    const hooks = hookDispatcher({ Stop: () => modifyInput({}) });
    expect(hooks.ask({ event: 'Stop' })).toEqual(CONTINUE);
    expect(hooks.warnings).toMatchObject([
      { code: 'decision-not-expressible', context: { hook: 'hook_0', event: 'Stop', what: 'modifyInput' } },
    ]);
  });

  it('[H-4] ends the turn, with a warning, if it returns a decision that the release ignores', () => {
    const hooks = hookDispatcher({ PostToolUse: () => replaceOutput('b') });
    expect(hooks.ask({ event: 'PostToolUse', release: '2.1.120' })).toMatchObject({ response: { continue: false } });
    expect(hooks.events.at(-1)).toMatchObject({ type: 'callback-ended', decision: 'stopTurn' });
    expect(hooks.warnings).toMatchObject([
      { code: 'decision-not-expressible', context: { hook: 'hook_0', what: 'replaceOutput()', required: '2.1.121' } },
    ]);
  });

  it('[H-9] runs in the async context of the caller, even after waiting in the queue', async () => {
    const storage = new AsyncLocalStorage<string>();
    const inside = storage.run('the caller', () => AsyncLocalStorage.snapshot());
    const seen: (string | undefined)[] = [];
    const first = deferred<HookResult>();
    const run = (): Promise<HookResult> => {
      seen.push(storage.getStore());
      return first.promise;
    };
    const dispatcher = new HookDispatcher({
      hooks: buildRegistry({ Stop: run }, { hookTimeoutMs: 1_000 }).entries,
      limits: { maxRunningHooks: 1, maxWaitingHooks: 1, backlogBytes: 1_000 },
      now: Date.now,
      sessionId: () => undefined,
      refusesPrompt: () => false,
      updates: {},
      ignores: () => false,
      context: () => inside,
      warn: () => {},
      report: { skip: () => true, event: () => {} },
      settled: () => {},
    });
    for (const requestId of ['a', 'b']) {
      void dispatcher.handle(requestId, { callback_id: 'hook_0', input: inputOf('Stop') }, 0);
    }
    first.resolve({});
    await settledSoon(0);
    expect(seen).toEqual(['the caller', 'the caller']);
  });

  it('[S-4] is reported when it starts and when it ends', async () => {
    const result = deferred<HookResult>();
    const hooks = hookDispatcher({ PreToolUse: () => result.promise });
    const reply = hooks.ask();
    const head = { kind: 'hook', id: 'req-0', name: 'hook_0', event: 'PreToolUse', tool: 'Bash' };
    expect(hooks.events).toMatchObject([{ type: 'callback-started', ...head, tool: expect.any(String) }]);
    vi.advanceTimersByTime(40);
    result.resolve(allow());
    await reply;
    expect(hooks.events[1]).toMatchObject({ type: 'callback-ended', id: 'req-0', decision: 'allow', ms: 40 });
    expect(hooks.events).toHaveLength(2);
  });
});

describe('a hook that stops its own session', () => {
  it.each<[string, () => HookResult]>([
    ['returns nothing', () => undefined],
    ['allows', () => allow()],
    [
      'throws',
      () => {
        throw new Error('x');
      },
    ],
  ])('[S-9] is answered once, with a block, if it %s', (_, result) => {
    let seen: AbortSignal | undefined;
    const hooks = hookDispatcher({
      PreToolUse: (_input, { signal }) => {
        seen = signal;
        hooks.dispatcher.stop();
        return result();
      },
    });
    expect(hooks.ask()).toMatchObject({
      response: { continue: false, hookSpecificOutput: { permissionDecision: 'deny' } },
    });
    expect(seen?.aborted).toBe(true);
    expect(hooks.dispatcher.pending).toEqual([]);
    expect(hooks.events.map(({ type }) => type)).toEqual(['callback-started', 'callback-ended']);
    expect(hooks.events[1]).toMatchObject({ decision: 'session-stop' });
    expect(hooks.warnings).toHaveLength(1);
  });
});

describe('an unexpected hook request', () => {
  it('[H-8] for an unregistered hook continues, with a warning', () => {
    const hooks = hookDispatcher({});
    expect(hooks.ask({ callbackId: 'hook_9' })).toEqual(CONTINUE);
    expect(hooks.ask({ callbackId: { a: 1 } })).toEqual(CONTINUE);
    expect(hooks.warnings).toMatchObject([
      { code: 'unknown-hook', context: { hook: 'hook_9', event: 'PreToolUse', requestId: 'req-0' } },
      { code: 'unknown-hook' },
    ]);
  });

  it('[H-3] with a missing or a new field still reaches the hook', () => {
    const { tool_name: _gone, ...rest } = inputOf('PreToolUse');
    const hooks = hookDispatcher({ PreToolUse: () => deny('R') });
    expect(hooks.ask({ input: { ...rest, toolName: 'Bash' } })).toMatchObject(denied('R'));
    expect(hooks.warnings.map(({ code }) => code)).toEqual(['hook-input-changed', 'hook-input-changed']);
  });

  it.each([undefined, null, 'x', [], {}, { hook_event_name: 7 }])(
    '[H-3] with the input %j is a failure, and blocks a guard event',
    (input) => {
      const run = vi.fn();
      const hooks = hookDispatcher({ PreToolUse: run, Stop: run, PostToolUse: { run, onFailure: 'block' } });
      expect(hooks.ask({ input })).toMatchObject(denied(expect.any(String)));
      expect(hooks.ask({ input, callbackId: 'hook_1' })).toEqual(CONTINUE);
      expect(hooks.ask({ input, callbackId: 'hook_2' })).toMatchObject({ response: { decision: 'block' } });
      expect(run).not.toHaveBeenCalled();
      expect(hooks.warnings.map(({ context }) => context.failure)).toEqual(Array(3).fill('malformed-request'));
    },
  );

  it('[H-1] of an unknown event reaches the hook registered for it', () => {
    const hooks = hookDispatcher({ Stop: undefined, ...{ BrandNew: { newerEvent: true, run: () => deny('R') } } });
    const input = { hook_event_name: 'BrandNew', anything: 1 };
    expect(hooks.ask({ input })).toMatchObject({ response: { decision: 'block', continue: false } });
    expect(hooks.warnings).toEqual([]);
  });

  it('[H-6] with the id of a pending request is ignored', async () => {
    const run = vi.fn(never);
    const hooks = hookDispatcher({ PreToolUse: run });
    void hooks.ask({ requestId: 'same' });
    expect(await settledSoon(hooks.ask({ requestId: 'same' }))).toBe('pending');
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
    ['rejects with an object that cannot be converted to text', () => Promise.reject(Object.create(null)), 'throw'],
    ['returns a string', () => 'no' as never, 'bad-result'],
    ['returns a value that JSON cannot represent', () => modifyInput({ n: 1n }), 'bad-result'],
  ];

  it.each(failures)('[H-7] lets the action continue without a guard: it %s', async (_what, run, failure) => {
    const hooks = hookDispatcher({ PreToolUse: run });
    const policy = failure === 'throw' ? 'continue' : 'block';
    expect(await hooks.ask()).toMatchObject(policy === 'block' ? denied(expect.any(String)) : CONTINUE);
    expect(hooks.warnings).toMatchObject([
      {
        code: 'hook-failed',
        context: { hook: 'hook_0', event: 'PreToolUse', failure, policy, requestId: 'req-0', ms: 0 },
      },
    ]);
    expect(hooks.warnings[0]?.context.cause).toEqual(expect.any(String));
    expect(JSON.parse(JSON.stringify(hooks.warnings))).toEqual(hooks.warnings);
  });

  it.each(failures)(
    "[H-7] blocks with onFailure 'block' if it %s, without revealing the cause to the model",
    async (_what, run) => {
      const hooks = hookDispatcher({ PreToolUse: { run, onFailure: 'block' } });
      const reply = await hooks.ask();
      expect(reply).toMatchObject(denied(expect.any(String)));
      expect(JSON.stringify(reply)).not.toContain('secret');
      expect(hooks.warnings).toMatchObject([{ context: { policy: 'block' } }]);
    },
  );

  it.each([
    ['PreToolUse', { hookSpecificOutput: { permissionDecision: 'deny' } }],
    ['UserPromptSubmit', { decision: 'block' }],
    ['PermissionRequest', { hookSpecificOutput: { decision: { behavior: 'deny' } } }],
    ['PreModelSwitch', { hookSpecificOutput: { permissionDecision: 'deny' } }],
    ['PostToolUse', {}],
    ['Stop', {}],
    ['SubagentStop', {}],
  ])('[H-6, H-7] by a timeout is answered for %s with %j', async (event, response) => {
    const hooks = hookDispatcher({ [event]: never });
    const reply = hooks.ask({ event });
    await vi.advanceTimersByTimeAsync(59_999);
    expect(await settledSoon(reply)).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    expect(await settledSoon(reply)).toMatchObject({ response });
    expect(hooks.warnings).toMatchObject([{ code: 'hook-failed', context: { failure: 'timeout', ms: 60_000 } }]);
  });

  it("[H-7] by a timeout follows its onFailure: 'continue' opens a guard, 'block' blocks other events", async () => {
    const hooks = hookDispatcher({
      PreToolUse: { run: never, onFailure: 'continue', timeoutMs: 5 },
      PostToolUse: { run: never, onFailure: 'block', timeoutMs: 5 },
    });
    const open = hooks.ask();
    const closed = hooks.ask({ event: 'PostToolUse', callbackId: 'hook_1' });
    await vi.advanceTimersByTimeAsync(5);
    expect(await open).toEqual(CONTINUE);
    expect(await closed).toMatchObject({ response: { decision: 'block' } });
  });

  it('[H-6] by a timeout gets its signal aborted and its result ignored', async () => {
    const result = deferred<HookResult>();
    const signals: AbortSignal[] = [];
    const hooks = hookDispatcher(
      {
        PreToolUse: (_input, { signal }) => {
          signals.push(signal);
          return result.promise;
        },
      },
      { timeoutMs: 10 },
    );
    const reply = hooks.ask();
    await vi.advanceTimersByTimeAsync(10);
    expect(await reply).toMatchObject(denied(expect.any(String)));
    expect(signals[0]?.aborted).toBe(true);
    expect(signals[0]?.reason).toMatchObject({ name: 'AbortError', message: expect.stringContaining('too long') });
    result.resolve(allow());
    await settledSoon(0);
    expect(hooks.events.filter(({ type }) => type === 'callback-ended')).toMatchObject([{ decision: 'timeout' }]);
    expect(hooks.warnings).toHaveLength(1);
  });

  it('[H-6] finds its signal aborted even if it reads it after the abort', async () => {
    const contexts: CallbackContext[] = [];
    const hooks = hookDispatcher({
      PreToolUse: (_input, context) => {
        contexts.push(context);
        return never();
      },
    });
    void hooks.ask();
    hooks.dispatcher.cancel('req-0');
    expect(contexts[0]?.signal.aborted).toBe(true);
  });

  it('[H-6, H-7] may throw after its timeout without any effect', async () => {
    const result = deferred<HookResult>();
    const hooks = hookDispatcher({ PreToolUse: () => result.promise }, { timeoutMs: 10 });
    const reply = hooks.ask();
    await vi.advanceTimersByTimeAsync(10);
    await reply;
    result.reject(new Error('too late'));
    await settledSoon(0);
    expect(hooks.warnings).toHaveLength(1);
  });

  it('[E-4] with a throwing thenable is handled like any other failure', async () => {
    // Built with defineProperty: the linter forbids a property named then.
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
      const hooks = hookDispatcher({ PreToolUse: () => promise as Promise<HookResult> });
      expect(await hooks.ask()).toEqual(CONTINUE);
      expect(hooks.warnings).toMatchObject([{ context: { failure: 'throw' } }]);
    }
  });
});

describe('a hook request that the CLI cancels', () => {
  it('[H-8] aborts the callback and is not answered', async () => {
    const signals: AbortSignal[] = [];
    const hooks = hookDispatcher({
      PreToolUse: (_input, { signal }) => {
        signals.push(signal);
        return never();
      },
    });
    const reply = hooks.ask();
    expect(hooks.dispatcher.cancel('req-0')).toBe(true);
    expect(await settledSoon(reply)).toBeUndefined();
    expect(signals[0]?.aborted).toBe(true);
    expect(hooks.dispatcher.cancel('req-0')).toBe(false);
    expect(hooks.dispatcher.pending).toEqual([]);
    expect(hooks.warnings).toEqual([]);
    expect(hooks.events[1]).toMatchObject({ decision: 'cancelled' });
  });

  it('[H-8] never reaches the callback if it was waiting in the queue', async () => {
    const result = deferred<HookResult>();
    const run = vi.fn(() => result.promise);
    const hooks = hookDispatcher({ PreToolUse: run }, { running: 1 });
    void hooks.ask();
    const waiting = hooks.ask();
    hooks.dispatcher.cancel('req-1');
    expect(await settledSoon(waiting)).toBeUndefined();
    result.resolve({});
    await settledSoon(0);
    expect(run).toHaveBeenCalledTimes(1);
  });
});
