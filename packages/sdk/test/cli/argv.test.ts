import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { type Argv, type ArgvFacts, buildArgv, needsHandshake } from '../../src/cli/argv.ts';
import type { RunMode } from '../../src/cli/version.ts';
import { OptionsError } from '../../src/errors/options.ts';
import { flagTable, initializeFields, ownsFlag } from '../../src/options/flag-table.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { permissions } from '../../src/options/permission-policy.ts';
import { memoryStore } from '../../src/store/memory-store.ts';

const QUERY = ['--print', '--output-format', 'stream-json', '--verbose'];
const SESSION = [
  '--input-format',
  'stream-json',
  '--output-format',
  'stream-json',
  '--verbose',
  '--replay-user-messages',
];
const id = '00000000-0000-4000-8000-000000000001';

function build(options: AgentOptions, mode: RunMode = 'query', facts: Partial<ArgvFacts> = {}): Argv {
  return buildArgv(mode, options, { platform: 'linux', ...facts });
}

/** The arguments after the fixed ones of the mode. */
function flags(options: AgentOptions, mode: RunMode = 'query'): readonly string[] {
  return build(options, mode).args.slice((mode === 'query' ? QUERY : SESSION).length);
}

function problemsOf(call: () => unknown): string[] {
  try {
    call();
  } catch (error) {
    if (error instanceof OptionsError) return error.problems.map((problem) => `${problem.path}: ${problem.message}`);
    throw error;
  }
  return [];
}

