import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { newerEvents } from '../../src/callbacks/registry.ts';
import { FEATURES_SINCE, releaseNeeded, sessionNeeds } from '../../src/cli/feature-gate.ts';
import { MINIMUM_SESSION_VERSION } from '../../src/cli/version.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';

const run = (): undefined => undefined;

describe('the release that a session needs', () => {
  it('[C-5] is undefined for options that every supported release has', () => {
    expect(sessionNeeds({})).toEqual([]);
    expect(sessionNeeds({ model: 'sonnet', hooks: { PreToolUse: run }, canUseTool: () => allow() })).toEqual([]);
  });

  it.each<[AgentOptions, string, string]>([
    [{ systemPrompt: '' }, 'systemPrompt', 'session:systemPrompt'],
    [{ appendSystemPrompt: 'x' }, 'appendSystemPrompt', 'session:appendSystemPrompt'],
    [{ agents: { a: { description: 'd', prompt: 'p' } } }, 'agents', 'session:agents'],
    [{ outputSchema: { type: 'object' } }, 'outputSchema', 'session:schema'],
    [{ title: 'x' }, 'title', 'session:title'],
    [{ forwardSubagentText: true }, 'forwardSubagentText', 'session:forwardSubagentText'],
    [{ promptSuggestions: true }, 'promptSuggestions', 'session:promptSuggestions'],
    [{ fileCheckpointing: true }, 'fileCheckpointing', 'rewind_files'],
    [{ mcpServers: { own: () => undefined } }, 'mcpServers', 'sdk-tools'],
    [{ hooks: { PostToolBatch: run } }, 'hooks.PostToolBatch', 'hook:PostToolBatch'],
  ])('[C-5, C-6] is the first one with the option: %j', (options, option, feature) => {
    expect(FEATURES_SINCE[feature]).toMatch(/^\d+\.\d+\.\d+$/);
    expect(sessionNeeds(options)).toEqual([{ option, since: FEATURES_SINCE[feature] }]);
  });

  it('[C-5] is undefined for options that are empty or disabled', () => {
    expect(
      sessionNeeds({
        agents: {},
        forwardSubagentText: false,
        promptSuggestions: false,
        fileCheckpointing: false,
        mcpServers: { files: { command: 'x' } },
        hooks: { PostToolBatch: undefined, ...newerEvents({ SomeNewEvent: run }) },
        title: undefined,
      }),
    ).toEqual([]);
  });
});

describe('releaseNeeded', () => {
  it('[C-5] returns the release if the found one is older, and otherwise undefined', () => {
    const since = FEATURES_SINCE.end_session;
    expect(releaseNeeded('end_session', MINIMUM_SESSION_VERSION)).toBe(since);
    expect(releaseNeeded('end_session', since)).toBeUndefined();
    expect(releaseNeeded('end_session', undefined)).toBeUndefined();
    expect(releaseNeeded('toString', '0.0.1')).toBeUndefined();
  });
});
