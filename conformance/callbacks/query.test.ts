import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, toolUse } from '@coxswain/testkit';
import { deny, isInit, isResult, type Message, type PermissionRequest } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { testedVersions } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';

describe.concurrent.each(testedVersions)('query() of %s', (version) => {
  it('[O-7, H-4] with a guard: the tool does not run, and the stream is as ever', async () => {
    await using scene = await openScene([toolUse('Bash', { command: 'echo ran > guarded' }), text('what a pity')], {
      version,
    });
    const stream = scene.query('run it', {
      allowedTools: ['Bash'],
      hooks: { PreToolUse: { matcher: 'Bash', run: () => deny('reason-of-the-guard') } },
    });
    const messages: Message[] = [];
    for await (const message of stream) messages.push(message);

    expect(read(scene, 'guarded')).toBeUndefined();
    expect(JSON.stringify(scene.api.conversation.at(-1)?.body)).toContain('reason-of-the-guard');
    expect(messages.filter(isInit)).toHaveLength(1);
    expect(messages.filter(isResult)).toEqual(stream.results);
    expect(stream.results).toHaveLength(1);
    expect(await stream.text()).toBe('what a pity');
    expect(stream.warnings.map(({ code }) => code)).toEqual(['permission-denied']);
    expect(await stream.closed).toMatchObject({ exitCode: 0, signal: null });
    expect(scene.processes()).toEqual([]);
  });

  it('[O-7, P-2] with canUseTool: it is asked, and its word counts', async () => {
    await using scene = await openScene(
      (request) => {
        if (request.toolResults.length > 0) return text('done');
        const path = (name: string): string => join(scene.home.project, name);
        return ['kept.txt', 'refused.txt'].map((name) =>
          toolUse('Write', { file_path: path(name), content: 'written' }),
        );
      },
      { version },
    );
    const asked: PermissionRequest[] = [];
    const stream = scene.query('write them', {
      canUseTool(request) {
        asked.push(request);
        const refused = JSON.stringify(request.input).includes('refused');
        return refused ? deny('not that one') : { behavior: 'allow' };
      },
    });
    expect(await stream.text()).toBe('done');
    expect(asked).toHaveLength(2);
    expect(read(scene, 'kept.txt')).toBe('written');
    expect(read(scene, 'refused.txt')).toBeUndefined();
    await stream.closed;
    expect(scene.processes()).toEqual([]);
  });

  it('[O-7, T-2] with a tool of the host: the model gets its answer', async () => {
    await using scene = await openScene([toolUse('mcp__calc__add', { a: 2, b: 3 }), text('five')], { version });
    const add = tool('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => `the sum is ${a + b}`);
    const stream = scene.query('add them', { mcpServers: { calc: toolServer({ name: 'calc', tools: [add] }) } });
    expect(await stream.text()).toBe('five');
    expect(scene.api.conversation.at(-1)?.toolResults).toMatchObject([
      { isError: false, text: expect.stringContaining('the sum is 5') },
    ]);
    expect(stream.warnings).toEqual([]);
    await stream.closed;
    expect(scene.processes()).toEqual([]);
  });

  it('[O-7, Q-11, S-9] closed while a guard thinks: no guarded tool runs, and nothing stays', async () => {
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
