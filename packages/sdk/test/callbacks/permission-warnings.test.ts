import { describe, expect, it } from 'vitest';
import { allow, deny } from '../../src/callbacks/decisions.ts';
import { decodePermission } from '../../src/callbacks/permission-codec.ts';
import { deniedInResult, shadowedPermissions, unwantedMode } from '../../src/callbacks/permission-warnings.ts';
import { OptionsError } from '../../src/errors/options.ts';
import { permissions } from '../../src/options/permission-policy.ts';
import { writeRequest } from './permission-dispatcher.ts';

describe('permissions()', () => {
  it('[P-4] converts a policy into options', async () => {
    const context = { sessionId: 's', toolUseId: 't', signal: new AbortController().signal };
    const decoded = decodePermission('x', writeRequest);
    const fragment = permissions({
      allow: ['Read', 'Bash(git log *)'],
      deny: ['Bash(rm *)'],
      ask: async (request, given) => (given === context ? deny(request.toolName) : allow()),
    });
    expect(fragment).toEqual({
      allowedTools: ['Read', 'Bash(git log *)'],
      disallowedTools: ['Bash(rm *)'],
      canUseTool: expect.any(Function),
    });
    expect(decoded.ok && (await fragment.canUseTool?.(decoded.request, context))).toEqual(deny('Write'));
  });

  it('[P-4] omits the options of missing parts', () => {
    expect(permissions({})).toEqual({});
    expect(permissions({ allow: [], deny: ['Bash'] })).toEqual({ disallowedTools: ['Bash'] });
  });

  it.each([
    ['a misspelt list', { allow: ['Bash'], denied: ['Bash(rm *)'] }, 'permissions.denied: is not a known field'],
    ['a string instead of a list', { deny: 'Bash(rm *)' }, 'permissions.deny: must be an array, not a string'],
    ['null', { deny: null }, 'permissions.deny: must be an array, not null'],
    ['a number', { deny: [1] }, 'permissions.deny[0]: must be a string'],
    ['an incomplete rule', { deny: ['Read', 'Bash(rm *'] }, 'permissions.deny[1]: is not a permission rule'],
    ['an answer instead of a callback', { ask: { decision: 'deny' } }, 'permissions.ask: must be a function'],
    ['inherited lists', Object.create({ deny: ['Bash'] }), 'permissions: must be a plain object'],
    ['nothing', undefined, 'permissions: must be an object'],
  ])('[P-4] refuses %s in a policy from JSON, because it would deny nothing', (_, policy, problem) => {
    expect(() => permissions(policy as never)).toThrow(OptionsError);
    expect(() => permissions(policy as never)).toThrow(problem);
  });
});

describe('a canUseTool that the CLI does not call', () => {
  const canUseTool = () => allow();

  it.each(['bypassPermissions', 'dontAsk', 'auto'])(
    '[P-5] because of permissionMode %s causes a warning',
    (permissionMode) => {
      expect(shadowedPermissions({ canUseTool, permissionMode })).toMatchObject([
        { code: 'permissions-shadowed', context: { permissionMode } },
      ]);
    },
  );

  it('[P-5] because of the permissionMode of an agent causes a warning with its name', () => {
    const agent = { description: 'd', prompt: 'p' };
    const agents = { careful: { ...agent, permissionMode: 'plan' }, free: { ...agent, permissionMode: 'auto' } };
    expect(shadowedPermissions({ canUseTool, agents })).toMatchObject([
      { code: 'permissions-shadowed', context: { permissionMode: 'auto', agent: 'free' } },
    ]);
    expect(shadowedPermissions({ agents })).toEqual([]);
  });

  it('[P-5] for some tools causes a warning with their names', () => {
    const allowedTools = [
      'Read',
      'Bash(git log *)',
      'Write(*)',
      'mcp__files',
      'mcp__files__*',
      'Edit(src/**)',
      'Bash(:*)',
    ];
    expect(shadowedPermissions({ canUseTool, allowedTools })).toMatchObject([
      {
        code: 'permissions-shadowed',
        context: { tools: ['Read', 'Write(*)', 'mcp__files', 'mcp__files__*', 'Bash(:*)'] },
      },
    ]);
  });

  it('[P-5] causes no warning if it is missing, if it can be called, or if a policy intends it', () => {
    expect(shadowedPermissions({ allowedTools: ['Read'], permissionMode: 'bypassPermissions' })).toEqual([]);
    expect(shadowedPermissions({ canUseTool })).toEqual([]);
    expect(shadowedPermissions({ canUseTool, allowedTools: ['Bash(ls)'], permissionMode: 'acceptEdits' })).toEqual([]);
    expect(shadowedPermissions(permissions({ allow: ['Read'], ask: canUseTool }))).toEqual([]);
  });
});

describe('the permission mode of the CLI', () => {
  it('[P-5] causes a warning if it was not requested and canUseTool may not be called in it', () => {
    expect(unwantedMode('default', 'auto')).toMatchObject({
      code: 'permissions-shadowed',
      context: { permissionMode: 'auto', asked: 'default' },
    });
    expect(unwantedMode('plan', 'acceptEdits')).toBeDefined();
  });

  it.each([
    ['default', 'default'],
    ['auto', 'auto'],
    ['acceptEdits', 'default'],
    ['bypassPermissions', 'plan'],
    [undefined, 'auto'],
  ])('[P-5] causes no warning if %s was requested and it is %s', (asked, found) => {
    expect(unwantedMode(asked, found)).toBeUndefined();
  });
});

describe('the denials of a result', () => {
  it('[P-5] cause a warning with the tool names', () => {
    const result = {
      permission_denials: [
        { tool_name: 'Write', tool_use_id: '1', tool_input: {} },
        { tool_name: 'Bash', tool_use_id: '2', tool_input: {} },
        { tool_name: 'Write', tool_use_id: '3', tool_input: {} },
      ],
    };
    expect(deniedInResult(result)).toMatchObject({
      code: 'permission-denied',
      message: expect.stringContaining('Write, Bash'),
      context: { tools: ['Write', 'Bash'], count: 3 },
    });
  });

  it.each([
    undefined,
    null,
    'x',
    {},
    { permission_denials: [] },
    { permission_denials: 'x' },
    { permission_denials: [null, {}] },
  ])('[P-5] cause no warning in %j', (result) => {
    expect(deniedInResult(result)).toBeUndefined();
  });
});
