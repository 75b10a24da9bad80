import { describe, expect, it } from 'vitest';
import { unknownTools } from '../../src/options/unknown-tools.ts';

const listed = {
  tools: ['Task', 'Bash', 'Read', 'Write', 'NewTool', 'mcp__calc__add'],
  mcpServers: [{ name: 'calc' }, { name: 'slow one' }],
};

describe('a rule for a tool that does not exist', () => {
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
  ])('[P-5] causes a warning in allowedTools: %s', (rule, meant) => {
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
  ])('[P-5] causes no warning if the tool exists, may still appear, or belongs to another release: %j', (rule) => {
    expect(unknownTools({ allowedTools: [rule] }, listed)).toEqual([]);
  });

  it('[P-5] causes a warning in disallowedTools only if it resembles a tool, because the CLI does not list denied tools', () => {
    const disallowedTools = ['bash', 'WebFetch', 'SomethingElse', 'mcp__other', 'Wriet(./.env)'];
    expect(unknownTools({ disallowedTools }, listed)).toMatchObject([
      { message: 'disallowedTools names bash, but the CLI lists no such tool. Did you mean Bash?' },
      { message: 'disallowedTools names Wriet, but the CLI lists no such tool. Did you mean Write?' },
    ]);
  });

  it('[P-5] causes no warning if the CLI lists no tools', () => {
    expect(unknownTools({ allowedTools: ['Nonsense'] }, { tools: [], mcpServers: [] })).toEqual([]);
  });
});
