import { describe, expect, it } from 'vitest';
import { comparedField } from '../../src/callbacks/abilities.ts';
import { matcherCanMatch, matcherProblem, neverMatching } from '../../src/callbacks/matcher.ts';

const tools = ['Task', 'Bash', 'Write', 'Edit', 'mcp__calc__add'];

describe('a matcher', () => {
  it.each([null, '', '*', 'Bash', 'Write|Edit', 'Nothing|Bash', 'Bash, Other', 'a.h', 'mcp__calc__.*', '^Ba'])(
    '[H-9] %j matches a tool of the session, by the rules of the CLI',
    (matcher) => {
      expect(matcherCanMatch(matcher, tools)).toBe(true);
    },
  );

  it.each(['bash', 'Bas', 'mcp__calc', 'Read|Glob', '^ash$', 'mcp__other__.*'])(
    '[H-9] %j matches no tool of the session, by the rules of the CLI',
    (matcher) => {
      expect(matcherCanMatch(matcher, tools)).toBe(false);
    },
  );

  it('[H-9] matches the subagent tool by both of its names', () => {
    expect(matcherCanMatch('Agent', tools)).toBe(true);
    expect(matcherCanMatch('Task', ['Agent'])).toBe(true);
  });

  it('[O-4] is validated before the start', () => {
    for (const fine of ['', '*', 'Bash', 'mcp__.*', 'a|b']) expect(matcherProblem(fine)).toBeUndefined();
    expect(matcherProblem('[')).toMatch(/^is not a valid regular expression: .+/);
    expect(matcherProblem('(?<')).toMatch(/^is not a valid regular expression/);
  });
});

it.each([
  ['PermissionRequest', 'tool_name'],
  ['SessionStart', 'source'],
  ['Stop', null],
  ['MoonRose', undefined],
])('[H-9] the matcher of %s is compared with %s', (event, field) => {
  expect(comparedField(event)).toBe(field);
});

describe('a hook that is never called', () => {
  it('[H-9] causes a warning, unless its matcher does not refer to tool names', () => {
    const hooks = [
      { id: 'hook_0', event: 'PreToolUse', matcher: 'bash' },
      { id: 'hook_1', event: 'PreToolUse', matcher: 'Bash' },
      { id: 'hook_2', event: 'SessionStart', matcher: 'clear' },
      { id: 'hook_3', event: 'PostToolUse', matcher: null },
      { id: 'hook_4', event: 'PostToolBatch', matcher: 'bash' },
    ];
    expect(neverMatching(hooks, tools)).toEqual([
      {
        code: 'matcher-never-matches',
        message: 'The matcher "bash" of PreToolUse matches no tool of this session, so hook_0 is never called.',
        context: { hook: 'hook_0', event: 'PreToolUse', matcher: 'bash' },
      },
    ]);
  });
});
