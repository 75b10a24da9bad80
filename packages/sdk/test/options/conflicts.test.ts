import { describe, expect, it } from 'vitest';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import type { HostFacts } from '../../src/options/environment.ts';
import { checkQuery, host, planOf, rootHost } from './host.ts';

function pathsOf(options: unknown, on: HostFacts = host): string[] {
  return checkQuery('hi', options, on).problems.map((problem) => problem.path);
}

const id = '00000000-0000-4000-8000-000000000001';
const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

describe('options that cannot be combined', () => {
  it.each([
    ['systemPromptFile', { systemPrompt: 'x', systemPromptFile: '/x' }],
    ['maxThinkingTokens', { thinking: { type: 'adaptive' }, maxThinkingTokens: 0 }],
    ['forkSession', { forkSession: true }],
    ['forkSession', { forkSession: true, continue: false }],
    ['resumeAt', { resumeAt: id }],
    ['resumeAt', { resumeAt: id, continue: true }],
    ['sessionId', { sessionId: id, resume: id }],
    ['sessionId', { sessionId: id, continue: true }],
    ['sandbox', { sandbox: {}, settings: '/settings.json' }],
    ['permissionMode', { permissionMode: 'bypassPermissions' }],
    ['settings.permissions.defaultMode', { settings: { permissions: { defaultMode: 'bypassPermissions' } } }],
    [
      'agents.helper.permissionMode',
      { agents: { helper: { description: 'd', prompt: 'p', permissionMode: 'bypassPermissions' } } },
    ],
  ])('[O-6] refuses %s in %j', (path, options) => {
    expect(pathsOf(options)).toEqual([path]);
  });

  it.each([
    { systemPrompt: 'x', appendSystemPrompt: 'y' },
    { allowedTools: ['Read'], disallowedTools: ['Read'] },
    { forkSession: true, continue: true },
    { forkSession: true, resume: id, sessionId: id, resumeAt: id },
    { forkSession: false },
    { sandbox: {}, settings: {} },
    bypass,
  ])('[O-6] accepts %j', (options) => {
    expect(checkQuery('hi', options, host)).toEqual({ problems: [], warnings: [] });
  });

  it.each([
    ['env.CLAUDE_CODE_SIMPLE', { env: { CLAUDE_CODE_SIMPLE: 'true' } }],
    ['settings.env.CLAUDE_CODE_SIMPLE', { settings: { env: { CLAUDE_CODE_SIMPLE: 1 } } }],
    ['extraArgs.bare', { extraArgs: { bare: true } }],
  ])('[O-6, H-1] refuses %s together with hooks, which the CLI would not call', (path, options) => {
    const hooks = { PreToolUse: () => undefined };
    expect(pathsOf({ ...options, hooks })).toEqual([path]);
    expect(pathsOf(options)).toEqual([]);
    expect(pathsOf({ hooks, env: { CLAUDE_CODE_SIMPLE: '0' }, extraArgs: { bare: false } })).toEqual([]);
  });

  it('[O-6] does not report a conflict with an option that is itself invalid', () => {
    expect(pathsOf({ resume: 5, forkSession: true, resumeAt: id })).toEqual(['resume']);
  });

  it('[O-6] refuses to skip permissions as root, like the CLI', () => {
    expect(pathsOf(bypass, rootHost)).toEqual(['permissionMode']);
    expect(pathsOf({ allowDangerouslySkipPermissions: true }, rootHost)).toEqual(['allowDangerouslySkipPermissions']);
    expect(pathsOf({ permissionMode: 'plan' }, rootHost)).toEqual([]);
  });

  it('[O-6] allows skipping permissions as root in a sandbox, like the CLI', () => {
    const sandboxed = { ...rootHost, env: { IS_SANDBOX: '1' } };
    expect(pathsOf(bypass, sandboxed)).toEqual([]);
    expect(pathsOf({ ...bypass, env: { IS_SANDBOX: '1' } }, rootHost)).toEqual([]);
    expect(pathsOf({ ...bypass, env: { CLAUDE_CODE_BUBBLEWRAP: '1' }, inheritEnv: false }, rootHost)).toEqual([]);
    expect(pathsOf({ ...bypass, env: { IS_SANDBOX: 'true' } }, rootHost)).toEqual(['permissionMode']);
    expect(pathsOf({ ...bypass, env: { IS_SANDBOX: undefined } }, sandboxed)).toEqual(['permissionMode']);
    expect(pathsOf({ ...bypass, inheritEnv: false }, sandboxed)).toEqual(['permissionMode']);
    expect(pathsOf({ ...bypass, inheritEnv: [5] }, sandboxed)).toEqual(['inheritEnv[0]', 'permissionMode']);
  });

  it('[O-6] does not check for root if the caller starts the CLI, possibly as another user', () => {
    expect(pathsOf({ ...bypass, transport: () => {} }, rootHost)).toEqual([]);
    expect(pathsOf({ ...bypass, spawn: () => {} }, rootHost)).toEqual([]);
  });
});

describe('options that are probably not combined on purpose', () => {
  it('[O-6] ignores continue together with resume, with a warning', () => {
    const resolved = planOf('hi', [{ resume: id, continue: true }], host);
    expect(resolved.options).toMatchObject({ resume: id });
    expect(resolved.options).not.toHaveProperty('continue');
    expect(resolved.warnings).toEqual([
      { code: 'option-ignored', message: expect.any(String), context: { option: 'continue', because: 'resume' } },
    ]);
  });

  it('[O-6] warns if the fallback is the model itself', () => {
    const codes = (options: object): string[] =>
      checkQuery('hi', options, host).warnings.map((warning) => warning.code);
    expect(codes({ model: 'opus', fallbackModel: 'opus' })).toEqual(['fallback-equals-model']);
    expect(codes({ model: 'opus', fallbackModel: 'sonnet, opus' })).toEqual(['fallback-equals-model']);
    expect(codes({ model: 'opus', fallbackModel: 'sonnet' })).toEqual([]);
    expect(codes({ fallbackModel: 'sonnet' })).toEqual([]);
  });

  it('[O-6] warns about options that have no effect together with another one', () => {
    const ignored = (options: object): unknown[] =>
      checkQuery('hi', options, host).warnings.map((warning) => warning.context.option);
    expect(ignored({ cliVersion: PINNED_VERSION, cli: '/usr/bin/claude' })).toEqual(['cliVersion']);
    expect(ignored({ cliVersion: PINNED_VERSION, cli: 'pinned' })).toEqual([]);
    expect(ignored({ transport: () => {}, spawn: () => {} })).toEqual(['spawn']);
  });
});
