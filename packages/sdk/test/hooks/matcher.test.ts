import { describe, expect, it } from 'vitest';
import { matcherCanMatch, matcherProblem, neverMatching } from '../../src/hooks/matcher.ts';

const tools = ['Task', 'Bash', 'Write', 'Edit', 'mcp__calc__add'];

describe('a matcher', () => {
  it.each([
    null,
    undefined,
    '',
    '*',
    'Bash',
    'Write|Edit',
    'Nothing|Bash',
    'Bash, Other',
    'a.h',
    'mcp__calc__.*',
    '^Ba',
  ])('[H-9] %j fits, as the CLI reads it', (matcher) => {
    expect(matcherCanMatch(matcher, tools)).toBe(true);
  });

  it.each(['bash', 'Bas', 'mcp__calc', 'Read|Glob', '^ash$', '[', 'mcp__other__.*'])(
    '[H-9] %j fits nothing, as the CLI reads it',
    (matcher) => {
      expect(matcherCanMatch(matcher, tools)).toBe(false);
    },
  );

  it('[H-9] knows the subagent tool by both its names', () => {
    expect(matcherCanMatch('Agent', tools)).toBe(true);
    expect(matcherCanMatch('Task', ['Agent'])).toBe(true);
  });

  it('[O-4] is checked before anything starts', () => {
    for (const fine of [undefined, null, '', '*', 'Bash', 'mcp__.*', 'a|b'])
      expect(matcherProblem(fine)).toBeUndefined();
    expect(matcherProblem('[')).toMatch(/^is not a valid regular expression: .+/);
    expect(matcherProblem('(?<')).toMatch(/^is not a valid regular expression/);
    expect(matcherProblem(7)).toBe('must be a string, or null for all tools.');
  });
});

describe('hooks that are never called', () => {
  it('[H-9] are named in a warning, unless their matcher is not about tools', () => {
    const hooks = [
      { id: 'hook_0', event: 'PreToolUse', matcher: 'bash' },
      { id: 'hook_1', event: 'PreToolUse', matcher: 'Bash' },
      { id: 'hook_2', event: 'SessionStart', matcher: 'clear' },
      { id: 'hook_3', event: 'PostToolUse', matcher: null },
    ];
    expect(neverMatching(hooks, tools)).toEqual([
      {
        code: 'matcher-never-matches',
        message: expect.stringContaining("'bash' of hook_0"),
        context: { hook: 'hook_0', event: 'PreToolUse', matcher: 'bash' },
      },
    ]);
  });
});
