// #region test
import test from 'node:test';
import { expectThat, startFakeApi, text, toolUse } from '@coxswain/testkit';
import { support } from './agent.ts';

test('the real CLI offers the tool and returns its result to the model', async () => {
  await using api = await startFakeApi([
    toolUse('mcp__shop__orders', { customer: 'ada' }),
    toolUse('Write', { file_path: 'note.txt', content: 'oar' }),
    text('Ada ordered one oar.'),
  ]);
  const options = { ...api.agentOptions, model: 'claude-sonnet-4-5' }; // the CLI talks to this API only
  const answer = await support('What did Ada order?', options).collect();

  expectThat(answer).toHaveCompleted('one oar');
  expectThat(api).toHaveModel('claude-sonnet-4-5');
  expectThat(api).toHaveOfferedTool('mcp__shop__orders');
  expectThat(api).toHaveToolResult({ tool: 'mcp__shop__orders', text: 'one oar' });
  expectThat(api).toHaveToolResult({ tool: 'Write', text: 'Write is not for support.', isError: true });
});
// #endregion
