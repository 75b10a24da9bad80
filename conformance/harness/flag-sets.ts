import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentOptions } from 'coxswain';
import { memoryStore } from 'coxswain/store';
import type { IsolatedHome } from './isolated-home.ts';
import { mcpServer } from './mcp-server.ts';

/** Options for one run, so that few runs send every flag. */
export interface FlagSet {
  readonly name: string;
  readonly options: AgentOptions;
}

/** Longer than the command line allows, so that it is passed in a file. */
const LONG = 'This is said at length. '.repeat(6_000);

const OUTPUT = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };

/** Sets of options that together make the argv table send each of its flags; `earlier` is a conversation to continue. */
export function flagSets(home: IsolatedHome, earlier: { readonly id: string; readonly answer: string }): FlagSet[] {
  const files = makeFiles(home);
  return [
    {
      name: 'models, limits and tools',
      options: {
        model: 'claude-sonnet-4-5',
        fallbackModel: 'claude-haiku-4-5',
        maxTurns: 5,
        maxBudgetUsd: 1.5,
        taskBudget: 20_000,
        systemPrompt: '-starts with a dash',
        appendSystemPrompt: 'Be brief.',
        tools: ['Bash', 'Read'],
        allowedTools: ['Read', 'Bash(git log *)'],
        disallowedTools: ['Bash(rm *)'],
        thinking: { type: 'enabled', budgetTokens: 2_000 },
        effort: 'low',
        betas: ['context-1m-2025-08-07', 'interleaved-thinking-2025-05-14'],
        includePartialMessages: true,
        outputSchema: OUTPUT,
        debug: 'api,hooks',
      },
    },
    {
      name: 'places, servers and agents',
      options: {
        mcpServers: { plain: mcpServer },
        strictMcpConfig: true,
        permissionMode: 'acceptEdits',
        permissionPromptTool: 'mcp__plain__token',
        sessionId: '44444444-4444-4444-8444-444444444444',
        addDirs: [files.folder, home.home],
        settings: files.settings,
        settingSources: ['user', 'project'],
        plugins: [files.plugin, { path: files.plugin }],
        agents: { scout: { description: 'looks around', prompt: 'You look around.', tools: ['Read'] } },
        agent: 'scout',
        title: 'All flags',
        promptSuggestions: true,
        thinking: { type: 'adaptive' },
        // Also here: the API receives it only for models that support it.
        effort: 'low',
        debug: true,
      },
    },
    {
      name: 'files',
      options: {
        systemPromptFile: files.systemPrompt,
        appendSystemPrompt: LONG,
        mcpConfigPath: files.mcp,
        mcpServers: { private: { ...mcpServer, env: { TOKEN: 'secret-of-the-server' } } },
        settings: { env: { GREETING: 'hello' } },
        sandbox: { enabled: false },
        persistSession: false,
        tools: [],
        settingSources: [],
        maxThinkingTokens: 0,
      },
    },
    {
      name: 'a conversation resumed in a fork',
      options: {
        resume: earlier.id,
        resumeAt: earlier.answer,
        forkSession: true,
        sessionId: '55555555-5555-4555-8555-555555555555',
        systemPrompt: LONG,
        sandbox: { enabled: false },
      },
    },
    {
      // Root may skip permissions only inside a declared sandbox.
      name: 'a conversation continued without permissions',
      options: {
        continue: true,
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        env: { IS_SANDBOX: '1' },
      },
    },
    { name: 'a conversation in a store', options: { sessionStore: memoryStore() } },
    { name: 'the text of subagents', options: { forwardSubagentText: true } },
  ];
}

function makeFiles(home: IsolatedHome) {
  const folder = join(home.root, 'elsewhere');
  const plugin = join(folder, 'plugin');
  mkdirSync(join(plugin, '.claude-plugin'), { recursive: true });
  const file = (name: string, content: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  file('plugin/.claude-plugin/plugin.json', { name: 'example', version: '1.0.0', description: 'An example.' });
  return {
    folder,
    plugin,
    settings: file('settings.json', { env: { GREETING: 'hello' } }),
    systemPrompt: file('system-prompt.txt', 'You are a test.'),
    mcp: file('mcp.json', { mcpServers: { onDisk: mcpServer } }),
  };
}
