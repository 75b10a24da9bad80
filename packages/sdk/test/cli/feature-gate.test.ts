import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { FEATURES_SINCE, releaseNeeded, sessionNeeds } from '../../src/cli/feature-gate.ts';
import { MINIMUM_VERSION } from '../../src/cli/version.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';

const run = (): undefined => undefined;

describe('the release that a session needs', () => {
  it('[C-5] is undefined for options that every supported release has', () => {
    expect(sessionNeeds({})).toEqual([]);
    expect(sessionNeeds({ model: 'sonnet', hooks: { PreToolUse: run }, canUseTool: () => allow() })).toEqual([]);
  });

  it.each<[AgentOptions, string, string]>([
    [{ systemPrompt: '' }, 'systemPrompt', 'session:systemPrompt'],
    [{ title: 'x' }, 'title', 'session:title'],
    [{ forwardSubagentText: true }, 'forwardSubagentText', 'session:forwardSubagentText'],
    [{ planModeInstructions: 'x' }, 'planModeInstructions', 'session:planModeInstructions'],
    [{ toolAliases: { Shell: 'Bash' } }, 'toolAliases', 'session:toolAliases'],
    [{ hooks: { PostToolBatch: run } }, 'hooks.PostToolBatch', 'hook:PostToolBatch'],
  ])('[C-5, C-6] is the first one with the option: %j', (options, option, feature) => {
    expect(FEATURES_SINCE[feature]).toMatch(/^\d+\.\d+\.\d+$/);
    expect(sessionNeeds(options)).toEqual([{ option, since: FEATURES_SINCE[feature] }]);
  });

  it('[C-5] is empty for options that are disabled or undefined', () => {
    const hooks = { PostToolBatch: undefined, ...{ SomeNewEvent: { run, newerEvent: true } } };
    expect(sessionNeeds({ forwardSubagentText: false, hooks, title: undefined })).toEqual([]);
  });
});

describe('releaseNeeded', () => {
  it('[C-5] returns the release if the found one is older, and otherwise undefined', () => {
    const since = FEATURES_SINCE.get_usage;
    expect(releaseNeeded('get_usage', MINIMUM_VERSION)).toBe(since);
    expect(releaseNeeded('get_usage', since)).toBeUndefined();
    expect(releaseNeeded('get_usage', undefined)).toBeUndefined();
    expect(releaseNeeded('toString', '0.0.1')).toBeUndefined();
  });
});