describe('the arguments of a query', () => {
  it('[C-7] are print mode and stream-json, without a prompt', () => {
    expect(build({}).args).toEqual(QUERY);
  });

  it('[C-7] use stream-json input if the prompt consists of content blocks', () => {
    expect(build({}, 'query', { promptIsText: false }).args).toEqual([...QUERY, '--input-format', 'stream-json']);
  });

  const cases: [AgentOptions, readonly string[]][] = [
    [{ model: 'sonnet' }, ['--model', 'sonnet']],
    [{ fallbackModel: 'haiku' }, ['--fallback-model', 'haiku']],
    [{ maxTurns: 3 }, ['--max-turns', '3']],
    [{ maxBudgetUsd: 0.5 }, ['--max-budget-usd', '0.5']],
    [{ taskBudget: 20_000 }, ['--task-budget', '20000']],
    [{ systemPrompt: '' }, ['--system-prompt', '']],
    [{ systemPromptFile: '/p' }, ['--system-prompt-file', '/p']],
    [{ systemPrompt: 'a', appendSystemPrompt: 'b' }, ['--system-prompt', 'a', '--append-system-prompt', 'b']],
    [{ tools: ['Read', 'Bash'] }, ['--tools', 'Read,Bash']],
    [{ tools: [] }, ['--tools', '']],
    [{ settingSources: ['user', 'local'] }, ['--setting-sources', 'user,local']],
    [{ settingSources: [] }, ['--setting-sources', '']],
    [{ allowedTools: ['Read', 'Bash(a,b)'] }, ['--allowedTools', 'Read,Bash(a,b)']],
    [{ disallowedTools: ['Bash(rm *)'] }, ['--disallowedTools', 'Bash(rm *)']],
    [{ allowedTools: [], disallowedTools: [], addDirs: [], plugins: [], betas: [], agents: {}, mcpServers: {} }, []],
    [{ mcpConfigPath: '/m.json' }, ['--mcp-config', '/m.json']],
    [{ mcpServers: { a: { command: 'x' } } }, ['--mcp-config', '']],
    [{ strictMcpConfig: true }, ['--strict-mcp-config']],
    [{ permissionMode: 'plan' }, ['--permission-mode', 'plan']],
    // Without the flag, 2.1.290 starts in the mode auto, which never asks.
    [{ permissionMode: 'default' }, ['--permission-mode', 'default']],
    [{ permissionPromptTool: 'mcp__a__b' }, ['--permission-mode', 'default', '--permission-prompt-tool', 'mcp__a__b']],
    [{ allowDangerouslySkipPermissions: true }, ['--allow-dangerously-skip-permissions']],
    [{ resume: id, resumeAt: id }, ['--resume', id, '--resume-session-at', id]],
    [{ continue: true, forkSession: true }, ['--continue', '--fork-session']],
    [{ sessionId: id }, ['--session-id', id]],
    [{ persistSession: false }, ['--no-session-persistence']],
    [{ persistSession: true }, []],
    [{ sessionStore: memoryStore(), storeProject: 'p', storeFailure: 'warn', storeOnly: true }, ['--session-mirror']],
    [{ addDirs: ['/a', '/b'] }, ['--add-dir', '/a', '--add-dir', '/b']],
    [{ plugins: ['/a', { path: '/b' }] }, ['--plugin-dir', '/a', '--plugin-dir', '/b']],
    [{ settings: '/s.json' }, ['--settings', '/s.json']],
    [
      { agents: { rev: { description: 'd', prompt: 'p' } }, agent: 'rev' },
      ['--agents', '{"rev":{"description":"d","prompt":"p"}}', '--agent', 'rev'],
    ],
    [{ outputSchema: { type: 'object' } }, ['--json-schema', '{"type":"object"}']],
    [{ includePartialMessages: true }, ['--include-partial-messages']],
    [{ thinking: { type: 'adaptive' } }, ['--thinking', 'adaptive']],
    [{ thinking: { type: 'enabled' } }, ['--thinking', 'enabled']],
    [{ thinking: { type: 'enabled', budgetTokens: 2000 } }, ['--max-thinking-tokens', '2000']],
    [{ thinking: { type: 'disabled' } }, ['--thinking', 'disabled']],
    [{ maxThinkingTokens: 0 }, ['--max-thinking-tokens', '0']],
    [{ effort: 'high' }, ['--effort', 'high']],
    [{ betas: ['a', 'b'] }, ['--betas', 'a', '--betas', 'b']],
    [{ debug: true }, ['--debug']],
    [{ debug: 'api,hooks' }, ['--debug=api,hooks']],
    [{ debug: false, continue: false, strictMcpConfig: false, includePartialMessages: false }, []],
    [{ title: 'My title' }, ['--name', 'My title']],
    [{ forwardSubagentText: true, promptSuggestions: true }, ['--forward-subagent-text', '--prompt-suggestions']],
    [{ cwd: '/x', apiKey: 'k', env: { A: 'b' }, timeoutMs: 5, cli: '/c', fileCheckpointing: true }, []],
  ];
  it.each(cases)('[C-6, O-2] %j', (options, expected) => {
    expect(flags(options)).toEqual(expected);
  });

  it('[C-6] have a case above for every row of the table', () => {
    const seen = new Set(cases.flatMap(([options]) => flags(options)).map((arg) => arg.replace(/=.*/s, '')));
    const rows = flagTable.map((row) => row.flag).filter((flag) => flag !== '--settings');
    expect(rows.filter((flag) => !seen.has(flag))).toEqual([]);
  });

  it('[C-6] join a value that starts with a dash to its flag', () => {
    expect(flags({ model: '-x' })).toEqual(['--model=-x']);
    expect(flags({ systemPrompt: '--- be brief' })).toEqual(['--system-prompt=--- be brief']);
    expect(flags({ addDirs: ['-a', 'b'] })).toEqual(['--add-dir=-a', '--add-dir', 'b']);
    expect(flags({ extraArgs: { brief: '-v' } })).toEqual(['--brief=-v']);
  });

  it('[C-6, O-2] end with extraArgs', () => {
    const extraArgs = { bare: null, 'safe-mode': true, chrome: false, 'debug-file': '/tmp/log', empty: '' };
    expect(flags({ model: 'x', extraArgs })).toEqual([
      ...['--model', 'x', '--bare', '--safe-mode', '--debug-file', '/tmp/log', '--empty', ''],
    ]);
  });

  it('[C-6] report the flags that need a certain release', () => {
    const need = (option: string, flag: string) => ({
      ...{ option, flag },
      since: flagTable.find((row) => row.flag === flag)?.since,
    });
    expect(build({ forwardSubagentText: true, maxTurns: 3, promptSuggestions: true }).gated).toEqual([
      need('forwardSubagentText', '--forward-subagent-text'),
      need('promptSuggestions', '--prompt-suggestions'),
    ]);
    expect(build({ forwardSubagentText: false, plugins: [], maxTurns: 3 }).gated).toEqual([]);
    expect(build({ forwardSubagentText: true }, 'session').gated).toEqual([]);
  });

  it('[C-6, O-6] contain the default mode, because some releases start in another', () => {
    expect(build({ permissionMode: 'default' }).args).toEqual([...QUERY, '--permission-mode', 'default']);
  });

  it('[C-6, O-2] consist of flags that extraArgs must not contain, including their synonyms', () => {
    const long = 'x'.repeat(140_000);
    const sent = [...cases.flatMap(([options]) => build(options).args), ...SESSION]
      .concat(build({ systemPrompt: long, appendSystemPrompt: long }).args)
      .filter((arg) => /^--[\w-]+(=|$)/.test(arg));
    const alike = ['--allowed-tools', '--disallowed-tools', '--dangerously-skip-permissions', '--await-initialize'];
    expect([...sent, ...alike].filter((flag) => !ownsFlag(flag.replace(/=.*/s, '')))).toEqual([]);
    expect(['--debug-file', '--chrome', '--mode', 'model'].filter(ownsFlag)).toEqual([]);
  });
});

