import { AsyncLocalStorage } from 'node:async_hooks';
import { text, toolUse } from '@coxswain/testkit';
import { allow } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { describe, expect, it } from 'vitest';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { openStage } from './stage.ts';

describe.concurrent.each(testedVersions)('callbacks in %s', (version) => {
  it('[H-9] run in the async context of the send() that started the turn, otherwise in that of openSession()', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: string[] = [];
    const note = (what: string): void => void seen.push(`${what} of ${storage.getStore()}`);
    const server = toolServer({
      name: 'host',
      tools: [
        tool('note', 'Notes', { type: 'object' }, async () => {
          await null;
          note('tool');
          return 'noted';
        }),
      ],
    });
    await using stage = await storage.run('the start', () =>
      openStage(version, {
        model: 'claude-sonnet-4-5',
        mcpServers: { host: server },
        canUseTool: () => {
          note('permission');
          return allow();
        },
        hooks: {
          UserPromptSubmit: () => note('prompt'),
          PreToolUse: { matcher: 'Write', run: async () => note('guard') },
          Stop: () => note('stop'),
          ...(version === pinnedVersion ? { PreModelSwitch: () => note('switch') } : {}),
        },
      }),
    );
    const lines = (name: string) => [
      toolUse('Write', { file_path: stage.path(name), content: 'x' }),
      toolUse('mcp__host__note', {}),
      text('done'),
    ];
    // Both are sent at once, so the second waits for the first.
    const turns = ['one', 'two'].map((name) => storage.run(`turn ${name}`, () => stage.begin(lines(name))));
    for (const turn of turns) expect(await turn.text()).toBe('done');
    await storage.run('nothing of importance', () => stage.session.setModel('claude-haiku-4-5'));

    const parts = ['prompt', 'guard', 'permission', 'tool', 'stop'];
    expect(seen).toEqual([
      ...parts.map((part) => `${part} of turn one`),
      ...parts.map((part) => `${part} of turn two`),
      ...(version === pinnedVersion ? ['switch of the start'] : []),
    ]);
  });
});
