import { readFileSync } from 'node:fs';
import { PINNED_VERSION } from 'coxswain/cli';
import { describe, expect, it } from 'vitest';
import * as sdk from '../src/sdk.ts';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const FUNCTIONS = [
  ...['query', 'startup', 'prewarm', 'tool', 'createSdkMcpServer'],
  ...['listSessions', 'getSessionInfo', 'getSessionMessages', 'listSubagents', 'getSubagentMessages'],
  ...['forkSession', 'deleteSession', 'renameSession', 'tagSession', 'archiveSession', 'unarchiveSession'],
  ...['importSessionToStore', 'foldSessionSummary', 'InMemorySessionStore'],
  ...['resolveSettings', 'filterEscalatingDefaultMode', 'matchDeniedModels', 'AbortError'],
  ...['CommandMatcher', 'DirectConnectError', 'DirectConnectTransport', 'FileIndex', 'parseDirectConnectUrl'],
];
const CONSTANTS = [
  ...['HOOK_EVENTS', 'EXIT_REASONS', 'BUILTIN_TOOL_NAMES', 'LEGACY_TOOL_NAME_ALIASES'],
  ...['SYSTEM_PROMPT_DYNAMIC_BOUNDARY', 'USAGE_LIMIT_ERROR_PREFIXES', 'USAGE_WARNING_PREFIXES'],
  ...['USAGE_TRANSITION_PREFIXES', 'ORG_POLICY_LIMIT_PREFIXES'],
];

describe('the names of the package', () => {
  it('[U-1] are those of the official SDK at run time: a missing one would prevent a program from loading', () => {
    expect(Object.keys(sdk).sort()).toEqual([...FUNCTIONS, ...CONSTANTS].sort());
    for (const name of FUNCTIONS) expect(typeof Reflect.get(sdk, name), name).toBe('function');
  });

  it('[U-1] include a version in the range that clients check, and a file in the place that tracers search', () => {
    // Two digits after the release of the official SDK that has this CLI.
    const official = PINNED_VERSION.replace(/^2\.1\./, '0.3.');
    expect(manifest.version.slice(0, -2)).toBe(official);
    expect(manifest.exports['.'].default).toBe('./sdk.mjs');
    expect(manifest.files).toContain('sdk.mjs');
  });

  it('[U-1] include unsupported functions, which throw a typed error', async () => {
    const refused = { name: 'NotSupportedError', code: 'not-supported' };
    await expect(sdk.matchDeniedModels(['opus'], ['opus'])).rejects.toMatchObject(refused);
    for (const call of [
      () => sdk.parseDirectConnectUrl(),
      () => new sdk.FileIndex(),
      () => new sdk.CommandMatcher(),
      () => new sdk.DirectConnectTransport(),
    ]) {
      expect(call).toThrow(expect.objectContaining(refused));
    }
  });

  it('[U-2] include AbortError with the name of a plain error, as in the official SDK', () => {
    const error = new sdk.AbortError('enough');
    expect([error.name, String(error), error instanceof Error]).toEqual(['Error', 'Error: enough', true]);
  });
});

describe('the built file', () => {
  it('[U-1] loads session functions, the CLI search and the MCP SDK only on demand', () => {
    const built = readFileSync(new URL('../sdk.mjs', import.meta.url), 'utf8');
    const eager = [...built.matchAll(/^import .* from "(?<module>[^"]+)";$/gm)].map(
      ({ groups }) => groups?.module ?? '',
    );
    expect(eager.filter((module) => !module.startsWith('node:')).sort()).toEqual([
      'coxswain/errors',
      'coxswain/raw',
      'coxswain/transport',
    ]);
    expect(built).toMatch(/^export \{.*\bquery\b.*\};$/m);
  });
});
