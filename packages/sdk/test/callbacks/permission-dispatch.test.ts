import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallbackContext } from '../../src/callbacks/callback-context.ts';
import type { CallbackAnswer } from '../../src/callbacks/callback-request.ts';
import { allow, answerQuestions, decideLater, deny } from '../../src/callbacks/decisions.ts';
import type { CanUseTool, PermissionRequest, PermissionResult } from '../../src/callbacks/permission-request.ts';
import { OptionsError } from '../../src/errors/options.ts';
import { NoSuchPermissionError } from '../../src/errors/session.ts';
import { permissionDispatcher, questionRequest, type TestPermissions, writeRequest } from './permission-dispatcher.ts';
import { deferred, settledSoon } from './replies.ts';

const ALLOW = {
  response: { behavior: 'allow', updatedInput: writeRequest.input, toolUseID: 'toolu_1' },
};
const DENY = { response: { behavior: 'deny', message: expect.stringMatching(/./) } };
const never = (): Promise<PermissionResult> => new Promise(() => {});
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const pendingId = ({ dispatcher }: TestPermissions): string => dispatcher.requests()[0]?.id ?? '';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('canUseTool', () => {
  it('[P-1] receives the request, the session id, the tool call id and a signal', () => {
    const seen: [PermissionRequest, CallbackContext][] = [];
    const permissions = permissionDispatcher((request, context) => {
      seen.push([request, context]);
      return allow();
    });
    expect(permissions.ask()).toMatchObject(ALLOW);
    const [request, context] = seen[0] ?? [];
    expect(request).toMatchObject({
      id: expect.stringMatching(UUID),
      kind: 'tool',
      toolName: 'Write',
      input: writeRequest.input,
    });
    expect(context).toMatchObject({ sessionId: 'session-1', toolUseId: 'toolu_1' });
    expect(context?.signal.aborted).toBe(false);
  });

  // The types forbid such a callback; plain JavaScript does not.
  it.each<[string, (...given: never[]) => unknown]>([
    ['compares its first argument with a name', (name: unknown) => ({ behavior: name === 'Write' ? 'deny' : 'allow' })],
    ['returns its second argument', (_, input: object) => ({ behavior: 'allow', updatedInput: input })],
    [
      'returns a copy of its second argument',
      async (_, input: object) => ({ behavior: 'allow', updatedInput: { ...input, a: 1 } }),
    ],
    ['returns its second argument with allow()', (_, input: object) => allow({ updatedInput: input })],
  ])(
    '[P-3] does not allow anything if it was written for the official SDK and %s; the warning names the guide',
    async (_what, written) => {
      const permissions = permissionDispatcher(written as CanUseTool);
      expect(await permissions.ask()).toMatchObject(DENY);
      expect(permissions.warnings).toMatchObject([
        {
          code: 'permission-failed',
          message: expect.stringContaining('docs/migration.md'),
          context: { tool: 'Write' },
        },
      ]);
    },
  );

  it("[P-2] may allow in the CLI's own format, with the request's input or another", () => {
    const same = permissionDispatcher(({ input }) => ({ behavior: 'allow', updatedInput: input }));
    expect(same.ask()).toMatchObject(ALLOW);
    const other = permissionDispatcher(() => ({ behavior: 'allow', updatedInput: { toolUseId: 'of another tool' } }));
    expect(other.ask()).toMatchObject({
      response: { behavior: 'allow', updatedInput: { toolUseId: 'of another tool' } },
    });
  });

  it('[P-3] has no timeout by default', async () => {
    const result = deferred<PermissionResult>();
    const permissions = permissionDispatcher(() => result.promise);
    const reply = permissions.ask();
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(await settledSoon(reply)).toBe('pending');
    expect(vi.getTimerCount()).toBe(0);
    result.resolve(allow());
    expect(await settledSoon(reply)).toMatchObject(ALLOW);
  });

  it('[P-3] denies the tool and aborts the signal at its timeout', async () => {
    const signals: AbortSignal[] = [];
    const permissions = permissionDispatcher((_request, { signal }) => {
      signals.push(signal);
      return never();
    }, 1_000);
    const reply = permissions.ask();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await settledSoon(reply)).toMatchObject(DENY);
    expect(signals[0]?.aborted).toBe(true);
    expect(permissions.warnings).toMatchObject([
      { code: 'permission-failed', context: { failure: 'timeout', tool: 'Write' } },
    ]);
  });

  const failures: [string, () => unknown, string][] = [
    [
      'throws',
      () => {
        throw new Error('secret');
      },
      'throw',
    ],
    ['rejects', () => Promise.reject(new Error('secret')), 'throw'],
    ['returns nothing', () => undefined, 'bad-result'],
    ['returns true', () => true, 'bad-result'],
    ['returns a decision for hooks', async () => ({ decision: 'modifyInput', input: {} }), 'bad-result'],
  ];

  it.each(failures)(
    '[P-3] denies the tool if it %s, without revealing the cause to the model',
    async (_what, run, failure) => {
      const permissions = permissionDispatcher(() => run() as PermissionResult);
      const reply = await permissions.ask();
      expect(reply).toMatchObject(DENY);
      expect(JSON.stringify(reply)).not.toContain('secret');
      expect(reply).not.toMatchObject({ response: { interrupt: true } });
      expect(permissions.warnings).toMatchObject([
        {
          code: 'permission-failed',
          context: { id: expect.stringMatching(UUID), tool: 'Write', failure, cause: expect.any(String) },
        },
      ]);
    },
  );

  it('[P-3] denies the tool if it is missing or the request is malformed', () => {
    expect(permissionDispatcher(undefined).ask()).toMatchObject(DENY);
    const run = vi.fn(() => allow());
    const permissions = permissionDispatcher(run);
    expect(permissions.ask({ tool_name: 'Write' })).toMatchObject(DENY);
    expect(permissions.ask(null)).toMatchObject(DENY);
    expect(run).not.toHaveBeenCalled();
    expect(permissions.warnings.map(({ context }) => context.failure)).toEqual([
      'malformed-request',
      'malformed-request',
    ]);
  });

  it.each([1_100, 100_000])(
    '[P-3] denies the tool if the request has %i levels of nesting, because it cannot be shown to a user',
    (levels) => {
      const input = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
      const run = vi.fn(() => allow());
      const permissions = permissionDispatcher(run);
      expect(permissions.ask({ tool_name: 'Write', input })).toMatchObject(DENY);
      expect(run).not.toHaveBeenCalled();
      expect(permissions.warnings.map(({ context }) => context.failure)).toEqual(['malformed-request']);
    },
  );

  it('[S-4] is reported with the request before it and the decision after it', async () => {
    const result = deferred<PermissionResult>();
    const permissions = permissionDispatcher(() => result.promise);
    const reply = permissions.ask();
    await vi.advanceTimersByTimeAsync(30);
    result.resolve(deny('no'));
    await reply;
    const id = permissions.events.flatMap((event) => ('request' in event ? event.request.id : []))[0];
    expect(id).toMatch(UUID);
    const head = { kind: 'permission', id, name: 'canUseTool', event: null, tool: 'Write' };
    expect(permissions.events).toMatchObject([
      { type: 'permission-requested', id, request: { id, toolName: 'Write' } },
      { type: 'callback-started', ...head },
      { type: 'callback-ended', ...head, decision: 'deny', ms: 30 },
      { type: 'permission-answered', id, tool: 'Write', decision: 'deny', ms: 30 },
    ]);
    expect(JSON.parse(JSON.stringify(permissions.events))).toEqual(permissions.events);
  });
});

