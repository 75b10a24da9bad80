import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startFakeApi, text } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { cliPath, releases } from '../../scripts/fetch/cli.mjs';
import { transpiled } from './transpiled.ts';

it('[G-5] the example of the session store continues a conversation of the real CLI on another machine', async () => {
  await using api = await startFakeApi(({ body }) =>
    text(JSON.stringify(body.messages).includes('Aye') ? 'She is called Ariel.' : 'Aye. Ariel it is.'),
  );
  const home = await mkdtemp(join(tmpdir(), 'cox-home-'));
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, TMPDIR: home, COXSWAIN_CLI: cliPath(releases().pinned) },
    ...{ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'dummy', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  };
  try {
    const file = await transpiled(new URL('../session-store.ts', import.meta.url));
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [file, '--real'], { cwd, env, timeout: 50_000 });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'Aye. Ariel it is.',
      'She is called Ariel.',
      'The name of my boat is Ariel. (2 prompts, this conversation)',
    ]);
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
});
