import { describe, expect, it } from 'vitest';
import type { Hooks } from '../../src/hooks/events.ts';
import { newerEvents } from '../../src/hooks/newer-events.ts';
import { deny } from '../../src/hooks/outcome.ts';
import { buildRegistry } from '../../src/hooks/registry.ts';
import { inputOf } from './measured-inputs.ts';

const limits = { hookTimeoutMs: 60_000 };
const context = { sessionId: 's', toolUseId: 't', signal: new AbortController().signal };

describe('the registry', () => {
  it('[H-1] takes a function, a hook, and a list of both, and numbers them in order', () => {
    const hooks: Hooks = {
      PreToolUse: [{ matcher: 'Bash', run: () => deny('one') }, () => deny('two')],
      Stop: () => deny('three'),
      PostToolUse: { run: () => deny('four') },
      ...newerEvents({ BrandNew: [() => deny('five')] }),
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

  it('[H-1] calls a hook on its own object, with its input and context', () => {
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

  it('[H-2] declares each hook by itself, all tools as null', () => {
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

  it('[H-2] leaves the field out when there are none', () => {
    for (const none of [undefined, {}, { PreToolUse: [] }, { PreToolUse: undefined }]) {
      expect(buildRegistry(none, limits)).toEqual({ entries: [], initialize: undefined });
    }
  });

  it('[H-6] takes a timeout from the hook, else from its event, else 60 s', () => {
    const run = (): void => {};
    const hooks: Hooks = { PreToolUse: [{ run, timeoutMs: 5 }, run], Stop: run };
    const timeouts = (hookTimeoutMs: number | Record<string, number>): number[] =>
      buildRegistry(hooks, { hookTimeoutMs }).entries.map(({ timeoutMs }) => timeoutMs);
    expect(timeouts(60_000)).toEqual([5, 60_000, 60_000]);
    expect(timeouts({ PreToolUse: 7_000 })).toEqual([5, 7_000, 60_000]);
    expect(timeouts({ Stop: 1 })).toEqual([5, 60_000, 1]);
  });

  it.each([1, 999, 1_000, 1_001, 60_000, 3_600_000, 2 ** 31 - 1, 0])(
    '[H-2] the CLI waits longer than we do, in whole seconds that fit its timer: %d ms',
    (timeoutMs) => {
      const { entries, initialize } = buildRegistry({ Stop: { run: () => {}, timeoutMs } }, limits);
      const declared = initialize?.Stop?.[0]?.timeout ?? 0;
      const ours = entries[0]?.timeoutMs ?? 0;
      expect(Number.isInteger(declared)).toBe(true);
      expect(declared * 1_000 - ours).toBeGreaterThanOrEqual(10_000);
      expect(declared * 1_000).toBeLessThan(2 ** 31);
      expect(ours).toBeGreaterThan(0);
    },
  );
});
