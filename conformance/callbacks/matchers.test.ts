import { apiError, text, toolUse } from '@coxswain/testkit';
import { deny } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { describe, expect, it } from 'vitest';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { openStage } from './stage.ts';

const BASH = 'Bash';
const WRITE = 'Write';
const ADD = 'mcp__calc__add';

/** A matcher and the tools it matches. */
const MATCHERS: readonly (readonly [string | null | undefined, readonly string[]])[] = [
  [undefined, [BASH, WRITE, ADD]],
  [null, [BASH, WRITE, ADD]],
  ['', [BASH, WRITE, ADD]],
  ['*', [BASH, WRITE, ADD]],
  ['Bash', [BASH]],
  ['Write|Edit', [WRITE]],
  ['Bash, Write', [BASH, WRITE]],
  ['a.h', [BASH]],
  ['^(Write|Bash)$', [BASH, WRITE]],
  ['mcp__calc__.*', [ADD]],
  ['mcp__calc__add', [ADD]],
  ['bash', []],
  ['Bas', []],
  ['mcp__calc', []],
  ['Wri|Was', []],
  ['mcp__other__.*', []],
];

describe.each(testedVersions)('matchers in %s', (version) => {
  it('[H-1, H-2, H-9] match the tools they name; a matcher without a matching tool causes a warning', async () => {
    const called: string[][] = MATCHERS.map(() => []);
    await using stage = await openStage(version, {
      allowedTools: ['Bash', 'Write'],
      mcpServers: {
        calc: toolServer({ name: 'calc', tools: [tool('add', 'Adds', { type: 'object' }, () => '5')] }),
      },
      hooks: {
        PreToolUse: MATCHERS.map(([matcher], index) => ({
          matcher,
          run: ({ tool_name }: { readonly tool_name: string }) => void called[index]?.push(tool_name),
        })),
        // An unknown event does not disable other hooks.
        ...{ MoonRose: { newerEvent: true, run: () => deny('no') } },
      },
    });
    const calls = [
      toolUse('Bash', { command: 'echo ran > file' }),
      toolUse('Write', { file_path: stage.path('other'), content: 'x' }),
      toolUse(ADD, {}),
    ];
    const turn = await stage.play([calls, text('done')]);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'done' });
    const sorted = (tools: readonly string[] | undefined): readonly string[] => [...(tools ?? [])].toSorted();
    for (const [index, [matcher, tools]] of MATCHERS.entries()) {
      expect(sorted(called[index]), `called for ${matcher}`).toEqual(sorted(tools));
    }
    const never = MATCHERS.flatMap(([matcher, tools], index) =>
      tools.length > 0 ? [] : [{ hook: `hook_${index}`, event: 'PreToolUse', matcher }],
    );
    expect(turn.warnings.map(({ code, context }) => ({ code, context }))).toEqual(
      never.map((context) => ({ code: 'matcher-never-matches', context })),
    );
  });
});

/** Values that a matcher can have for events that are not about tools; `null` where the CLI ignores it. */
const OTHER_MATCHERS: Readonly<Record<string, string | null>> = {
  UserPromptSubmit: null,
  MessageDisplay: null,
  Stop: null,
  SubagentStart: 'general-purpose',
  SubagentStop: 'general-purpose',
  PreCompact: 'manual',
  PostCompact: 'manual',
  SessionStart: 'compact',
  SessionEnd: 'clear',
  StopFailure: 'server_error',
};

const SWITCHES: typeof OTHER_MATCHERS = { PreModelSwitch: 'claude-haiku-4-5', PostModelSwitch: 'claude-haiku-4-5' };

const AGENT = { description: 'look', prompt: 'Look.', subagent_type: 'general-purpose', run_in_background: false };

describe.each(testedVersions)('matchers of other events in %s', (version) => {
  it('[H-9] are compared with another field of the input, or ignored', async () => {
    const matchers = Object.entries({ ...OTHER_MATCHERS, ...(version === pinnedVersion ? SWITCHES : {}) });
    const called = new Set<string>();
    const hook = (event: string, matcher: string): object => ({
      matcher,
      // 2.1.197 compacts with an agent whose type is empty, which every matcher matches.
      run: (input: object) => {
        if (!('agent_type' in input && input.agent_type === '')) called.add(`${event} ${matcher}`);
      },
    });
    await using stage = await openStage(version, {
      model: 'claude-sonnet-4-5',
      hooks: Object.fromEntries(
        matchers.map(([event, value]) => [event, [hook(event, value ?? 'any'), hook(event, 'nothing-of-this')]]),
      ),
    });
    await stage.play([toolUse('Agent', AGENT), text('thanks')], { agent: [text('seen')] });
    await stage.play([apiError(500)]);
    for (const words of ['one', 'two']) await stage.play([text(words)]);
    await stage.play([], { prompt: '/compact' });
    await stage.session.setModel('claude-haiku-4-5');
    await stage.session.clear();
    const wanted = matchers.flatMap(([event, value]) =>
      value === null ? [`${event} any`, `${event} nothing-of-this`] : [`${event} ${value}`],
    );
    expect([...called].toSorted()).toEqual(wanted.toSorted());
  });
});
