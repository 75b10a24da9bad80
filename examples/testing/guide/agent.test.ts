// #region test
import test from 'node:test';
import { expectThat, inMemoryCli, script } from '@coxswain/testkit';
import { support } from './agent.ts';

test('looks orders up and writes nothing', async () => {
  const { transport, runs } = inMemoryCli(
    script().onPrompt('Ada', (turn) =>
      turn
        .useTool('mcp__shop__orders', { customer: 'ada' }) // your function runs, the model sees what it returns
        .useTool('Write', { file_path: 'note.txt', content: 'oar' }) // your policy is asked
        .say('Ada ordered one oar.'),
    ),
  );
  const answer = await support('What did Ada order?', { transport }).collect();
  expectThat(answer).toHaveCompleted('one oar');
  expectThat(answer).toHaveToolResult({ tool: 'mcp__shop__orders', text: 'one oar' });
  expectThat(runs()).toHaveRefusedTool('Write');
});
// #endregion
