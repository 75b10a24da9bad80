import { describe, expect, it } from 'vitest';
import type { OptionProblem } from '../../src/errors/options.ts';
import { checkPolicy, defaultPolicy } from '../../src/restart/policy.ts';

describe('a restart policy', () => {
  it('[A-2] has defaults for everything, and keeps the given values', () => {
    const problems: OptionProblem[] = [];
    const check = (policy: object) => checkPolicy(policy, (problem) => problems.push(problem));
    expect(check({})).toEqual(defaultPolicy);
    expect(check({ maxRestarts: 9, delayMs: undefined, rateLimit: { maxPauseMs: 1 } })).toEqual({
      ...defaultPolicy,
      restart: { ...defaultPolicy.restart, maxRestarts: 9 },
      rateLimit: { ...defaultPolicy.rateLimit, maxPauseMs: 1 },
    });
    expect(check({ rateLimit: false }).rateLimit).toBeUndefined();
    const replay = (): boolean => true;
    expect(check({ replay }).replay).toBe(replay);
    expect(problems).toEqual([]);
  });

  it.each([
    ['a misspelt name', { maxRestart: 1 }, 'restart.maxRestart', /maxRestarts/],
    ['a negative number', { delayMs: -1 }, 'restart.delayMs', /whole number/],
    ['a jitter above 1', { jitter: 2 }, 'restart.jitter', /from 0 to 1/],
    ['an unknown word', { replay: 'always' }, 'restart.replay', /'unanswered'/],
    [
      'a pause too long for a timer',
      { rateLimit: { maxPauseMs: 2 ** 31 } },
      'restart.rateLimit.maxPauseMs',
      /whole number/,
    ],
    ['a value other than an object', 3, 'restart', /object/],
  ] as const)('[A-2, O-4] is refused if it is invalid: %s', (_, policy, path, message) => {
    const problems: OptionProblem[] = [];
    checkPolicy(policy as never, (problem) => problems.push(problem));
    expect(problems).toEqual([{ path, message: expect.stringMatching(message) }]);
  });
});
