import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, toolUse } from '@coxswain/testkit';
import { isInit } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { flagSets } from '../harness/flag-sets.ts';
import { testedVersions } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';

describe.concurrent.each(testedVersions)('options of %s', (version) => {
  it('[O-2, O-6] for the model reach the API', async () => {
    await using scene = await openScene([text('ok')], { version });
    await scene
      .query('hello', {
        model: 'claude-sonnet-4-5',
        systemPrompt: '-starts with a dash',
        appendSystemPrompt: 'Be brief.',
        tools: ['Bash', 'Read'],
        taskBudget: 20_000,
        thinking: { type: 'enabled', budgetTokens: 2_000 },
        betas: ['context-1m-2025-08-07'],
      })
      .text();
    const [request] = scene.api.conversation;
    expect(request).toMatchObject({
      model: 'claude-sonnet-4-5',
      system: expect.stringContaining('-starts with a dash\n\nBe brief.'),
      tools: ['Bash', 'Read'],
      headers: { 'anthropic-beta': expect.stringContaining('context-1m-2025-08-07') },
      body: {
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        output_config: { task_budget: { type: 'tokens', total: 20_000 } },
      },
    });
  });

  it('[O-2] for the surroundings show in init', async () => {
    await using scene = await openScene([text('ok')], { version });
    const options = { ...setNamed(scene, 'places, servers and agents'), effort: 'low' };
    const { items } = await scene.query('hello', options).collect();
    const init = items.find(isInit);
    expect(init).toMatchObject({
      session_id: options.sessionId,
      permissionMode: 'acceptEdits',
      mcp_servers: [{ name: 'plain', status: 'connected' }],
      agents: expect.arrayContaining(['scout']),
    });
    expect(init?.plugins?.map(({ name }) => name)).toContain('example');
    expect(scene.api.conversation[0]).toMatchObject({
      system: expect.stringContaining('You look around.'),
      body: { output_config: { effort: 'low' } },
    });
  });

  it('[O-2] in files reach the API whole', async () => {
    await using scene = await openScene([text('ok')], { version });
    const { items } = await scene.query('hello', setNamed(scene, 'files')).collect();
    const [request] = scene.api.conversation;
    expect(request?.system).toContain('You are a test.');
    expect(request?.system.match(/This is said at length\./g)).toHaveLength(6_000);
    expect(items.find(isInit)?.mcp_servers.map(({ name }) => name)).toEqual(['onDisk', 'private']);
    const builtIn = request?.tools.filter((name) => !name.startsWith('mcp__') && name !== 'DeferredToolPlaceholder');
    expect(builtIn).toEqual([]);
  });

  it('[O-2, O-6] for permissions allow and deny: a deny is never dropped', async () => {
    const script = [toolUse('Bash', { command: 'touch allowed' }), toolUse('Bash', { command: 'touch denied' })];
    await using scene = await openScene([...script, text('ok')], { version });
    const stream = scene.query('hello', {
      allowedTools: ['Bash(touch *)'],
      disallowedTools: ['Bash(touch denied)'],
      permissionMode: 'dontAsk',
    });
    await stream.collect();
    const [, allowed, denied] = scene.api.conversation;
    expect(allowed?.toolResults).toMatchObject([{ isError: false }]);
    expect(denied?.toolResults).toMatchObject([{ isError: true }]);
    expect(stream.results[0]?.permission_denials).toMatchObject([{ tool_input: { command: 'touch denied' } }]);
  });

  it('[O-2] settingSources [] leaves the settings on disk alone', async () => {
    await using scene = await openScene(() => text('ok'), { version });
    const model = 'claude-haiku-4-5';
    writeFileSync(join(scene.home.configDir, 'settings.json'), JSON.stringify({ model }));
    await scene.query('hello').text();
    expect(scene.api.conversation[0]?.model).toBe(model);
    await scene.query('hello', { settingSources: [] }).text();
    expect(scene.api.conversation[1]?.model).not.toBe(model);
  });
});

function setNamed(scene: Scene, name: string) {
  const found = flagSets(scene.home, { id: '', answer: '' }).find((set) => set.name === name);
  if (found === undefined) throw new Error(`There is no set of options named "${name}".`);
  return found.options;
}
