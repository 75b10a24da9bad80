import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ReplyStep, text, toolUse } from '@coxswain/testkit';
import { deny, type Message, type PermissionRequest } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { supportedVersions } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';

describe.concurrent.each(supportedVersions)('query() of %s', (version) => {
  it('[O-7, H-4, P-2, T-2] with a guard, canUseTool and a tool of the host calls each of them, and its stream is as usual', async () => {
    const write = (name: string): ReplyStep =>
      toolUse('Write', { file_path: join(scene.home.project, name), content: 'written' });
    const script = [
      toolUse('Bash', { command: 'echo ran > guarded' }),
      () => [write('kept.txt'), write('refused.txt')],
      toolUse('mcp__calc__add', { a: 2, b: 3 }),
      text('five'),
    ];
    await using scene: Scene = await openScene(script, { version });
    const asked: PermissionRequest[] = [];
    const add = tool('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => `the sum is ${a + b}`);
    const stream = scene.query('use them', {
      allowedTools: ['Bash(echo *)'],
      hooks: { PreToolUse: { matcher: 'Bash', run: () => deny('reason-of-the-guard') } },
      canUseTool(request) {
        asked.push(request);
        const refused = JSON.stringify(request.input).includes('refused');
        return refused ? deny('not that one') : { behavior: 'allow', updatedInput: request.input };
      },
      mcpServers: { calc: toolServer({ name: 'calc', tools: [add] }) },
    });
    const messages: Message[] = [];
    for await (const message of stream) messages.push(message);

    expect(read(scene, 'guarded')).toBeUndefined();
    expect(JSON.stringify(scene.api.conversation.at(-1)?.body)).toContain('reason-of-the-guard');
    expect(asked.map(({ toolName }) => toolName)).toEqual(['Write', 'Write']);
    expect(read(scene, 'kept.txt')).toBe('written');
    expect(read(scene, 'refused.txt')).toBeUndefined();
    expect(scene.api.conversation.at(-1)?.toolResults).toMatchObject([
      { isError: false, text: expect.stringContaining('the sum is 5') },
    ]);
    expect(messages.filter((message) => message.type === 'system' && message.subtype === 'init')).toHaveLength(1);
    expect(messages.filter((message) => message.type === 'result')).toEqual(stream.results);
    expect(stream.results).toHaveLength(1);
    expect(await stream.text()).toBe('five');
    expect(stream.warnings.map(({ code }) => code)).toEqual(['permission-denied']);
    expect(await stream.closed).toMatchObject({ exitCode: 0, signal: null });
    expect(scene.processes()).toEqual([]);
  });

  it('[O-7, Q-11, S-9] closed while a guard runs: no guarded tool runs, and no process is left', async () => {
    await using scene = await openScene([toolUse('Bash', { command: 'echo ran > guarded' }), text('unheard')], {
      version,
    });
    const stream = scene.query('run it', {
      allowedTools: ['Bash'],
      hooks: {
        PreToolUse: () => {
          void stream.close();
          return new Promise<never>(() => {});
        },
      },
    });
    const { terminalError } = await stream.collect();
    await stream.closed;
    expect(terminalError).toBeUndefined();
    expect(read(scene, 'guarded')).toBeUndefined();
    expect(scene.processes()).toEqual([]);
  });
});

function read(scene: Scene, name: string): string | undefined {
  const path = join(scene.home.project, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
