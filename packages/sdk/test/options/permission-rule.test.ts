import { describe, expect, it } from 'vitest';
import { checkTurn } from '../../src/options/turn.ts';
import { checkQuery, host, planOf } from './host.ts';

function problemsOf(options: unknown): string[] {
  return checkQuery('hi', options).problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('permission rules', () => {
  it.each([
    'Bash',
    'Bash(git log *)',
    'Bash(rm:*)',
    'Bash(echo a,b)',
    "Bash(echo '(x)')",
    'Read(./.env)',
    'Read(//etc/**)',
    'Edit(src/(group)/**)',
    'WebFetch(domain:example.org)',
    'WebFetch(*)',
    'Bash(*)',
    'Bash(npm run test:*)',
    'Agent(Explore)',
    'Write',
    'Write(*)',
    'mcp__files',
    'mcp__files__*',
    '*',
    ' Read ',
  ])('[P-4] are accepted: %j', (rule) => {
    expect(problemsOf({ allowedTools: [rule], disallowedTools: [rule] })).toEqual([]);
    expect(planOf('hi', [{ disallowedTools: [rule] }], host).options.disallowedTools).toEqual([rule.trim()]);
  });

  // On 2.1.197 and 2.1.325 each of these denies nothing, or something other than it names.
  it.each([
    ['Bash(rm *', 'is not a permission rule'],
    ['Bash(rm *))x', 'is not a permission rule'],
    ['Bash[rm *]', 'is not a permission rule'],
    ['"Bash(rm *)"', 'is not a permission rule'],
    ['Bash (rm *)', 'is not a permission rule'],
    ['Bash rm *', 'is not a permission rule'],
    ['Read,Bash(rm *)', 'is not a permission rule'],
    ['(rm *)', 'is not a permission rule'],
    ['mcp__my.server', 'In names the CLI replaces other characters with _'],
    ['bash(rm *)', 'tools begin with a capital letter, as Bash does'],
    ['Bash()', 'has an empty pattern: write Bash'],
    ['Bash(:*)', 'has an empty pattern: write Bash'],
    ['mcp__files__read(x)', 'cannot have a pattern'],
    ["Bash(rm '(x)' *)", 'would be split by the CLI after its inner ")"'],
    ['   ', 'is not a permission rule'],
    ['BASH(rm *)', 'names no tool: the CLI writes Bash'],
    ['Webfetch', 'names no tool: the CLI writes WebFetch'],
    ['*(rm *)', 'cannot have a pattern'],
    ['Ba*(rm *)', 'cannot have a pattern'],
    ['WebFetch(example.org)', 'is not read by the CLI: write WebFetch(domain:'],
    ['WebSearch(secret*)', 'is not read by the CLI'],
    ['Read(.env:*)', 'is not read by the CLI'],
  ])('[P-4, O-4] are refused if they are invalid: %j', (rule, problem) => {
    for (const option of ['allowedTools', 'disallowedTools']) {
      expect(problemsOf({ [option]: ['Read', rule] })).toEqual([expect.stringContaining(problem)]);
    }
  });

  it('[P-4] are refused if they deny paths of Write, because the CLI compares these only with rules of Edit', () => {
    expect(problemsOf({ disallowedTools: ['Write(./.env)', 'Glob(/etc/**)'] })).toEqual([
      expect.stringContaining('disallowedTools[0]: denies nothing'),
      expect.stringContaining('Write Read(/etc/**).'),
    ]);
    expect(problemsOf({ allowedTools: ['Write(./docs/**)'] })).toEqual([]);
  });

  it.each(['Bash(rm *:*)', 'Bash(rm:* )'])('[P-4] refuses to deny %j, which matches no real command', (rule) => {
    expect(problemsOf({ disallowedTools: [rule] })).toEqual([expect.stringContaining('denies nothing: write either')]);
    expect(problemsOf({ settings: { permissions: { deny: [rule] } } })).toHaveLength(1);
    expect(problemsOf({ allowedTools: [rule] })).toEqual([]);
  });

  it('[P-4] are refused with patterns in the tools of an agent, because the CLI would allow every call', () => {
    const agent = { description: 'd', prompt: 'p', tools: ['Read', 'Bash(ls *)', 'Agent(scout)', 'mcp__files__read'] };
    expect(problemsOf({ agents: { helper: agent } })).toEqual([
      expect.stringContaining('agents.helper.tools[1]: gives the agent every call of Bash'),
    ]);
  });

  it('[P-4, O-4] are also checked in settings and agents, and a pattern may contain a parenthesis', () => {
    const agent = { description: 'd', prompt: 'p', disallowedTools: ['Bash(rm *'] };
    expect(problemsOf({ agents: { helper: agent } })).toEqual([
      expect.stringContaining('agents.helper.disallowedTools[0]: is not a permission rule'),
    ]);
    const settings = (permissions: unknown): string[] => problemsOf({ settings: { permissions } });
    expect(settings({ denied: ['Bash'] })).toEqual([
      expect.stringContaining('settings.permissions.denied: is not a known field'),
    ]);
    expect(settings({ deny: 'Bash' })).toEqual([
      expect.stringContaining('settings.permissions.deny: must be an array'),
    ]);
    expect(settings({ deny: ['Bash(rm *'] })).toEqual([expect.stringContaining('settings.permissions.deny[0]: ')]);
    expect(settings({ deny: ["Bash(rm '(x)' *)"], ask: ['Bash'], defaultMode: 'plan' })).toEqual([]);
  });

  it('[P-4] are refused as a string instead of a list', () => {
    expect(problemsOf({ allowedTools: 'Bash', disallowedTools: 'Bash(rm *)' })).toEqual([
      'allowedTools: must be an array, not a string.',
      'disallowedTools: must be an array, not a string.',
    ]);
  });
});

it('[O-9] the options of a turn are refused unless they are an object with own fields', () => {
  expect(checkTurn('hi', Object.create({ permissionMode: 'plan' })).problem?.message).toContain('a plain object');
  expect(checkTurn('hi', 'plan').problem?.message).toContain('options: must be an object, not a string');
});
