// #region test
import test from 'node:test';
import { expectThat, inMemoryCli, script } from '@coxswain/testkit';
import { releaseNotes } from './agent.ts';

test('writes the notes, and no files', async () => {
  const { transport, runs } = inMemoryCli(
    script().onPrompt('release notes', (turn) =>
      turn
        .useTool('Bash', { command: 'git log v1.0.0..' }, { result: 'fix: the rudder' })
        .useTool('Bash', { command: 'git diff --output=/tmp/notes v1.0.0' }) // a rule allows it, the guard does not
        .useTool('Write', { file_path: 'NOTES.md', content: 'The rudder works.' }) // the policy decides
        .say('The rudder works again.'),
    ),
  );
  const answer = await releaseNotes('v1.0.0', { transport }).collect();

  expectThat(answer).toHaveCompleted('rudder');
  expectThat(runs()).toHaveRunTool('Bash', { command: 'git log v1.0.0..' });
  expectThat(runs()).toHaveRefusedTool('Bash', { command: /--output/ });
  expectThat(runs()).toHaveRefusedTool('Write');
});
// #endregion
