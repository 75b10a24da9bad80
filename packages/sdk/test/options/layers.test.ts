import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../src/limits.ts';
import { environmentLayer, environmentTable } from '../../src/options/environment.ts';
import { layer, mergedByKey } from '../../src/options/layers.ts';
import { checkQuery, host, planOf } from './host.ts';

describe('layers of options', () => {
  it('[O-5] have the precedence turn, session, client, environment, defaults', () => {
    const on = { ...host, env: { COXSWAIN_MODEL: 'env', COXSWAIN_TIMEOUT_MS: '1', COXSWAIN_IDLE_TIMEOUT_MS: '7' } };
    const turn = { model: 'turn' };
    const session = { model: 'session', maxTurns: 2 };
    const client = { model: 'client', maxTurns: 3, effort: 'low', timeoutMs: 5 };
    const { options, limits } = planOf('hi', [turn, session, client], on);
    expect(options).toMatchObject({
      ...{ model: 'turn', maxTurns: 2, effort: 'low', timeoutMs: 5, idleTimeoutMs: 7 },
    });
    expect(limits).toEqual(defaultLimits);
    expect(planOf('hi', [], on).options).toMatchObject({ model: 'env', timeoutMs: 1 });
  });

  it('[O-5] treat undefined as missing', () => {
    expect(layer({ model: undefined }, { model: 'x' })).toEqual({ model: 'x' });
    expect(layer({ limits: { graceMs: undefined } }, { limits: { graceMs: 5 } })).toEqual({ limits: { graceMs: 5 } });
  });

  it('[O-5] merge env, mcpServers, hooks, agents, limits and extraArgs by key', () => {
    const a = { command: 'a' };
    const b = { command: 'b', args: ['x'] };
    expect(layer({ mcpServers: { one: a } }, { mcpServers: { one: b, two: b } })).toEqual({
      mcpServers: { one: a, two: b },
    });
    expect(layer({ limits: { graceMs: 1 } }, { limits: { graceMs: 2, termMs: 3 } })).toEqual({
      limits: { graceMs: 1, termMs: 3 },
    });
    expect(layer({ extraArgs: { a: false } }, { extraArgs: { a: 'x', b: null } })).toEqual({
      extraArgs: { a: false, b: null },
    });
    expect(layer({ agents: { x: 1 } }, { agents: { y: 2 } })).toEqual({ agents: { x: 1, y: 2 } });
    expect(layer({ hooks: { Stop: 1 } }, { hooks: { Stop: 2, PreToolUse: 3 } })).toEqual({
      hooks: { Stop: 1, PreToolUse: 3 },
    });
  });

  it('[O-5, C-9] remove a variable of a lower layer with undefined in env', () => {
    const merged = layer({ env: { A: undefined, B: 'b' } }, { env: { A: 'a', C: 'c' } });
    expect(Object.entries(merged.env ?? {})).toEqual(
      expect.arrayContaining([
        ['A', undefined],
        ['B', 'b'],
        ['C', 'c'],
      ]),
    );
  });

  it('[O-5] replace lists and other objects as a whole', () => {
    expect(layer({ tools: [] }, { tools: ['Read'] })).toEqual({ tools: [] });
    expect(layer({ settings: { a: 1 } }, { settings: { b: 2 } })).toEqual({ settings: { a: 1 } });
  });

  it('[O-5] remove an alternative option from lower layers', () => {
    const client = { systemPrompt: 'x', maxThinkingTokens: 5 };
    const { options } = planOf('hi', [{ systemPromptFile: '/p', thinking: { type: 'adaptive' } }, client], host);
    expect(options).toMatchObject({ systemPromptFile: '/p', thinking: { type: 'adaptive' } });
    expect(options).not.toHaveProperty('systemPrompt');
    expect(options).not.toHaveProperty('maxThinkingTokens');
  });

  it('[O-5] read only certain variables, and treat empty ones as unset', () => {
    expect(environmentLayer({ COXSWAIN_MODEL: '', COXSWAIN_TIMEOUT_MS: '250', COXSWAIN_OTHER: 'x' })).toEqual({
      timeoutMs: 250,
    });
    expect(
      environmentLayer({
        ...{ COXSWAIN_MODEL: 'opus', COXSWAIN_MAX_BUDGET_USD: '0.5', COXSWAIN_IDLE_TIMEOUT_MS: '7' },
        COXSWAIN_DEBUG: 'api,hooks',
      }),
    ).toEqual({ model: 'opus', maxBudgetUsd: 0.5, idleTimeoutMs: 7, debug: 'api,hooks' });
    expect(environmentLayer({ COXSWAIN_DEBUG: '1' })).toEqual({ debug: true });
    expect(environmentLayer({ COXSWAIN_DEBUG: 'false' })).toEqual({ debug: false });
  });

  it('[O-4, O-5] report an invalid variable by its name', () => {
    const on = { ...host, env: { COXSWAIN_TIMEOUT_MS: 'soon', COXSWAIN_MAX_BUDGET_USD: '-1' } };
    expect(checkQuery('hi', {}, on).problems).toEqual([
      { path: 'COXSWAIN_MAX_BUDGET_USD', message: 'must be a number above 0, not a string.' },
      { path: 'COXSWAIN_TIMEOUT_MS', message: 'must be a whole number from 1 to 2147483647, not a string.' },
    ]);
    expect(checkQuery('hi', {}, { ...host, env: { COXSWAIN_TIMEOUT_MS: '0.5' } }).problems).toMatchObject([
      { path: 'COXSWAIN_TIMEOUT_MS' },
    ]);
  });

  it('[O-5] are documented: every variable and every option that is merged by key', () => {
    const guide = readFileSync(new URL('../../../../docs/guides/configuration.md', import.meta.url), 'utf8');
    for (const { name, option } of environmentTable) {
      expect(guide).toContain(`| \`${name}\` | \`${option}\` |`);
    }
    expect(guide.match(/^\| `COXSWAIN_\w+` \|/gm)).toHaveLength(environmentTable.length + 1);
    for (const option of mergedByKey) expect(guide).toMatch(new RegExp(`^\\| \`${option}\` \\|`, 'm'));
  });
});

