// #region test
import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { tidy } from './guarded-agent.ts';

test('the real CLI obeys the guard', async () => {
  await using api = await startFakeApi([toolUse('Bash', { command: 'rm -rf build' }), text('I was not allowed to.')]);
  const configDir = await mkdtemp(join(tmpdir(), 'claude-')); // not your own settings
  const env = {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };

  assert.equal(await tidy({ configDir, env }), 'I was not allowed to.');
  assert.match(api.requests.at(-1)?.toolResults[0]?.text ?? '', /Remove nothing/);
});
// #endregion
