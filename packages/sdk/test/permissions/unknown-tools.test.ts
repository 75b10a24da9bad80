import { describe, expect, it } from 'vitest';
import { unknownTools } from '../../src/permissions/unknown-tools.ts';

const listed = {
  tools: ['Task', 'Bash', 'Read', 'Write', 'NewTool', 'mcp__calc__add'],
  mcpServers: [{ name: 'calc' }, { name: 'slow one' }],
};

describe('rules for tools that do not exist', () => {
  it.each([
    ['bash', 'Bash'],
    ['Wirte(./src/**)', 'Write'],
    ['NewTol', 'NewTool'],
    ['Nonsense', undefined],
    ['mcp__clac__add', 'mcp__calc__add'],
    ['mcp__calc__ad', 'mcp__calc__add'],
    ['mcp__calc__average', undefined],
    ['mcp__other', undefined],
    ['mcp__other__*', undefined],
  ])('[P-5] allowedTools with %s is a warning', (rule, meant) => {
    const context = { option: 'allowedTools', rule, ...(meant ? { meant } : {}) };
    expect(unknownTools({ allowedTools: ['Read', rule] }, listed)).toEqual([
      { code: 'unknown-tool', message: expect.stringContaining(meant ?? 'no such tool'), context },
    ]);
  });

  it.each([
    ...['Bash', 'Bash(git log *)', 'Agent(reviewer)', 'Skill(notes)', 'NewTool', 'Grep', 'TodoWrite', 'Read,Write', ''],
    ...[
      'mcp__calc',
      'mcp__calc__*',
      'mcp__calc__add',
      'mcp__*',
      'mcp__slow_one',
      'mcp__slow_one__any',
      'mcp__slow_one__*',
    ],
  ])('[P-5] allowedTools with %j is none: the tool is there, may come, or is another release\u2019s', (rule) => {
    expect(unknownTools({ allowedTools: [rule] }, listed)).toEqual([]);
  });

  it('[P-5] disallowedTools is one only where a name was meant: what is denied is not listed', () => {
    const disallowedTools = ['bash', 'WebFetch', 'SomethingElse', 'mcp__other', 'Wriet(./.env)'];
    expect(unknownTools({ disallowedTools }, listed)).toMatchObject([
      { message: 'disallowedTools names bash, and the CLI has listed no such tool. Did you mean Bash?' },
      { message: 'disallowedTools names Wriet, and the CLI has listed no such tool. Did you mean Write?' },
    ]);
  });

  it('[P-5] nothing is said of a CLI that lists nothing', () => {
    expect(unknownTools({ allowedTools: ['Nonsense'] }, { tools: [], mcpServers: [] })).toEqual([]);
  });
});