describe('guards of a lower layer', () => {
  const guard = (): undefined => undefined;
  const other = (): undefined => undefined;
  const warningsOf = (...layers: object[]): unknown[] => planOf('hi', layers, host).warnings.slice();

  it('[O-5] cause a warning if a hook of the same event replaces them', () => {
    const client = { hooks: { PreToolUse: { matcher: 'Bash', run: guard }, PostToolUse: guard } };
    expect(warningsOf({ hooks: { PreToolUse: other, PostToolUse: other } }, client)).toEqual([
      {
        code: 'guard-replaced',
        message: expect.stringMatching(
          /^hooks.PreToolUse replaces .* 1 of them will not run\. Pass all of them in one list\.$/,
        ),
        context: { option: 'hooks.PreToolUse', lost: 1 },
      },
    ]);
    expect(warningsOf({ hooks: { PreToolUse: [] } }, client)).toHaveLength(1);
    expect(
      warningsOf({ hooks: { UserPromptSubmit: other } }, client, { hooks: { UserPromptSubmit: guard } }),
    ).toHaveLength(1);
  });

  it('[O-5] cause a warning if a list of rules replaces them', () => {
    const client = { disallowedTools: ['Bash', 'Read(.env)'] };
    expect(warningsOf({ disallowedTools: ['Bash', 'Write'] }, client)).toMatchObject([
      { code: 'guard-replaced', context: { option: 'disallowedTools', rules: ['Read(.env)'] } },
    ]);
  });

  it('[O-5] cause a warning if settings without their rules replace them', () => {
    const client = { settings: { permissions: { deny: ['Bash(rm *)', 'WebFetch'] } } };
    const lost = (rules: string[]): object => ({
      code: 'guard-replaced',
      context: { option: 'settings.permissions.deny', rules },
    });
    expect(warningsOf({ settings: { env: {} } }, client)).toMatchObject([lost(['Bash(rm *)', 'WebFetch'])]);
    expect(warningsOf({ settings: '/settings.json' }, client)).toMatchObject([lost(['Bash(rm *)', 'WebFetch'])]);
    const some = { settings: { permissions: { deny: ['WebFetch'] } } };
    expect(warningsOf(some, client)).toMatchObject([lost(['Bash(rm *)'])]);
    expect(warningsOf({ model: 'm' }, client)).toEqual([]);
  });

  it('[O-5] cause no warning if they are kept', () => {
    const client = { hooks: { PreToolUse: { run: guard }, Stop: guard }, disallowedTools: ['Bash'] };
    expect(warningsOf({ hooks: { PreToolUse: [guard, other] }, disallowedTools: ['Write', 'Bash'] }, client)).toEqual(
      [],
    );
    expect(warningsOf({ hooks: { Stop: other } }, client)).toEqual([]);
    expect(warningsOf({ hooks: { PreToolUse: undefined } }, client)).toEqual([]);
    expect(warningsOf({}, client)).toEqual([]);
  });
});
