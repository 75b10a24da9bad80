import { describe, expect, expectTypeOf, it } from 'vitest';
import { defaultLimits } from '../../packages/sdk/src/limits.ts';
import { flagTable } from '../../packages/sdk/src/options/flag-table.ts';
import type {
  AgentOptions,
  CliOptions,
  OptionName,
  SdkOptions,
  TwoWayOptions,
} from '../../packages/sdk/src/options/option-types.ts';
import { optionChecks } from '../../packages/sdk/src/options/table.ts';
import { allLimits, allOptions, type OptionGroup, optionsOf } from '../docs/option-table.ts';

function namesOf(group: OptionGroup): string[] {
  return optionsOf(group)
    .map(({ name }) => name)
    .sort();
}

describe('the table of options', () => {
  it('[O-1] contains each option once, in one of three groups, with a description', () => {
    const rows = allOptions();
    expect(new Set(rows.map((row) => row.name)).size).toBe(rows.length);
    for (const row of rows) expect(row.doc, row.name).toMatch(/^\S.*\.$/);
    expectTypeOf<OptionName>().toEqualTypeOf<keyof CliOptions | keyof SdkOptions | keyof TwoWayOptions>();
    expectTypeOf<CliOptions & SdkOptions & TwoWayOptions>().toExtend<AgentOptions>();
  });

  it('[O-1, O-4] documents exactly the options that are checked', () => {
    const names = allOptions().map(({ name }) => name);
    expect(names.sort()).toEqual(Object.keys(optionChecks).sort());
  });

  it('[O-1] contains each limit with a description', () => {
    expect(allLimits().map(({ name }) => name)).toEqual(Object.keys(defaultLimits));
    for (const { name, doc } of allLimits()) expect(doc, name).toMatch(/^\S.*\.$/);
  });

  it('[O-1] has no option in two groups', () => {
    expectTypeOf<keyof CliOptions & keyof SdkOptions>().toBeNever();
    expectTypeOf<keyof CliOptions & keyof TwoWayOptions>().toBeNever();
    expectTypeOf<keyof SdkOptions & keyof TwoWayOptions>().toBeNever();
  });

  it('[O-2] contains every option of the CLI', () => {
    expect(namesOf('CliOptions')).toEqual(
      [
        ...['model', 'fallbackModel', 'maxTurns', 'maxBudgetUsd', 'taskBudget', 'systemPrompt', 'systemPromptFile'],
        ...['appendSystemPrompt', 'tools', 'allowedTools', 'disallowedTools', 'mcpConfigPath', 'mcpServers'],
        ...['strictMcpConfig', 'permissionMode', 'permissionPromptTool', 'allowDangerouslySkipPermissions', 'resume'],
        ...['resumeAt', 'continue', 'forkSession', 'sessionId', 'persistSession', 'cwd', 'addDirs', 'settings'],
        ...['settingSources', 'sandbox', 'plugins', 'agents', 'agent', 'outputSchema', 'includePartialMessages'],
        ...['thinking', 'maxThinkingTokens', 'effort', 'betas', 'debug', 'extraArgs'],
      ].sort(),
    );
  });

  it('[O-3] contains every option of the SDK', () => {
    expect(namesOf('SdkOptions')).toEqual(
      [
        ...['sessionStore', 'storeProject', 'storeFailure', 'storeOnly'],
        ...['cli', 'cliVersion', 'env', 'inheritEnv', 'apiKey', 'maxRetries', 'configDir', 'signal', 'timeoutMs'],
        ...[
          'idleTimeoutMs',
          'limits',
          'strictExit',
          'logger',
          'onEvent',
          'observers',
          'onWarning',
          'onStderr',
          'versionCheck',
        ],
        ...['orphanGuard', 'isolate', 'transport', 'spawn'],
      ].sort(),
    );
  });

  it('[O-1, C-6] sends every option of the CLI as a flag, except the two that are not flags', () => {
    const sent = new Set<string>(flagTable.map((row) => row.option));
    const unsent = namesOf('CliOptions').filter((name) => !sent.has(name));
    expect(unsent).toEqual(['cwd', 'extraArgs']);
  });
});