describe('the arguments of a session', () => {
  it('[C-8] are stream-json both ways, with the user messages replayed', () => {
    expect(build({}, 'session').args).toEqual(SESSION);
    expect(flags({ model: 'x', tools: [] }, 'session')).toEqual(['--model', 'x', '--tools', '']);
  });

  it.each<[string, AgentOptions]>([
    ['canUseTool', { canUseTool: () => allow() }],
    ['a policy that asks', permissions({ ask: () => allow() })],
    ['permissionPromptTool', { permissionPromptTool: 'stdio' }],
    ['a PermissionRequest hook', { hooks: { PermissionRequest: () => undefined } }],
  ])('[O-6, P-1] set the default mode with %s, unless the caller sets another', (_, guard) => {
    const mode = (options: AgentOptions): readonly string[] => {
      const { args } = build({ ...guard, ...options }, 'session');
      const at = args.indexOf('--permission-mode');
      return at < 0 ? [] : args.slice(at, at + 2);
    };
    expect(mode({})).toEqual(['--permission-mode', 'default']);
    expect(mode({ permissionMode: 'acceptEdits' })).toEqual(['--permission-mode', 'acceptEdits']);
    expect(mode({ settings: { permissions: { defaultMode: 'acceptEdits' } } })).toEqual([]);
    // The content of a settings file is not read here.
    expect(mode({ settings: '/settings.json' })).toEqual(['--permission-mode', 'default']);
    expect(mode({ settings: { permissions: { allow: ['Read'] } } })).toEqual(['--permission-mode', 'default']);
  });

  it('[O-6] leave the mode to the CLI without canUseTool and hooks', () => {
    expect(flags({ hooks: { PreToolUse: () => undefined }, allowedTools: [] }, 'session')).toEqual([]);
  });

  it('[C-12] omit options that are sent with initialize', () => {
    const options: AgentOptions = {
      systemPrompt: '',
      appendSystemPrompt: 'b',
      agents: { rev: { description: 'd', prompt: 'p'.repeat(500_000) } },
      outputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
      title: 'My title',
      forwardSubagentText: true,
      promptSuggestions: false,
      agentProgressSummaries: true,
      planModeInstructions: 'Think.',
      toolAliases: { Shell: 'Bash' },
    };
    expect(build(options, 'session')).toEqual({ args: SESSION, privateFiles: [], gated: [], initialize: {} });
    expect(initializeFields(options)).toEqual({
      systemPrompt: [''],
      appendSystemPrompt: 'b',
      agents: options.agents,
      jsonSchema: { type: 'object' },
      title: 'My title',
      forwardSubagentText: true,
      promptSuggestions: false,
      agentProgressSummaries: true,
      planModeInstructions: 'Think.',
      toolAliases: { Shell: 'Bash' },
    });
    expect(initializeFields({ agents: {}, model: 'x' })).toEqual({});
  });
});

