import { describe, expect, it } from 'vitest';
import { deny } from '../../src/callbacks/decisions.ts';
import type { Hooks } from '../../src/callbacks/hook-events.ts';
import { buildRegistry } from '../../src/callbacks/registry.ts';
import { inputOf } from './measured-inputs.ts';

const limits = { hookTimeoutMs: 60_000 };
const context = { sessionId: 's', toolUseId: 't', signal: new AbortController().signal };

describe('the hook registry', () => {
  it('[H-1] takes a function, a hook, or a list of both, and numbers the hooks in order', () => {
    const hooks: Hooks = {
      PreToolUse: [{ matcher: 'Bash', run: () => deny('one') }, () => deny('two')],
      Stop: () => deny('three'),
      PostToolUse: { run: () => deny('four') },
      ...{ BrandNew: [{ newerEvent: true, run: () => deny('five') }] },
    };
    const { entries } = buildRegistry(hooks, limits);
    expect(entries.map(({ id, event, matcher }) => [id, event, matcher])).toEqual([
      ['hook_0', 'PreToolUse', 'Bash'],
      ['hook_1', 'PreToolUse', null],
      ['hook_2', 'Stop', null],
      ['hook_3', 'PostToolUse', null],
      ['hook_4', 'BrandNew', null],
    ]);
    expect(entries.map((entry) => entry.run({}, context))).toEqual(
      ['one', 'two', 'three', 'four', 'five'].map((r) => deny(r)),
    );
  });

  it('[H-1] calls run() as a method of its hook, with the input and the context', () => {
    const guard = {
      word: 'no',
      run(input: object, given: object) {
        return { reason: this.word, systemMessage: JSON.stringify([input, given === context]) };
      },
    };
    const [entry] = buildRegistry({ PreToolUse: guard }, limits).entries;
    const input = inputOf('PreToolUse');
    expect(entry?.run(input, context)).toEqual({ reason: 'no', systemMessage: JSON.stringify([input, true]) });
  });

  it('[H-2] declares each hook separately, with null for all tools', () => {
    const run = (): void => {};
    const hooks: Hooks = {
      PreToolUse: [
        { matcher: 'Write|Edit', run, onFailure: 'block' },
        { run, onFailure: 'continue' },
      ],
      Stop: run,
    };
    expect(buildRegistry(hooks, limits).initialize).toEqual({
      PreToolUse: [
        { matcher: 'Write|Edit', hookCallbackIds: ['hook_0'], timeout: 70, onFailure: 'block' },
        { matcher: null, hookCallbackIds: ['hook_1'], timeout: 70 },
      ],
      Stop: [{ matcher: null, hookCallbackIds: ['hook_2'], timeout: 70 }],
    });
  });

  it('[H-2] omits the declaration when there are no hooks', () => {
    for (const none of [undefined, {}, { PreToolUse: [] }, { PreToolUse: undefined }]) {
      expect(buildRegistry(none, limits)).toEqual({ entries: [], initialize: undefined });
    }
  });

  it('[H-6] uses the timeout of the hook, else that of its event, else 60 s', () => {
    const run = (): void => {};
    const hooks: Hooks = { PreToolUse: [{ run, timeoutMs: 5 }, run], Stop: run };
    const timeouts = (hookTimeoutMs: number | Record<string, number>): number[] =>
      buildRegistry(hooks, { hookTimeoutMs }).entries.map(({ timeoutMs }) => timeoutMs);
    expect(timeouts(60_000)).toEqual([5, 60_000, 60_000]);
    expect(timeouts({ PreToolUse: 7_000 })).toEqual([5, 7_000, 60_000]);
    expect(timeouts({ Stop: 1 })).toEqual([5, 60_000, 1]);
  });

  it.each([1, 999, 1_000, 1_001, 60_000, 3_600_000, 2 ** 31 - 1, 0])(
    '[H-2] declares a timeout in whole seconds that is longer than ours and fits a timer: %d ms',
    (timeoutMs) => {
      const { entries, initialize } = buildRegistry({ Stop: { run: () => {}, timeoutMs } }, limits);
      const declared = Number(initialize?.Stop?.[0]?.timeout);
      const ours = entries[0]?.timeoutMs ?? 0;
      expect(Number.isInteger(declared)).toBe(true);
      expect(declared * 1_000 - ours).toBeGreaterThanOrEqual(10_000);
      expect(declared * 1_000).toBeLessThan(2 ** 31);
      expect(ours).toBeGreaterThan(0);
    },
  );
});
