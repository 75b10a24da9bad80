import { text, toolUse } from '@coxswain/testkit';
import { deny } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
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
  it('[H-1, H-2, H-9] match the tools they name, and one that matches none causes a warning', async () => {
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
        // An event that the CLI does not know disables no other hook.
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
