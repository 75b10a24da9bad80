import test from 'node:test';
import { expectThat, inMemoryCli, script } from '@coxswain/testkit';
import { ask } from './agent.ts';

// The model is scripted. The guard and the permissions are called in the order of the real CLI.
test('runs the tests, and nothing that is not on its list', async () => {
  const { transport, runs } = inMemoryCli(
    script().onPrompt('Which test fails', (turn) =>
      turn
        .useTool('Bash', { command: 'npm test' }, { result: '1 failing: the rudder' })
        .useTool('Bash', { command: 'npm test; rm -rf build' })
        .useTool('Write', { file_path: 'rudder.js', content: '' })
        .say('The test of the rudder fails.'),
    ),
  );
  const answer = await ask('Which test fails, and why?', { transport }).collect();

  expectThat(answer).toHaveCompleted('rudder');
  expectThat(runs()).toHaveRunTool('Bash', { command: 'npm test' });
  expectThat(runs()).toHaveRefusedTool('Bash', { command: /rm/ });
  expectThat(runs()).toHaveRefusedTool('Write');
});
