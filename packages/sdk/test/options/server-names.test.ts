import { describe, expect, it } from 'vitest';
import { namesServer, opensServer, ruleForServer, straysInto, toolNameOf } from '../../src/options/server-names.ts';
import { host, planOf } from './host.ts';

const server = { command: 'x' };
const own = { create: () => () => undefined };

function problemsOf(...layers: object[]): string[] {
  try {
    planOf('hi', layers, host);
    return [];
  } catch (error) {
    return (error as { problems: { path: string; message: string }[] }).problems.map(
      ({ path, message }) => `${path}: ${message}`,
    );
  }
}

describe('servers whose tools the CLI cannot distinguish', () => {
  it.each<[string, object, string]>([
    ['x.y and x_y', { 'x.y': own, x_y: server }, 'mcpServers.x_y: cannot be distinguished from x.y'],
    [
      'x_y and x y, both in other processes',
      { x_y: server, 'x y': server },
      'mcpServers["x y"]: cannot be distinguished',
    ],
    ['db and db__admin', { db: own, db__admin: own }, 'mcpServers.db__admin: cannot be distinguished from db'],
    ['db__admin and db, in this order', { db__admin: own, db: server }, 'mcpServers.db: cannot be distinguished'],
    ['db and db_', { db: own, db_: server }, 'mcpServers.db_: cannot be distinguished from db'],
    [
      'names of claude.ai',
      { 'claude.ai  a': server, claude_ai_a: own },
      'mcpServers.claude_ai_a: cannot be distinguished',
    ],
  ])('[T-5] are refused: %s', (_, mcpServers, problem) => {
    expect(problemsOf({ mcpServers })).toEqual([expect.stringContaining(problem)]);
  });

  it('[T-5, O-5] are refused if they come from two layers', () => {
    expect(problemsOf({ mcpServers: { 'x.y': own } }, { mcpServers: { x_y: server } })).toHaveLength(1);
  });

  it('[T-5] are refused if a subagent defines one of them', () => {
    const agents = { scout: { description: 'd', prompt: 'p', mcpServers: ['db', { db__admin: server }] } };
    expect(problemsOf({ mcpServers: { db: own }, agents })).toEqual([
      expect.stringMatching(/^agents\.scout\.mcpServers\[1\]\.db__admin: cannot be distinguished from db/),
    ]);
  });

  it('[T-5] are refused if a subagent starts a server with the name of an in-process server', () => {
    const agents = { scout: { description: 'd', prompt: 'p', mcpServers: ['ops', { ops: server }] } };
    expect(problemsOf({ mcpServers: { ops: own }, agents })).toEqual([
      expect.stringMatching(/^agents\.scout\.mcpServers\[1\]\.ops: cannot be distinguished from ops/),
    ]);
  });

  it.each<[string, object]>([
    ['names with a common prefix', { db: server, dbx: own, db_x: own, 'db-admin': own, DB: own }],
    ['one server under the same name in two agents', { db: server }],
  ])('[T-5] do not include: %s', (_, mcpServers) => {
    const agent = { description: 'd', prompt: 'p', mcpServers: [{ db: server }] };
    expect(problemsOf({ mcpServers, agents: { a: agent, b: agent } })).toEqual([]);
  });
});

describe('a rule that also allows the tools of another server', () => {
  it.each(['mcp__db', 'mcp__db__*', 'mcp__db__adm*'])('[T-5] is refused: %s', (rule) => {
    expect(problemsOf({ mcpServers: { db__admin: server }, allowedTools: ['Read', rule] })).toEqual([
      expect.stringMatching(/^allowedTools\[1\]: .* also allows the tools of db__admin .* mcp__db__admin__\*/),
    ]);
  });

  it.each(['mcp__db__admin__*', 'mcp__db__admin__drop', 'mcp__other', 'mcp__d*', 'mcp__*', 'Bash(echo mcp__db)'])(
    '[T-5] is distinguished from a rule that does not: %s',
    (rule) => {
      expect(problemsOf({ mcpServers: { db__admin: server }, allowedTools: [rule] })).toEqual([]);
    },
  );
});

describe('a rule that denies a whole server', () => {
  it.each([
    ['a__b', 'mcp__a__b', 'mcp__a__b__*'],
    ['a_', 'mcp__a_', 'mcp__a___*'],
    ['a._b', 'mcp__a__b', 'mcp__a__b__*'],
  ])('[P-4] is refused if some releases deny nothing of the server %s: %s', (name, rule, meant) => {
    const mcpServers = { [name]: own };
    const problem = expect.stringContaining(
      `denies nothing in some releases of the CLI: for the server ${name} write ${meant}`,
    );
    expect(problemsOf({ mcpServers, disallowedTools: ['Bash', rule] })).toEqual([problem]);
    expect(problemsOf({ mcpServers, settings: { permissions: { deny: [rule] } } })).toEqual([problem]);
    expect(problemsOf({ mcpServers, disallowedTools: [meant] })).toEqual([]);
    expect(problemsOf({ mcpServers: { files: own }, disallowedTools: ['mcp__files', 'mcp__files__read'] })).toEqual([]);
  });
});

describe('the tool prefixes that the CLI derives from server names', () => {
  // Measured on 2.1.197, 2.1.290 and 2.1.325.
  it.each([
    ['x.y', 'mcp__x_y__a_b'],
    ['x y', 'mcp__x_y__a_b'],
    ['ä', 'mcp_____a_b'],
    ['e\u{1F600}', 'mcp__e____a_b'],
    ['claude.ai foo', 'mcp__claude_ai_foo__a_b'],
    ['claude.ai foo  bar', 'mcp__claude_ai_foo_bar__a_b'],
    ['plugin:a:b', 'mcp__plugin_a_b__a_b'],
    ['y_', 'mcp__y___a_b'],
  ])('[T-5] %s', (name, tool) => {
    expect(toolNameOf(name, 'a.b')).toBe(tool);
  });

  it('[T-5] are used in rules', () => {
    expect([ruleForServer('x.y'), ruleForServer('db__admin'), ruleForServer('y_')]).toEqual([
      'mcp__x_y',
      'mcp__db__admin__*',
      'mcp__y___*',
    ]);
    expect(namesServer('mcp__x_y', 'x.y') && namesServer('mcp__x_y__a', 'x.y')).toBe(true);
    expect(namesServer('mcp__x_yz', 'x.y') || namesServer('Bash(mcp__x_y)', 'x.y')).toBe(false);
    expect([opensServer('db', 'db__admin'), opensServer('db__admin', 'db')]).toEqual([true, false]);
    expect([straysInto('mcp__db', 'db'), straysInto('mcp__db', 'db__admin')]).toEqual([false, true]);
  });
});
