import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Options } from '../src/declarations/options.ts';
import { AbortError } from '../src/sdk.ts';
import { checkOptions } from '../src/start/check-options.ts';
import { commandFor } from '../src/start/command.ts';
import { environmentFor } from '../src/start/environment.ts';
import { flagsFor } from '../src/start/flags.ts';
import { handshakeFor } from '../src/start/handshake.ts';
import { limitsFor } from '../src/start/tuning.ts';

const BASE = 5;
const flags = (options: Options): readonly string[] => flagsFor(options, { inline: true }).args.slice(BASE);
/** The options of an untyped program. */
const untyped = (options: object): Options => options;

afterEach(() => vi.unstubAllEnvs());

describe('the flags of the CLI', () => {
  it('[U-2] always select stream-json both ways', () => {
    expect(flagsFor({}, { inline: false }).args).toEqual(
      '--output-format stream-json --verbose --input-format stream-json'.split(' '),
    );
  });

  it.each<[Options, string[]]>([
    [{ model: 'haiku', fallbackModel: 'sonnet' }, ['--model=haiku', '--fallback-model=sonnet']],
    [{ maxTurns: 3, maxBudgetUsd: 1.5 }, ['--max-turns=3', '--max-budget-usd=1.5']],
    [{ maxTurns: 0 }, []],
    [{ allowedTools: ['Read', 'Bash(ls:*)'], disallowedTools: [] }, ['--allowedTools=Read,Bash(ls:*)']],
    [
      { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
      ['--permission-mode=bypassPermissions', '--allow-dangerously-skip-permissions'],
    ],
    [{ canUseTool: async () => null }, ['--permission-prompt-tool=stdio']],
    [{ additionalDirectories: ['/a', '/b'] }, ['--add-dir=/a', '--add-dir=/b']],
    [{ sessionId: 'x', persistSession: false, title: 'T' }, ['--session-id=x', '--no-session-persistence']],
    [{ settingSources: [] }, ['--setting-sources=']],
    [{ tools: [] }, ['--tools=']],
    [{ tools: { type: 'preset', preset: 'claude_code' } }, ['--tools=default']],
    [{ thinking: { type: 'disabled' }, effort: 'low' }, ['--thinking=disabled', '--effort=low']],
    [{ thinking: { type: 'enabled', budgetTokens: 2_000 } }, ['--max-thinking-tokens=2000']],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, ['--thinking=adaptive', '--thinking-display=omitted']],
    [{ maxThinkingTokens: 0 }, ['--thinking=disabled']],
    [
      { includePartialMessages: true, includeHookEvents: true },
      ['--include-hook-events', '--include-partial-messages'],
    ],
    [
      { extraArgs: { 'replay-user-messages': null, x: '', y: '-1', z: 'v' } },
      ['--replay-user-messages', '--x', '--y=-1', '--z', 'v'],
    ],
    [{ sandbox: { enabled: false } }, ['--settings', '{"sandbox":{"enabled":false}}']],
    [
      { settings: '{"model":"opus"}', sandbox: { enabled: true } },
      ['--settings', '{"model":"opus","sandbox":{"failIfUnavailable":true,"enabled":true}}'],
    ],
    [{ settings: '/a/settings.json' }, ['--settings', '/a/settings.json']],
    [{ mcpServersDelivery: 'initialize', mcpServers: { a: { command: 'x' } } }, ['--await-initialize']],
    [{ mcpServersDelivery: 'initialize' }, []],
    [{ taskBudget: { total: 30_000 } }, ['--task-budget=30000']],
    [{ skills: ['rowing'], allowedTools: ['Read'] }, ['--allowedTools=Read,Skill(rowing)']],
    [{ skills: 'all' }, ['--allowedTools=Skill']],
    [{ plugins: [{ type: 'local', path: '/p', skipMcpDiscovery: true }] }, ['--plugin-dir-no-mcp=/p']],
    [{ systemPrompt: 'secret', agents: {} }, []],
    [untyped({ appendSystemPrompt: 'ours', __unknown: true, fileCheckpointing: true }), []],
  ])('[U-1, U-2] of %j', (options, expected) => {
    expect(flags(options)).toEqual(expected);
  });

  it('[U-6] refer to private files for servers and settings, unless the caller starts the process elsewhere', () => {
    const options: Options = {
      mcpServers: { a: { command: 'x', env: { TOKEN: 'secret' } } },
      settings: { env: { KEY: 'secret' } },
    };
    const { args, privateFiles } = flagsFor(options, { inline: false });
    expect(privateFiles.map(({ name, argvIndex }) => [name, args[argvIndex - 1]])).toEqual([
      ['mcp.json', '--mcp-config'],
      ['settings.json', '--settings'],
    ]);
    expect(flagsFor(options, { inline: true }).privateFiles).toEqual([]);
  });
});

