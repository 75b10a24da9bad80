import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text, toolUse } from '@coxswain/testkit';
import { SpawnError } from 'coxswain/errors';
import { describe, expect, it, vi } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

vi.stubEnv('COX_HOST_ONLY', 'of the host');
vi.stubEnv('COX_ALSO_HERE', 'of the host too');

const PRINT_ENV = toolUse('Bash', { command: 'env' });

describe.concurrent.each(testedVersions)('the environment of %s', (version) => {
  it('[C-9] contains the variables that the options select, and no other variable of the host', async () => {
    await using scene = await openScene([PRINT_ENV, text('ok')], { version });
    const configDir = join(scene.home.root, 'config for this run');
    const stream = scene.query('show it', {
      inheritEnv: ['COX_ALSO_*'],
      env: { COX_GIVEN: 'by the caller', ANTHROPIC_API_KEY: undefined },
      apiKey: 'sk-ant-api03-given-by-option',
      configDir,
      allowedTools: ['Bash(env)'],
    });
    await stream.text();

    const [request, second] = scene.api.conversation;
    expect(request?.headers).toMatchObject({
      'x-api-key': 'sk-ant-api03-given-by-option',
      'user-agent': expect.stringContaining('(external, coxswain)'),
    });
    const shown = second?.toolResults[0]?.text.split('\n');
    expect(shown).toEqual(
      expect.arrayContaining([
        'COX_GIVEN=by the caller',
        'COX_ALSO_HERE=of the host too',
        `CLAUDE_CONFIG_DIR=${configDir}`,
      ]),
    );
    expect(shown?.join()).not.toContain('COX_HOST_ONLY');
    expect(readdirSync(configDir)).toContain('projects');
    expect(process.env.ANTHROPIC_API_KEY).toBeUndefined();
  });
});

describe.concurrent('the working directory', () => {
  it('[C-11] is named in the error if it does not exist', async () => {
    await using scene = await openScene([]);
    const cwd = join(scene.home.root, 'nowhere');
    const error = await scene.query('hello', { cwd }).started.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SpawnError);
    expect(error).toMatchObject({ code: 'spawn', reason: 'cwd', message: expect.stringContaining(cwd) });
  });
});
