// #region test
import assert from 'node:assert/strict';
import test from 'node:test';
import { inMemoryCli, script } from '@coxswain/testkit';
import { tidy } from './guarded-agent.ts';

test('runs only what is on its list', async () => {
  const agent = script().onPrompt('Tidy up', (turn) =>
    turn.say('Let me look.').useTool('Bash', { command: 'rm -rf build' }).say('I was not allowed to.'),
  );
  const { transport, runs } = inMemoryCli(agent);

  assert.equal(await tidy({ transport }), 'I was not allowed to.');
  assert.deepEqual(runs()[0]?.tools, [{ name: 'Bash', input: { command: 'rm -rf build' }, outcome: 'refused' }]);
});
// #endregion