describe('the environment of the CLI', () => {
  it('[U-2] is only that of the options, without undefined values', () => {
    const env = environmentFor({ env: { A: '1', B: undefined, NODE_OPTIONS: '--inspect', DEBUG: 'x' } });
    expect(env).toEqual({ A: '1', CLAUDE_CODE_ENTRYPOINT: 'coxswain', CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' });
  });

  it("[U-2] is that of the host if the options have none, and the host's own is not changed", () => {
    vi.stubEnv('BOAT_MARKER', 'Ariel');
    const before = { ...process.env };
    expect(environmentFor({}).BOAT_MARKER).toBe('Ariel');
    expect(process.env).toEqual(before);
  });

  it('[U-2] keeps the entrypoint of the program', () => {
    expect(environmentFor({ env: { CLAUDE_CODE_ENTRYPOINT: 'mine' } }).CLAUDE_CODE_ENTRYPOINT).toBe('mine');
  });

  it('[U-2] contains some options as variables', () => {
    const options: Options = {
      env: {},
      enableFileCheckpointing: true,
      toolConfig: { askUserQuestion: { previewFormat: 'html' } },
    };
    expect(environmentFor(options)).toMatchObject({
      CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true',
      CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: 'html',
    });
  });
});

describe('the handshake with the CLI', () => {
  it.each<[Options['systemPrompt'], object]>([
    [undefined, { systemPrompt: [''] }],
    ['x', { systemPrompt: ['x'] }],
    [['a', 'b'], { systemPrompt: ['a', 'b'] }],
    [{ type: 'custom', prompt: 'x' }, { systemPrompt: ['x'] }],
    [{ type: 'preset', preset: 'claude_code' }, {}],
    [
      { type: 'preset', preset: 'claude_code', append: 'y', excludeDynamicSections: true },
      { appendSystemPrompt: 'y', excludeDynamicSections: true },
    ],
  ])('[U-2] of the system prompt %j', (systemPrompt, expected) => {
    expect(handshakeFor(systemPrompt === undefined ? {} : { systemPrompt }).fields).toEqual(expected);
  });

  it('[U-3] assigns every hook an id, and passes on matchers, timeouts and unknown events', () => {
    const run = async (): Promise<object> => ({});
    const { fields, hooks } = handshakeFor(
      untyped({
        hooks: {
          PreToolUse: [{ matcher: 'Bash', hooks: [run, run], timeout: 5, onFailure: 'block' }, { hooks: [run] }],
          NoSuchEvent: [{ hooks: [run] }],
          Stop: [],
        },
      }),
    );
    expect(fields.hooks).toEqual({
      PreToolUse: [
        { matcher: 'Bash', hookCallbackIds: ['hook_0', 'hook_1'], timeout: 5, onFailure: 'block' },
        { matcher: undefined, hookCallbackIds: ['hook_2'], timeout: undefined, onFailure: undefined },
      ],
      NoSuchEvent: [{ matcher: undefined, hookCallbackIds: ['hook_3'], timeout: undefined, onFailure: undefined }],
    });
    expect([...hooks.keys()]).toEqual(['hook_0', 'hook_1', 'hook_2', 'hook_3']);
  });

  it('[U-3] contains the fields without a flag', () => {
    const options: Options = {
      title: 'T',
      agents: { a: { description: 'd', prompt: 'p' } },
      skills: ['s'],
      planModeInstructions: 'plan',
      toolAliases: { A: 'B' },
      promptSuggestions: true,
      agentProgressSummaries: true,
      forwardSubagentText: false,
      supportedDialogKinds: ['k'],
      onUserDialog: async () => null,
      perTaskStopAffordance: true,
      outputFormat: { type: 'json_schema', schema: { type: 'object' } },
    };
    const { onUserDialog: _, outputFormat: __, ...same } = options;
    expect(handshakeFor(options).fields).toMatchObject({ ...same, jsonSchema: { type: 'object' } });
  });
});

describe('contradictory options', () => {
  it.each<[string, Options, string]>([
    [
      'two permission callbacks',
      { canUseTool: async () => null, permissionPromptToolName: 'x' },
      'canUseTool callback cannot be used with permissionPromptToolName',
    ],
    ['a fallback that equals the model', { model: 'a', fallbackModel: 'a' }, 'Fallback model cannot be the same'],
    [
      'dialogs without a callback',
      { supportedDialogKinds: ['x'] },
      'supportedDialogKinds requires an onUserDialog callback',
    ],
  ])('[U-2] throw immediately: %s', (_what, options, message) => {
    expect(() => checkOptions(options)).toThrow(message);
  });

  it('[U-2] throw immediately with the reason as the cause if the controller is aborted', () => {
    const abortController = new AbortController();
    const reason = new Error('mine');
    abortController.abort(reason);
    const call = (): void => checkOptions({ abortController });
    expect(call).toThrow(AbortError);
    expect(call).toThrow(expect.objectContaining({ message: 'Operation aborted', cause: reason }));
  });

  it('[U-2] include sandbox with the path of a settings file', () => {
    expect(() => flags({ settings: '/a.json', sandbox: {} })).toThrow(
      'Cannot use both a settings file path and the sandbox option',
    );
  });
});

describe('the program of the CLI', () => {
  it('[U-2] is run directly, or by an interpreter for a script', () => {
    const path = '/x/claude';
    expect(commandFor({ pathToClaudeCodeExecutable: path }).argv).toEqual([path]);
    expect(commandFor({ pathToClaudeCodeExecutable: '/x/cli.js' }).argv).toEqual([process.execPath, '/x/cli.js']);
    const bun: Options = { pathToClaudeCodeExecutable: '/x/cli.js', executable: 'bun', executableArgs: ['--smol'] };
    expect(commandFor(bun).argv).toEqual(['bun', '--smol', '/x/cli.js']);
    vi.stubEnv('COXSWAIN_CLI', 'pinned');
    expect(commandFor({}).argv).toBeUndefined();
  });
});

describe('the limits of a query', () => {
  it('[U-6] can be set by the environment, because the program is unchanged', () => {
    vi.stubEnv('COXSWAIN_LIMITS', '{"startTimeoutMs":1000,"graceMs":5}');
    expect(limitsFor(undefined)).toMatchObject({ startTimeoutMs: 1_000, graceMs: 5, controlTimeoutMs: 120_000 });
    expect(limitsFor(7)).toMatchObject({ startTimeoutMs: 7 });
    vi.stubEnv('COXSWAIN_LIMITS', '{"startTimeoutMs":"soon"}');
    expect(() => limitsFor(undefined)).toThrow('COXSWAIN_LIMITS must be a JSON object');
    vi.stubEnv('COXSWAIN_LIMITS', '{"startTimeoutMss":1500,"graceMs":5}');
    expect(() => limitsFor(undefined)).toThrow(
      /unknown limits: startTimeoutMss\. The limits are: .*\bstartTimeoutMs\b/,
    );
  });
});
