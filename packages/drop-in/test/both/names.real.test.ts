import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { compare, differs, SAME } from './compare.ts';
import { Input, keysOf, thrownBy } from './facts.ts';
import { entryOf, FOLDERS, loadSdk, type Sdk, type SdkName } from './sdks.ts';

/** The exported values that are data. */
const DATA = [
  'HOOK_EVENTS',
  'EXIT_REASONS',
  'BUILTIN_TOOL_NAMES',
  'LEGACY_TOOL_NAME_ALIASES',
  'SYSTEM_PROMPT_DYNAMIC_BOUNDARY',
  'USAGE_LIMIT_ERROR_PREFIXES',
  'USAGE_WARNING_PREFIXES',
  'USAGE_TRANSITION_PREFIXES',
  'ORG_POLICY_LIMIT_PREFIXES',
] as const satisfies readonly (keyof Sdk)[];

test('[U-1] the package has every name of the official package', async () => {
  const [official, dropIn] = await Promise.all([loadSdk('official'), loadSdk('dropIn')]);
  const kinds = (sdk: Sdk) => Object.fromEntries(Object.entries(sdk).map(([name, value]) => [name, typeof value]));
  expect(Object.keys(official).length).toBeGreaterThan(30);
  expect(kinds(dropIn)).toMatchObject(kinds(official));
});

compare(
  '[U-1] exported data',
  async ({ sdk }) =>
    Object.fromEntries(DATA.map((name) => [name, sdk[name]])) as Record<(typeof DATA)[number], unknown>,
  Object.fromEntries(DATA.map((name) => [name, SAME])) as Record<(typeof DATA)[number], unknown>,
);

compare(
  '[U-1] exported functions and classes',
  async ({ sdk }) => {
    const handler = async () => ({ content: [] });
    const wave = sdk.tool('wave', 'Waves.', { to: z.string() }, handler, { annotations: { readOnlyHint: true } });
    const server = sdk.createSdkMcpServer({ name: 'harbour', tools: [wave] });
    const abort = new sdk.AbortError('stop');
    const store = new sdk.InMemorySessionStore();
    const key = { projectKey: 'p', sessionId: 's' };
    await store.append(key, [{ type: 'user', uuid: 'u' }]);
    return {
      'AbortError: name': abort.name,
      'AbortError: class': [abort instanceof Error, Object.getPrototypeOf(sdk.AbortError) === Error, abort.message],
      'tool(): fields': keysOf(wave),
      'tool(): handler': wave.handler === handler,
      'createSdkMcpServer(): fields': keysOf(server),
      'createSdkMcpServer(): values': [server.type, server.name, typeof server.instance.connect],
      'a tool with a bad schema': thrownBy(
        () => sdk.tool('bad', 'Bad.', { to: 'text' } as unknown as { to: z.ZodString }, handler).name,
        sdk,
      ),
      'InMemorySessionStore: load()': await store.load(key),
      'InMemorySessionStore: load() of nothing': await store.load({ projectKey: 'p', sessionId: 'x' }),
      'InMemorySessionStore: size': store.size,
    };
  },
  {
    'AbortError: name': 'Error',
    'AbortError: class': [true, true, 'stop'],
    'tool(): fields': SAME,
    'tool(): handler': true,
    'createSdkMcpServer(): fields': ['instance', 'name', 'type'],
    'createSdkMcpServer(): values': ['sdk', 'harbour', 'function'],
    'a tool with a bad schema': SAME,
    'InMemorySessionStore: load()': [{ type: 'user', uuid: 'u' }],
    'InMemorySessionStore: load() of nothing': null,
    'InMemorySessionStore: size': 1,
  },
);

compare(
  '[U-4] the query object',
  async (stage) => {
    const query = stage.sdk.query({
      prompt: new Input(),
      options: stage.options({ pathToClaudeCodeExecutable: stage.script('read line') }),
    });
    const prototype = Object.getPrototypeOf(query);
    const own = Object.getOwnPropertyNames(prototype);
    const facts = {
      'methods on the direct prototype': METHODS.filter((name) => !own.includes(name)),
      'methods are functions': METHODS.filter((name) => typeof query[name] !== 'function'),
      'methods without a declaration': UNDECLARED.filter((name) => typeof Reflect.get(query, name) !== 'function'),
      'is not thenable': 'then' in query,
      'the iterator is another object': query[Symbol.asyncIterator]() === query,
      'can be disposed': typeof query[Symbol.asyncDispose],
      'methods can be bound': typeof query.next.bind(query),
      'close() returns': query.close() ?? null,
    };
    await query.next();
    return facts;
  },
  {
    'methods on the direct prototype': [],
    'methods are functions': [],
    'methods without a declaration': [],
    'is not thenable': false,
    'the iterator is another object': false,
    'can be disposed': 'function',
    'methods can be bound': 'function',
    'close() returns': null,
  },
);

compare(
  '[U-1] the package',
  async ({ name }) => ({
    'sdk.mjs in its root': existsSync(join(FOLDERS[name], 'sdk.mjs')),
    'variables that importing sets': imported(name).variables,
  }),
  { 'sdk.mjs in its root': true, 'variables that importing sets': differs('variables of the host') },
);

test('[U-1] the package takes less time to import than the official package', () => {
  const fastest = (name: SdkName) => Math.min(...[1, 2, 3].map(() => imported(name).ms));
  expect(fastest('dropIn')).toBeLessThan(fastest('official'));
});

/** Imports a package in a separate Node: the duration, and the variables that it sets. */
function imported(name: SdkName): { ms: number; variables: string[] } {
  const program = `
    const before = new Set(Object.keys(process.env));
    const from = performance.now();
    await import(${JSON.stringify(entryOf(name))});
    const ms = performance.now() - from;
    console.log(JSON.stringify({ ms, variables: Object.keys(process.env).filter((key) => !before.has(key)) }));`;
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return JSON.parse(done.stdout);
}

/** The methods declared by the official package. */
const METHODS = [
  'next',
  'return',
  'throw',
  'interrupt',
  'setPermissionMode',
  'setModel',
  'setMaxThinkingTokens',
  'setMcpPermissionModeOverride',
  'applyFlagSettings',
  'updateSettings',
  'initializationResult',
  'reinitialize',
  'supportedCommands',
  'supportedModels',
  'supportedAgents',
  'accountInfo',
  'mcpServerStatus',
  'getContextUsage',
  'usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET',
  'readFile',
  'readMcpResource',
  'reloadPlugins',
  'reloadSkills',
  'reloadOutputStyles',
  'rewindFiles',
  'seedReadState',
  'reconnectMcpServer',
  'toggleMcpServer',
  'setMcpServers',
  'streamInput',
  'stopTask',
  'backgroundTasks',
  'close',
] as const;

/** Undeclared methods that clients use. */
const UNDECLARED = [
  'getSettings',
  'cancelAsyncMessage',
  'generateSessionTitle',
  'mcpAuthenticate',
  'enableRemoteControl',
];