describe('an option that does not belong on the command line', () => {
  it('[C-10] is passed in a private file: all MCP servers and all settings objects', () => {
    const mcpServers: AgentOptions['mcpServers'] = {
      plain: { command: 'x' },
      files: { command: 'x', env: { TOKEN: 'secret-1' } },
      web: { type: 'http', url: 'https://example.org', headers: { authorization: 'secret-2' } },
      old: { type: 'sse', url: 'https://user:secret-3@example.org' },
    };
    for (const mode of ['query', 'session'] as const) {
      const settings = { env: { KEY: 'secret-4' } };
      const { args, privateFiles } = build({ mcpServers, settings, sandbox: { enabled: true } }, mode);
      expect(args.join(' ')).not.toContain('secret');
      expect(privateFiles.map((file) => [args[file.argvIndex - 1], args[file.argvIndex], file.name])).toEqual([
        ['--mcp-config', '', 'mcp.json'],
        ['--settings', '', 'settings.json'],
      ]);
      expect(privateFiles.map((file) => JSON.parse(file.content))).toEqual([
        { mcpServers },
        { env: { KEY: 'secret-4' }, sandbox: { failIfUnavailable: true, enabled: true } },
      ]);
    }
  });

  it.each<[string, AgentOptions['mcpServers']]>([
    ['env', { a: { command: 'x', env: { A: 'token' } } }],
    ['args', { a: { command: 'x', args: ['--api-key', 'token'] } }],
    ['a command', { a: { command: '/opt/token/server' } }],
    ['headers', { a: { type: 'http', url: 'https://x', headers: { a: 'token' } } }],
    ['the query of a URL', { a: { type: 'sse', url: 'https://x?k=token' } }],
    ['the user of a URL', { a: { type: 'http', url: 'https://token@x' } }],
    ['the path of a URL', { a: { type: 'http', url: 'https://x/s/token/mcp' } }],
    ['the fragment of a URL', { a: { type: 'http', url: 'https://x/mcp#token' } }],
    ['the name of a server', { token: { type: 'http', url: 'https://x' } }],
  ])('[C-10] is an MCP server, such as one with a token in %s', (_where, mcpServers) => {
    for (const mode of ['query', 'session'] as const) {
      const { args, privateFiles } = build({ mcpServers }, mode);
      expect(args.join(' ')).not.toContain('token');
      expect(privateFiles.map(({ content }) => JSON.parse(content))).toEqual([{ mcpServers }]);
    }
  });

  it('[G-9] is awaited before a parked call is resumed, by releases that can, so that the call has the hooks of the session', () => {
    const built = (release: string | undefined, resumesCall = true) =>
      build({}, 'session', { release, resumesCall }).args;
    expect(built('2.1.326')).toEqual([...SESSION, '--await-initialize']);
    for (const release of ['2.1.325', undefined]) expect(built(release)).toEqual(SESSION);
    expect(built('2.1.326', false)).toEqual(SESSION);
    const mcpServers = { files: { command: 'files' } };
    const both = build({ mcpServers }, 'session', { release: '2.1.326', resumesCall: true }).args;
    expect(both.filter((arg) => arg === '--await-initialize')).toHaveLength(1);
  });

  it('[C-10] is sent in the handshake by a session whose release awaits it: MCP servers', () => {
    const mcpServers: AgentOptions['mcpServers'] = {
      files: { command: 'x', env: { TOKEN: 'secret' } },
      own: { create: () => ({ connect: async () => {}, close: async () => {} }) },
    };
    const built = (release: string | undefined, mode: RunMode = 'session') => build({ mcpServers }, mode, { release });
    expect(built('2.1.326')).toEqual({
      args: [...SESSION, '--await-initialize'],
      privateFiles: [],
      gated: [],
      initialize: { mcpServers: { files: mcpServers?.files } },
    });
    for (const line of [built(undefined), built('2.1.325'), built('2.1.326', 'query')]) {
      expect([line.initialize, line.privateFiles.map(({ name }) => name)]).toEqual([{}, ['mcp.json']]);
      expect(line.args).not.toContain('--await-initialize');
    }
    // No server that the CLI starts or calls.
    expect(build({ mcpServers: {} }, 'session', { release: '2.1.326' }).args).toEqual(SESSION);
  });

  it('[C-10, O-2] is the sandbox: it is merged into the settings, even without settings', () => {
    const content = (options: AgentOptions): unknown => JSON.parse(build(options).privateFiles[0]?.content ?? '');
    expect(content({ sandbox: { enabled: false } })).toEqual({ sandbox: { enabled: false } });
    expect(content({ settings: { sandbox: { enabled: false, a: 1 }, b: 2 }, sandbox: { enabled: true } })).toEqual({
      sandbox: { failIfUnavailable: true, enabled: true, a: 1 },
      b: 2,
    });
    expect(build({ settings: {}, sandbox: {} }).privateFiles).toHaveLength(1);
  });

  it.each<[string, AgentOptions, object]>([
    ['sandbox', { sandbox: { enabled: true } }, { failIfUnavailable: true, enabled: true }],
    ['settings', { settings: { sandbox: { enabled: true } } }, { failIfUnavailable: true, enabled: true }],
    [
      'failIfUnavailable: false',
      { sandbox: { enabled: true, failIfUnavailable: false } },
      { enabled: true, failIfUnavailable: false },
    ],
    ['a sandbox that is off', { settings: { sandbox: { enabled: false } } }, { enabled: false }],
  ])(
    '[C-13] is the sandbox: it must work if it is enabled, unless configured otherwise: %s',
    (_, options, expected) => {
      expect(JSON.parse(build(options).privateFiles[0]?.content ?? '')).toEqual({ sandbox: expected });
    },
  );

  it('[T-6] is not passed to the CLI: required of an MCP server', () => {
    const mcpServers: AgentOptions['mcpServers'] = { db: { command: 'x', required: true } };
    expect(JSON.parse(build({ mcpServers }).privateFiles[0]?.content ?? '')).toEqual({
      mcpServers: { db: { command: 'x' } },
    });
  });

  it('[C-12] is passed in a file if it is too long and the CLI can read one', () => {
    const long = 'ü'.repeat(70_000);
    const { args, privateFiles } = build({ systemPrompt: long, appendSystemPrompt: `-${long}`, model: 'x' });
    expect(args).toEqual([...QUERY, '--model', 'x', '--system-prompt-file', '', '--append-system-prompt-file', '']);
    expect(privateFiles).toEqual([
      { argvIndex: 7, name: 'system-prompt.txt', content: long },
      { argvIndex: 9, name: 'append-system-prompt.txt', content: `-${long}` },
    ]);
    expect(build({ systemPrompt: 'x'.repeat(131_000) }).privateFiles).toEqual([]);
    expect(build({ systemPrompt: long }, 'query', { platform: 'darwin' }).privateFiles).toEqual([]);
  });

  it('[C-12] is sent with the handshake: agents or a schema that are too long', () => {
    const agents = { reviewer: { description: 'd', prompt: 'p'.repeat(131_072) } };
    expect(needsHandshake({ agents }, 'linux')).toBe(true);
    expect(needsHandshake({ agents: { reviewer: { description: 'd', prompt: 'p' } } }, 'linux')).toBe(false);
    expect(needsHandshake({ agents: { reviewer: { description: 'd', prompt: 'p'.repeat(9_000) } } }, 'win32')).toBe(
      true,
    );
    // The CLI can read these from a file.
    expect(needsHandshake({ systemPrompt: 'p'.repeat(131_072) }, 'linux')).toBe(false);
  });

  it('[C-12] is refused if it is too long and the CLI cannot read a file; all problems are reported together', () => {
    const prompt = 'p'.repeat(131_072);
    const options: AgentOptions = {
      agents: { rev: { description: 'd', prompt } },
      outputSchema: { type: 'object', description: prompt },
    };
    expect(problemsOf(() => build(options))).toEqual([
      expect.stringMatching(/^agents: is too long for the command line \(\d+ characters\)\.$/),
      expect.stringMatching(/^outputSchema: is too long for the command line/),
    ]);
    expect(problemsOf(() => build(options, 'query', { platform: 'darwin' }))).toEqual([]);
  });

  it('[C-12] depends on the length of the whole command line on Windows', () => {
    const facts = { platform: 'win32' };
    const agents = (length: number): AgentOptions => ({
      agents: { a: { description: 'd', prompt: 'p'.repeat(length) } },
    });
    expect(problemsOf(() => build(agents(29_000), 'query', facts))).toEqual([]);
    expect(problemsOf(() => build(agents(31_000), 'query', facts))).toEqual([expect.stringMatching(/^agents: /)]);
    const quotes = { allowedTools: [`Bash(${'"'.repeat(16_000)})`] };
    expect(problemsOf(() => build(quotes, 'query', facts))).toEqual([
      expect.stringMatching(/^options: result in a command line/),
    ]);
    expect(build({ systemPrompt: 'x'.repeat(9_000) }, 'query', facts).privateFiles).toHaveLength(1);
  });
});
