import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { officialHint } from '../../src/options/names.ts';
import { optionChecks } from '../../src/options/table.ts';
import { checkTurn } from '../../src/options/turn.ts';
import { checkQuery } from './host.ts';

/** Every option that the types of the official SDK have. */
const OFFICIAL = [
  ...['abortController', 'additionalDirectories', 'projectConfigRoot', 'agent', 'agents', 'allowedTools'],
  ...['disallowedTools', 'tools', 'toolAliases', 'toolConfig', 'canUseTool', 'permissionPromptToolName'],
  ...['permissionPrompts', 'permissionMode', 'allowDangerouslySkipPermissions', 'planModeInstructions', 'continue'],
  ...['resume', 'resumeSessionAt', 'resumeDropsTurn', 'forkSession', 'sessionId', 'persistSession', 'sessionStore'],
  ...['sessionStoreFlush', 'loadTimeoutMs', 'cwd', 'env', 'executable', 'executableArgs', 'extraArgs'],
  ...['pathToClaudeCodeExecutable', 'spawnClaudeCodeProcess', 'model', 'fallbackModel', 'betas', 'thinking'],
  ...['maxThinkingTokens', 'effort', 'maxTurns', 'maxBudgetUsd', 'taskBudget', 'mcpServers', 'strictMcpConfig'],
  ...['outputFormat', 'hooks', 'onElicitation', 'onUserDialog', 'supportedDialogKinds', 'perTaskStopAffordance'],
  ...['includeHookEvents', 'includePartialMessages', 'forwardSubagentText', 'promptSuggestions'],
  ...['agentProgressSummaries', 'verbatimPrompts', 'plugins', 'pluginDelivery', 'sandbox', 'settings'],
  ...['managedSettings', 'settingSources', 'skills', 'systemPrompt', 'title', 'enableFileCheckpointing', 'debug'],
  ...['debugFile', 'stderr'],
];

const migration = readFileSync(new URL('../../../../docs/migration.md', import.meta.url), 'utf8');

describe('a value that a newer CLI may extend', () => {
  it.each([
    ['permissionMode', 'acceptEdit', 'acceptEdits'],
    ['effort', 'hihg', 'high'],
  ])('[O-4] %s: refuses a misspelling (%s), but not another word', (option, misspelt, meant) => {
    expect(checkQuery('hi', { [option]: misspelt }).problems).toEqual([
      { path: option, message: `is unknown. Did you mean '${meant}'?` },
    ]);
    expect(checkQuery('hi', { [option]: meant }).problems).toEqual([]);
    expect(checkQuery('hi', { [option]: 'something-newer' }).problems).toEqual([]);
  });
});

describe('options of the official SDK', () => {
  it('[O-4] a renamed option is refused with its name here', () => {
    const { problems } = checkQuery('hi', { abortController: new AbortController(), sessionStoreFlush: 'eager' });
    expect(problems).toEqual([
      {
        path: 'abortController',
        message: 'is an option of the official SDK; here it is signal: pass controller.signal.',
      },
      {
        path: 'sessionStoreFlush',
        message: 'is an option of the official SDK; there is no equivalent here, so leave it out.',
      },
    ]);
    const systemPrompt: unknown = { type: 'preset', preset: 'claude_code', append: 'Be brief.' };
    expect(checkQuery('hi', { systemPrompt }).problems).toMatchObject([
      { path: 'systemPrompt', message: expect.stringContaining('pass additional text as appendSystemPrompt') },
    ]);
    const tools: unknown = { type: 'preset', preset: 'claude_code' };
    expect(checkQuery('hi', { tools, taskBudget: { total: 1_000 } as unknown }).problems).toMatchObject([
      { path: 'tools', message: expect.stringContaining('leave this out') },
      { path: 'taskBudget', message: expect.stringContaining('here it is the number itself') },
    ]);
    expect(checkTurn('hi', { abortController: new AbortController() }).problem?.message).toContain('here it is signal');
  });

  it.each(OFFICIAL)(
    '[O-4] %s is an option of this SDK or has a hint that names one, and the migration page lists it',
    (name) => {
      const hint = officialHint(name);
      expect(hint === undefined).toBe(Object.hasOwn(optionChecks, name));
      expect(migration).toContain(`\`${name}\``);
      const named = hint?.match(/here it is (session\.)?(\w+)/)?.slice(1);
      if (named?.[1] && !named[0]) expect(Object.keys(optionChecks)).toContain(named[1]);
    },
  );
});