describe('an answer with answerPermission()', () => {
  it('[P-7] answers a request that decideLater() left pending', async () => {
    const permissions = permissionDispatcher(() => decideLater());
    const replies = [permissions.ask(), permissions.ask(questionRequest)];
    expect(permissions.dispatcher.requests()).toMatchObject([{ kind: 'tool' }, { kind: 'question' }]);
    expect(permissions.dispatcher.pending).toMatchObject([{ state: 'later' }, { state: 'later' }]);
    const fromAnotherProcess = <T>(value: T): T => JSON.parse(JSON.stringify(value));
    const [first, second] = fromAnotherProcess(permissions.dispatcher.requests());
    permissions.dispatcher.answer(second?.id ?? '', fromAnotherProcess(answerQuestions({ 'Which?': 'A' })));
    permissions.dispatcher.answer(first?.id ?? '', fromAnotherProcess(allow()));
    expect(await settledSoon(replies[0])).toMatchObject(ALLOW);
    expect(await settledSoon(replies[1])).toMatchObject({ response: { updatedInput: { answers: { 'Which?': 'A' } } } });
    expect(permissions.dispatcher.requests()).toEqual([]);
  });

  it('[P-7] overrides a running callback and aborts it', async () => {
    const result = deferred<PermissionResult>();
    const signals: AbortSignal[] = [];
    const permissions = permissionDispatcher((_request, { signal }) => {
      signals.push(signal);
      return result.promise;
    });
    const reply = permissions.ask();
    permissions.dispatcher.answer(pendingId(permissions), deny('by hand'));
    expect(await settledSoon(reply)).toMatchObject({ response: { message: 'by hand' } });
    expect(signals[0]?.aborted).toBe(true);
    result.resolve(allow());
    await settledSoon(0);
    expect(permissions.events.filter(({ type }) => type === 'permission-answered')).toHaveLength(1);
  });

  it('[P-7] fails for a request that is not pending', async () => {
    const permissions = permissionDispatcher(() => decideLater());
    expect(() => permissions.dispatcher.answer('ask-9', allow())).toThrow(NoSuchPermissionError);
    void permissions.ask();
    const id = pendingId(permissions);
    permissions.dispatcher.answer(id, allow());
    expect(() => permissions.dispatcher.answer(id, allow())).toThrow(NoSuchPermissionError);
  });

  it("[P-7, X-6] fails for the CLI's own request id, because the next CLI may reuse that id", async () => {
    const permissions = permissionDispatcher(() => decideLater());
    const reply = permissions.ask(writeRequest, 'req-1');
    expect(() => permissions.dispatcher.answer('req-1', allow())).toThrow(NoSuchPermissionError);
    expect(await settledSoon(reply)).toBe('pending');
  });

  it.each([decideLater(), undefined, { decision: 'maybe' }, answerQuestions({ a: 'b' })])(
    '[P-7] with an unusable decision (%j) is an error, and the request stays pending',
    async (decision) => {
      const permissions = permissionDispatcher(() => decideLater());
      const reply = permissions.ask();
      expect(() => permissions.dispatcher.answer(pendingId(permissions), decision)).toThrow(OptionsError);
      expect(await settledSoon(reply)).toBe('pending');
      permissions.dispatcher.answer(pendingId(permissions), deny('no'));
      expect(await settledSoon(reply)).toMatchObject(DENY);
    },
  );

  it('[P-3, P-7] is replaced by a denial if it does not arrive before the timeout', async () => {
    const permissions = permissionDispatcher(() => decideLater(), 50);
    const reply = permissions.ask();
    await vi.advanceTimersByTimeAsync(50);
    expect(await settledSoon(reply)).toMatchObject(DENY);
  });
});

