import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NoSuchPermissionError } from '../../src/errors/control.ts';
import { OptionsError } from '../../src/errors/options.ts';
import type { CallbackReply } from '../../src/hooks/callback-events.ts';
import { allow, answerQuestions, decideLater, deny } from '../../src/hooks/outcome.ts';
import type {
  CanUseTool,
  PermissionContext,
  PermissionRequest,
  PermissionResult,
} from '../../src/permissions/request.ts';
import { handle, soon } from '../hooks/hook-desk.ts';
import { type PermissionDesk, permissionDesk, questionRequest, writeRequest } from './permission-desk.ts';

const ALLOW = {
  kind: 'answer',
  response: { behavior: 'allow', updatedInput: writeRequest.input, toolUseID: 'toolu_1' },
};
const DENY = { kind: 'answer', response: { behavior: 'deny', message: expect.stringMatching(/./) } };
const never = (): Promise<PermissionResult> => new Promise(() => {});

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('canUseTool', () => {
  it('[P-1] gets the request and the session, the tool call and a signal', () => {
    const seen: [PermissionRequest, PermissionContext][] = [];
    const desk = permissionDesk((request, context) => {
      seen.push([request, context]);
      return allow();
    });
    expect(desk.ask()).toMatchObject(ALLOW);
    const [request, context] = seen[0] ?? [];
    expect(request).toMatchObject({ id: 'ask-0', kind: 'tool', toolName: 'Write', input: writeRequest.input });
    expect(context).toMatchObject({ sessionId: 'session-1', toolUseId: 'toolu_1' });
    expect(context?.signal.aborted).toBe(false);
  });

  // Plain JavaScript: only there such a callback gets past the types.
  it.each<[string, (...given: never[]) => unknown]>([
    ['compares its first argument with a name', (name: unknown) => ({ behavior: name === 'Write' ? 'deny' : 'allow' })],
    ['gives its second argument back', (_, input: object) => ({ behavior: 'allow', updatedInput: input })],
    ['gives a copy of it back', async (_, input: object) => ({ behavior: 'allow', updatedInput: { ...input, a: 1 } })],
    ['does so with allow()', (_, input: object) => allow({ updatedInput: input })],
  ])('[P-3] one for the official SDK that %s is refused, and told where to look', async (_what, written) => {
    const desk = permissionDesk(written as CanUseTool);
    expect(await desk.ask()).toMatchObject(DENY);
    expect(desk.warnings).toMatchObject([
      { code: 'permission-failed', message: expect.stringContaining('docs/migration.md'), context: { tool: 'Write' } },
    ]);
  });

  it("[P-2] may allow in the CLI's own form, with the request's input or another", () => {
    const same = permissionDesk(({ input }) => ({ behavior: 'allow', updatedInput: input }));
    expect(same.ask()).toMatchObject(ALLOW);
    const other = permissionDesk(() => ({ behavior: 'allow', updatedInput: { toolUseId: 'of another tool' } }));
    expect(other.ask()).toMatchObject({
      response: { behavior: 'allow', updatedInput: { toolUseId: 'of another tool' } },
    });
  });

  it('[P-3] may take as long as it likes', async () => {
    const result = handle<PermissionResult>();
    const desk = permissionDesk(() => result.promise);
    const reply = desk.ask();
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(await soon(reply)).toBe('pending');
    expect(vi.getTimerCount()).toBe(0);
    result.resolve(allow());
    expect(await soon(reply)).toMatchObject(ALLOW);
  });

  it('[P-3] may be given a time, after which the tool is denied and the signal aborted', async () => {
    const signals: AbortSignal[] = [];
    const desk = permissionDesk((_request, { signal }) => {
      signals.push(signal);
      return never();
    }, 1_000);
    const reply = desk.ask();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await soon(reply)).toMatchObject(DENY);
    expect(signals[0]?.aborted).toBe(true);
    expect(desk.warnings).toMatchObject([
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
    ['gives back nothing', () => undefined, 'bad-result'],
    ['gives back a bare true', () => true, 'bad-result'],
    ['gives back an outcome for hooks', async () => ({ decision: 'modifyInput', input: {} }), 'bad-result'],
  ];

  it.each(failures)('[P-3] that %s is a deny that keeps the cause to us', async (_what, run, failure) => {
    const desk = permissionDesk(() => run() as PermissionResult);
    const reply = await desk.ask();
    expect(reply).toMatchObject(DENY);
    expect(JSON.stringify(reply)).not.toContain('secret');
    expect(reply).not.toMatchObject({ response: { interrupt: true } });
    expect(desk.warnings).toMatchObject([
      { code: 'permission-failed', context: { id: 'ask-0', tool: 'Write', failure, cause: expect.any(String) } },
    ]);
  });

  it('[P-3] that is not there, or a malformed request, is a deny', () => {
    expect(permissionDesk(undefined).ask()).toMatchObject(DENY);
    const run = vi.fn(() => allow());
    const desk = permissionDesk(run);
    expect(desk.ask({ tool_name: 'Write' })).toMatchObject(DENY);
    expect(desk.ask(null)).toMatchObject(DENY);
    expect(run).not.toHaveBeenCalled();
    expect(desk.warnings.map(({ context }) => context.failure)).toEqual(['malformed-request', 'malformed-request']);
  });

  it('[S-4] is reported with the request before and the decision after', async () => {
    const result = handle<PermissionResult>();
    const desk = permissionDesk(() => result.promise);
    const reply = desk.ask();
    await vi.advanceTimersByTimeAsync(30);
    result.resolve(deny('no'));
    await reply;
    const head = { kind: 'permission', id: 'ask-0', name: 'canUseTool', event: null, tool: 'Write' };
    expect(desk.events).toMatchObject([
      { type: 'permission-requested', request: { id: 'ask-0', toolName: 'Write' } },
      { type: 'callback-started', ...head },
      { type: 'callback-ended', ...head, decision: 'deny', ms: 30 },
      { type: 'permission-answered', id: 'ask-0', tool: 'Write', decision: 'deny', ms: 30 },
    ]);
    expect(JSON.parse(JSON.stringify(desk.events))).toEqual(desk.events);
  });
});

describe('an answer from elsewhere', () => {
  it('[P-7] ends what later() has left open', async () => {
    const desk = permissionDesk(() => decideLater());
    const replies = [desk.ask(), desk.ask(questionRequest)];
    expect(desk.dispatcher.pendingPermissions()).toMatchObject([
      { id: 'ask-0', kind: 'tool' },
      { id: 'ask-1', kind: 'question' },
    ]);
    expect(desk.dispatcher.pending).toMatchObject([{ state: 'later' }, { state: 'later' }]);
    const fromAnotherProcess = <T>(value: T): T => JSON.parse(JSON.stringify(value));
    const [first, second] = fromAnotherProcess(desk.dispatcher.pendingPermissions());
    desk.dispatcher.answer(second?.id ?? '', fromAnotherProcess(answerQuestions({ 'Which?': 'A' })));
    desk.dispatcher.answer(first?.id ?? '', fromAnotherProcess(allow()));
    expect(await soon(replies[0])).toMatchObject(ALLOW);
    expect(await soon(replies[1])).toMatchObject({ response: { updatedInput: { answers: { 'Which?': 'A' } } } });
    expect(desk.dispatcher.pendingPermissions()).toEqual([]);
  });

  it('[P-7] beats a callback that is still thinking, and aborts it', async () => {
    const result = handle<PermissionResult>();
    const signals: AbortSignal[] = [];
    const desk = permissionDesk((_request, { signal }) => {
      signals.push(signal);
      return result.promise;
    });
    const reply = desk.ask();
    desk.dispatcher.answer('ask-0', deny('from elsewhere'));
    expect(await soon(reply)).toMatchObject({ response: { message: 'from elsewhere' } });
    expect(signals[0]?.aborted).toBe(true);
    result.resolve(allow());
    await soon(0);
    expect(desk.events.filter(({ type }) => type === 'permission-answered')).toHaveLength(1);
  });

  it('[P-7] to something nobody asks is an error', async () => {
    const desk = permissionDesk(() => decideLater());
    expect(() => desk.dispatcher.answer('ask-9', allow())).toThrow(NoSuchPermissionError);
    void desk.ask();
    desk.dispatcher.answer('ask-0', allow());
    expect(() => desk.dispatcher.answer('ask-0', allow())).toThrow(NoSuchPermissionError);
  });

  it.each([decideLater(), undefined, { outcome: 'maybe' }, answerQuestions({ a: 'b' })])(
    '[P-7] that is none (%j) is an error, and the request stays open',
    async (outcome) => {
      const desk = permissionDesk(() => decideLater());
      const reply = desk.ask();
      expect(() => desk.dispatcher.answer('ask-0', outcome)).toThrow(OptionsError);
      expect(await soon(reply)).toBe('pending');
      desk.dispatcher.answer('ask-0', deny('no'));
      expect(await soon(reply)).toMatchObject(DENY);
    },
  );

  it('[P-3, P-7] that never comes is a deny once the time is up', async () => {
    const desk = permissionDesk(() => decideLater(), 50);
    const reply = desk.ask();
    await vi.advanceTimersByTimeAsync(50);
    expect(await soon(reply)).toMatchObject(DENY);
  });
});

describe('whoever is told of a request', () => {
  const STOPPED = { ...DENY, response: { ...DENY.response, interrupt: true } };

  it.each<[string, (desk: PermissionDesk) => unknown, object]>([
    ['answers it', ({ dispatcher }) => dispatcher.answer('ask-0', allow()), ALLOW],
    ['stops the session', ({ dispatcher }) => dispatcher.stop(), STOPPED],
    ['withdraws it', ({ dispatcher }) => dispatcher.cancel('ask-0'), { kind: 'none' }],
  ])('[P-7, S-4] and %s at once: canUseTool is not asked, and no clock is left', async (_what, act, reply) => {
    const run = vi.fn(never);
    const desk: PermissionDesk = permissionDesk(run, 1_000, ({ type }) => {
      if (type === 'permission-requested') act(desk);
    });
    expect(await soon(desk.ask())).toMatchObject(reply);
    expect(run).not.toHaveBeenCalled();
    expect(desk.events.map(({ type }) => type)).toEqual(['permission-requested', 'permission-answered']);
    expect([desk.dispatcher.pendingPermissions(), vi.getTimerCount()]).toEqual([[], 0]);
  });
});

describe('the end of a request', () => {
  it('[P-3] when the CLI withdraws it: the callback is aborted and nothing is answered', async () => {
    const signals: AbortSignal[] = [];
    const desk = permissionDesk((_request, { signal }) => {
      signals.push(signal);
      return never();
    });
    const reply = desk.ask();
    expect(desk.dispatcher.cancel('ask-0')).toBe(true);
    expect(desk.dispatcher.cancel('ask-0')).toBe(false);
    expect(await soon(reply)).toEqual({ kind: 'none' });
    expect(signals[0]?.aborted).toBe(true);
    expect(desk.dispatcher.pendingPermissions()).toEqual([]);
  });

  it('[P-2] when the session stops: deny and interrupt, for what is pending and what still arrives', async () => {
    const run = vi.fn(never);
    const desk = permissionDesk(run);
    const reply = desk.ask();
    desk.dispatcher.stop();
    desk.dispatcher.stop();
    const interrupted = { ...DENY, response: { ...DENY.response, interrupt: true } };
    expect(await soon(reply)).toMatchObject(interrupted);
    expect(desk.ask()).toMatchObject({ ...interrupted, response: { ...interrupted.response, toolUseID: 'toolu_1' } });
    expect(desk.ask('rubbish')).toMatchObject(interrupted);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('[P-3] the same id twice gets one answer', () => {
    const run = vi.fn(never);
    const desk = permissionDesk(run);
    void desk.ask(writeRequest, 'same');
    expect(desk.ask(writeRequest, 'same')).toEqual({ kind: 'none' });
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('whatever happens in whatever order', () => {
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

  it('[P-3, P-7] every request gets exactly one answer, and none is an allow nobody gave', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const thinking: ReturnType<typeof handle<PermissionResult>>[] = [];
        let allowed = 0;
        const desk = permissionDesk(() => {
          const one = handle<PermissionResult>();
          thinking.push(one);
          return one.promise;
        }, 100);
        const replies: CallbackReply[][] = [];
        for (const { step: what, which } of steps) {
          if (what === 'ask') {
            const seen: CallbackReply[] = [];
            replies.push(seen);
            const reply = desk.ask();
            if (reply instanceof Promise) void reply.then((value) => seen.push(value));
            else seen.push(reply);
          } else if (what === 'resolve') {
            allowed += 1;
            thinking[which]?.resolve(allow());
          } else if (what === 'reject') thinking[which]?.reject(new Error('x'));
          else if (what === 'later') thinking[which]?.resolve(decideLater());
          else if (what === 'answer') {
            const open = desk.dispatcher.pendingPermissions()[which];
            if (open) desk.dispatcher.answer(open.id, deny('no'));
          } else if (what === 'cancel') desk.dispatcher.cancel(`ask-${which}`);
          else if (what === 'wait') await vi.advanceTimersByTimeAsync(which * 10);
          else desk.dispatcher.stop();
        }
        await vi.advanceTimersByTimeAsync(1_000);
        for (const seen of replies) expect(seen).toHaveLength(1);
        const allows = replies.flat().filter((reply) => reply.kind === 'answer' && reply.response.behavior === 'allow');
        expect(allows.length).toBeLessThanOrEqual(allowed);
        expect(desk.dispatcher.pendingPermissions()).toEqual([]);
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
