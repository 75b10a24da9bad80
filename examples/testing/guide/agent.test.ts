// #region test
import test from 'node:test';
import { expectThat, inMemoryCli, script } from '@coxswain/testkit';
import { support } from './agent.ts';

test('looks up orders and writes nothing', async () => {
  const { transport, runs } = inMemoryCli(
    script().onPrompt('Ada', (turn) =>
      turn
        .useTool('mcp__shop__orders', { customer: 'ada' }) // your function runs, and the model reads what it returns
        .useTool('Write', { file_path: 'note.txt', content: 'oar' }) // your policy decides
        .say('Ada ordered one oar.'),
    ),
  );
  const answer = await support('What did Ada order?', { transport }).collect();
  expectThat(answer).toHaveCompleted('one oar');
  expectThat(answer).toHaveToolResult({ tool: 'mcp__shop__orders', text: 'one oar' });
  expectThat(runs()).toHaveRefusedTool('Write');
});
// #endregion
