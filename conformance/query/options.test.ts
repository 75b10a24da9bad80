import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, toolUse } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

describe.concurrent.each(testedVersions)('options of %s', (version) => {
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

  it('[O-2] settingSources [] ignores the settings on disk', async () => {
    await using scene = await openScene(() => text('ok'), { version });
    const model = 'claude-haiku-4-5';
    writeFileSync(join(scene.home.configDir, 'settings.json'), JSON.stringify({ model }));
    await scene.query('hello').text();
    expect(scene.api.conversation[0]?.model).toBe(model);
    await scene.query('hello', { settingSources: [] }).text();
    expect(scene.api.conversation[1]?.model).not.toBe(model);
  });
});
