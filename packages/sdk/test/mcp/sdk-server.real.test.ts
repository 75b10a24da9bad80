import { describe, expect, it } from 'vitest';
import { toolServer } from '../../src/mcp/tool-server.ts';
import { autoAllowed, isSdkServer } from '../../src/options/sdk-server.ts';
import { toolNameOf } from '../../src/options/server-names.ts';
import { ownServer, v1Server, v2Server } from './calculators.ts';

describe('isSdkServer', () => {
  it.each<[string, unknown]>([
    ['an McpServer of MCP SDK 1', v1Server()],
    ['a Server of MCP SDK 1', v1Server().server],
    ['an McpServer of MCP SDK 2', v2Server()],
    ['a Server of MCP SDK 2', v2Server().server],
    ['toolServer()', ownServer()],
    ['a factory', { create: () => v2Server() }],
    ['a raw handler', () => undefined],
  ])('[T-1] is true for %s', (_what, value) => {
    expect(isSdkServer(value)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a stdio configuration', { command: 'npx', args: ['server'] }],
    ['an http configuration', { type: 'http', url: 'https://example.org/mcp' }],
    ['an sse configuration', { type: 'sse', url: 'https://example.org/mcp' }],
    ['a connect other than a function', { connect: 'https://example.org/mcp' }],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'npx server'],
  ])('[T-1] is false for %s', (_what, value) => {
    expect(isSdkServer(value)).toBe(false);
  });
});

describe('autoAllowed', () => {
  it('[T-4] allows the tools of all in-process servers, and no others', () => {
    const servers = {
      calc: ownServer(),
      'made-2': { create: () => v2Server() },
      bare: v1Server(),
      raw: () => undefined,
      files: { command: 'npx', args: ['files'] },
      web: { type: 'http', url: 'https://example.org/mcp' },
    };
    expect(autoAllowed(servers)).toEqual(['mcp__calc', 'mcp__made-2', 'mcp__bare', 'mcp__raw']);
  });

  it('[T-4] excludes servers with autoAllow: false', () => {
    const guarded = toolServer({ name: 'guarded', tools: [], autoAllow: false });
    const open = toolServer({ name: 'open', tools: [] });
    expect([guarded.autoAllow, open.autoAllow]).toEqual([false, true]);
    expect(autoAllowed({ guarded, open, made: { create: () => v2Server(), autoAllow: false } })).toEqual(['mcp__open']);
  });

  // Names and rules as in 2.1.197 and 2.1.325.
  it.each([
    ['my calc.v1', 'mcp__my_calc_v1'],
    ['rechnén', 'mcp__rechn_n'],
    ['_calc', 'mcp___calc'],
    ['a__b', 'mcp__a__b__*'],
    ['a. b', 'mcp__a__b__*'],
    ['calc_', 'mcp__calc___*'],
  ])('[T-4] writes the rule for %s in the syntax of the CLI: %s', (name, rule) => {
    expect(autoAllowed({ [name]: ownServer() })).toEqual([rule]);
  });
});

describe('toolNameOf', () => {
  it('returns the name that the CLI uses for a tool', () => {
    expect(toolNameOf('my calc.v1', 'add.it')).toBe('mcp__my_calc_v1__add_it');
  });
});
