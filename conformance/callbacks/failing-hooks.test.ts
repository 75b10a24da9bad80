import { type ReplyStep, text, toolUse } from '@coxswain/testkit';
import { allow, type CallbackContext, deny, type HookResult } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { sharedStage } from './stage.ts';

/** The timeout of the SDK; that of the CLI is 10 s longer. */
const TIMEOUT_MS = 400;

function write(name: string): ReplyStep {
  return toolUse('Bash', { command: `echo ran > ${name}` });
}

describe.concurrent.each(testedVersions)('a failing hook in %s', (version) => {
  const signals: AbortSignal[] = [];
  /** Fails in the way that the call names. */
  const failing =
    (name: string) =>
    (input: object, { signal }: CallbackContext): HookResult | Promise<HookResult> => {
      const asked = JSON.stringify(input);
      if (asked.includes(`${name}-throws`)) throw new Error('inside-of-the-host');
      if (asked.includes(`${name}-rejects`)) return Promise.reject(new Error('inside-of-the-host'));
      // Untyped code may return this.
      if (asked.includes(`${name}-bad`)) return 42 as unknown as HookResult;
      if (!asked.includes(`${name}-never`)) return {};
      signals.push(signal);
      return new Promise(() => {});
    };
  const stage = sharedStage(version, {
    allowedTools: ['Bash'],
    limits: { hookTimeoutMs: TIMEOUT_MS },
    hooks: {
      PreToolUse: [
        failing('plain'),
        { run: failing('block'), onFailure: 'block' },
        { run: failing('continue'), onFailure: 'continue' },
      ],
      UserPromptSubmit: [failing('plain'), { run: failing('block'), onFailure: 'block' }],
      PostToolUse: failing('after'),
    },
  });

  /** The index of the hook for a call. */
  const hookOf = (call: string): string => `hook_${['plain', 'block', 'continue'].indexOf(call.replace(/-.*/, ''))}`;

  it.sequential.each([
    ['plain-throws', 'throw', 'continue'],
    ['plain-rejects', 'throw', 'continue'],
    ['plain-bad', 'bad-result', 'block'],
    ['block-throws', 'throw', 'block'],
    ['block-rejects', 'throw', 'block'],
    ['block-bad', 'bad-result', 'block'],
    ['continue-throws', 'throw', 'continue'],
    ['continue-bad', 'bad-result', 'continue'],
  ])('[H-7] %s: a %s leads to %s, and the exception does not reach the CLI', async (call, failure, policy) => {
    const turn = await stage().play([write(call), text('and then')]);
    expect(stage().read(call)).toBe(policy === 'block' ? undefined : 'ran\n');
    const [result] = turn.requests[1]?.toolResults ?? [];
    expect(result?.text.includes('Blocked: the hook that guards this failed')).toBe(policy === 'block');
    expect(turn.modelReceived('inside-of-the-host')).toBe(false);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'and then' });
    expect(turn.warnings[0]).toMatchObject({
      code: 'hook-failed',
      context: { event: 'PreToolUse', hook: hookOf(call), failure, policy, ms: expect.any(Number) },
    });
  });

  it.sequential.each([
    ['plain-never', 'block'],
    ['block-never', 'block'],
    ['continue-never', 'continue'],
  ])(
    '[H-2, H-6, H-7] %s: the timeout of the SDK expires before that of the CLI, and leads to %s',
    async (call, policy) => {
      signals.length = 0;
      const turn = await stage().play([write(call), text('and then')]);
      expect(stage().read(call)).toBe(policy === 'block' ? undefined : 'ran\n');
      const [result] = turn.requests[1]?.toolResults ?? [];
      expect(result?.text.includes('Blocked: the hook that guards this did not answer')).toBe(policy === 'block');
      expect(turn.warnings[0]).toMatchObject({
        code: 'hook-failed',
        context: { event: 'PreToolUse', hook: hookOf(call), failure: 'timeout', policy },
      });
      // The clock counts whole milliseconds.
      expect(turn.warnings[0]?.context.ms).toBeGreaterThanOrEqual(TIMEOUT_MS - 1);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    },
  );

  it.sequential.each([
    ['plain-throws', 'the model is asked', 1],
    ['plain-never', 'the prompt is blocked', 0],
    ['block-throws', 'the prompt is blocked', 0],
  ])('[H-7] UserPromptSubmit %s: %s', async (prompt, _, requests) => {
    const turn = await stage().play([text('hm')], { prompt });
    expect(turn.requests).toHaveLength(requests);
    expect(turn.outcome.kind).toBe(requests === 1 ? 'completed' : 'stopped-by-hook');
  });

  it.sequential('[H-7] PostToolUse is not a guard: the turn continues after a timeout', async () => {
    const turn = await stage().play([write('after-never'), text('and then')]);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'and then' });
    expect(turn.warnings).toMatchObject([{ code: 'hook-failed', context: { failure: 'timeout', policy: 'continue' } }]);
  });
});

describe.concurrent.each(testedVersions)('many concurrent hooks, and withdrawn hooks, in %s', (version) => {
  const signals: AbortSignal[] = [];
  let running = 0;
  let most = 0;
  let ended = 0;
  const saying = (word: string, act: () => HookResult) => (input: object) =>
    JSON.stringify(input).includes(word) ? act() : {};
  const stage = sharedStage(version, {
    allowedTools: ['Bash'],
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          run: (input, { signal }) => {
            if (!JSON.stringify(input).includes('withdrawn')) return {};
            signals.push(signal);
            return new Promise(() => {});
          },
        },
        { matcher: 'Bash', run: saying('allowed-first', () => allow()) },
        { matcher: 'Bash', run: saying('allowed', () => deny('reason-of-the-other')) },
        { matcher: 'Bash', run: saying('allowed-last', () => allow()) },
        {
          matcher: 'Read',
          run: async () => {
            running += 1;
            most = Math.max(most, running);
            await waitUntil(() => stage().count('callbacks-queued') > 0, { what: 'hooks that wait' });
            running -= 1;
            ended += 1;
          },
        },
      ],
    },
  });

  it.sequential('[H-6, H-8] an interrupt withdraws the request: the signal is aborted, the tool does not run', async () => {
    const turn = stage().begin([write('withdrawn'), text('unheard')]);
    await waitUntil(() => signals.length > 0, { what: 'the hook' });
    await stage().session.interrupt();
    expect(await turn.result()).toMatchObject({ terminal_reason: 'aborted_tools' });
    await waitUntil(() => signals[0]?.aborted, { what: 'the abort' });
    expect(stage().read('withdrawn')).toBeUndefined();
    expect(stage().warnings).toEqual([]);
    await stage().play([write('next'), text('done')]);
    expect(stage().read('next')).toBe('ran\n');
  });

  it.sequential('[H-1] of two hooks for one call, a deny wins over an allow', async () => {
    for (const name of ['allowed-first', 'allowed-last']) {
      const turn = await stage().play([write(name), text('done')]);
      expect(stage().read(name)).toBeUndefined();
      expect(turn.modelReceived('reason-of-the-other')).toBe(true);
    }
  });

  it.sequential('[S-11] 40 reads in one message run 32 hooks concurrently and queue the others; all are answered', async () => {
    const calls = Array.from({ length: 40 }, (_, n) => toolUse('Read', { file_path: stage().path(`file-${n}`) }));
    const turn = await stage().play([calls, text('done')]);
    expect(most).toBe(32);
    expect(ended).toBe(40);
    expect(turn.requests[1]?.toolResults).toHaveLength(40);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'done' });
    expect(turn.warnings.map(({ code }) => code)).toEqual(['callbacks-queued']);
  });
});
