import { describe, expect, it } from 'vitest';
import { allow, deny } from '../../src/hooks/outcome.ts';
import { decodePermission } from '../../src/permissions/decode.ts';
import { permissions } from '../../src/permissions/policy.ts';
import { deniedInResult, shadowedPermissions, unwantedMode } from '../../src/permissions/shadowed.ts';
import { writeRequest } from './permission-desk.ts';

describe('a policy', () => {
  it('[P-4] is a fragment of the options', async () => {
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

  it('[P-4] leaves out what it does not say', () => {
    expect(permissions({})).toEqual({});
    expect(permissions({ allow: [], deny: ['Bash'] })).toEqual({ disallowedTools: ['Bash'] });
  });
});

describe('a canUseTool that cannot be asked', () => {
  const canUseTool = () => allow();

  it.each(['bypassPermissions', 'dontAsk', 'auto'])(
    '[P-5] because of permissionMode %s is a warning',
    (permissionMode) => {
      expect(shadowedPermissions({ canUseTool, permissionMode })).toMatchObject([
        { code: 'permissions-shadowed', context: { permissionMode } },
      ]);
    },
  );

  it('[P-5] about some tools is a warning with their names', () => {
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

  it('[P-5] is no matter where there is none, where it can be asked, and where a policy means it so', () => {
    expect(shadowedPermissions({ allowedTools: ['Read'], permissionMode: 'bypassPermissions' })).toEqual([]);
    expect(shadowedPermissions({ canUseTool })).toEqual([]);
    expect(shadowedPermissions({ canUseTool, allowedTools: ['Bash(ls)'], permissionMode: 'acceptEdits' })).toEqual([]);
    expect(shadowedPermissions(permissions({ allow: ['Read'], ask: canUseTool }))).toEqual([]);
  });
});

describe('the mode a CLI runs in', () => {
  it('[P-5] is a warning when nobody asked for it and nobody is asked in it', () => {
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
  ])('[P-5] is none when %s was asked for and it is %s', (asked, found) => {
    expect(unwantedMode(asked, found)).toBeUndefined();
  });
});

describe('denials in a result', () => {
  it('[P-5] are a warning with the tool names', () => {
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
  ])('[P-5] are none in %j', (result) => {
    expect(deniedInResult(result)).toBeUndefined();
  });
});