describe('a listener of permission-requested', () => {
  const STOPPED = { ...DENY, response: { ...DENY.response, interrupt: true } };

  it.each<[string, (permissions: TestPermissions) => unknown, object | undefined]>([
    ['answers the request', (permissions) => permissions.dispatcher.answer(pendingId(permissions), allow()), ALLOW],
    ['stops the session', ({ dispatcher }) => dispatcher.stop(), STOPPED],
    ['cancels the request', ({ dispatcher }) => dispatcher.cancel('ask-0'), undefined],
  ])('[P-7, S-4] prevents the call of canUseTool if it %s, and leaves no timer', async (_what, act, reply) => {
    const run = vi.fn(never);
    const permissions: TestPermissions = permissionDispatcher(run, 1_000, ({ type }) => {
      if (type === 'permission-requested') act(permissions);
    });
    const seen = await settledSoon(permissions.ask());
    if (reply === undefined) expect(seen).toBeUndefined();
    else expect(seen).toMatchObject(reply);
    expect(run).not.toHaveBeenCalled();
    expect(permissions.events.map(({ type }) => type)).toEqual(['permission-requested', 'permission-answered']);
    expect([permissions.dispatcher.requests(), vi.getTimerCount()]).toEqual([[], 0]);
  });
});

describe('the end of a permission request', () => {
  it('[P-3] by a cancellation of the CLI aborts the callback and sends no answer', async () => {
    const signals: AbortSignal[] = [];
    const permissions = permissionDispatcher((_request, { signal }) => {
      signals.push(signal);
      return never();
    });
    const reply = permissions.ask();
    expect(permissions.dispatcher.cancel('ask-0')).toBe(true);
    expect(permissions.dispatcher.cancel('ask-0')).toBe(false);
    expect(await settledSoon(reply)).toBeUndefined();
    expect(signals[0]?.aborted).toBe(true);
    expect(permissions.dispatcher.requests()).toEqual([]);
  });

  it('[P-2] by a stop of the session denies with interrupt, for pending and later requests', async () => {
    const run = vi.fn(never);
    const permissions = permissionDispatcher(run);
    const reply = permissions.ask();
    permissions.dispatcher.stop();
    permissions.dispatcher.stop();
    const interrupted = { ...DENY, response: { ...DENY.response, interrupt: true } };
    expect(await settledSoon(reply)).toMatchObject(interrupted);
    expect(permissions.ask()).toMatchObject({
      ...interrupted,
      response: { ...interrupted.response, toolUseID: 'toolu_1' },
    });
    expect(permissions.ask('rubbish')).toMatchObject(interrupted);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('[P-3] is not caused by a second request with the same id', async () => {
    const run = vi.fn(never);
    const permissions = permissionDispatcher(run);
    void permissions.ask(writeRequest, 'same');
    expect(await settledSoon(permissions.ask(writeRequest, 'same'))).toBe('pending');
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('permission requests under any sequence of events', () => {
  type Step = { step: 'ask' | 'resolve' | 'reject' | 'later' | 'answer' | 'cancel' | 'wait' | 'stop'; which: number };
  const step = fc.record({
    step: fc.constantFrom<Step['step']>(
      'ask',
      'ask',
      'ask',
      'resolve',
      'reject',
      'later',
      'answer',
      'cancel',
      'wait',
      'stop',
    ),
    which: fc.nat({ max: 10 }),
  });

  it('[P-3, P-7] get exactly one answer each, and are allowed only by a callback', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const running: ReturnType<typeof deferred<PermissionResult>>[] = [];
        let allowed = 0;
        const permissions = permissionDispatcher(() => {
          const one = deferred<PermissionResult>();
          running.push(one);
          return one.promise;
        }, 100);
        const replies: (CallbackAnswer | undefined)[][] = [];
        for (const { step: what, which } of steps) {
          if (what === 'ask') {
            const seen: (CallbackAnswer | undefined)[] = [];
            replies.push(seen);
            const reply = permissions.ask();
            if (reply instanceof Promise) void reply.then((value) => seen.push(value));
            else seen.push(reply);
          } else if (what === 'resolve') {
            allowed += 1;
            running[which]?.resolve(allow());
          } else if (what === 'reject') running[which]?.reject(new Error('x'));
          else if (what === 'later') running[which]?.resolve(decideLater());
          else if (what === 'answer') {
            const open = permissions.dispatcher.requests()[which];
            if (open) permissions.dispatcher.answer(open.id, deny('no'));
          } else if (what === 'cancel') permissions.dispatcher.cancel(`ask-${which}`);
          else if (what === 'wait') await vi.advanceTimersByTimeAsync(which * 10);
          else permissions.dispatcher.stop();
        }
        await vi.advanceTimersByTimeAsync(1_000);
        for (const seen of replies) expect(seen).toHaveLength(1);
        const allows = replies.flat().filter((reply) => reply?.response.behavior === 'allow');
        expect(allows.length).toBeLessThanOrEqual(allowed);
        expect(permissions.dispatcher.requests()).toEqual([]);
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
