import assert from 'node:assert/strict';
import test from 'node:test';
import { expectThat, inMemoryCli, script, scriptedCli } from '@coxswain/testkit';
import { support } from './agent.js';

const agent = script().onPrompt('Ada', (turn) =>
  turn
    .useTool('mcp__shop__orders', { customer: 'ada' })
    .useTool('Bash', { command: 'rm -r orders' })
    .useTool('Write', { file_path: 'note.txt', content: 'oar' })
    .say('Ada ordered one oar.'),
);

test('looks up orders and changes nothing in memory', async () => {
  const { transport, runs } = inMemoryCli(agent);
  const answer = await support('What did Ada order?', { transport }).collect();
  expectThat(answer).toHaveCompleted('one oar');
  expectThat(answer).toHaveToolResult({ tool: 'mcp__shop__orders', text: 'one oar' });
  expectThat(runs()).toHaveRefusedTool('Bash', { command: /rm/ });
  expectThat(runs()).toHaveRefusedTool('Write');
  expectThat(runs()).not.toHaveRunTool('Bash');
});

test('looks up orders and changes nothing as a process', async (t) => {
  const cli = await scriptedCli(agent);
  t.after(() => cli[Symbol.asyncDispose]());
  assert.equal(await support('What did Ada order?', { cli: cli.path }).text(), 'Ada ordered one oar.');
  expectThat(await cli.runs()).toHaveRunTool('mcp__shop__orders', { customer: 'ada' });
  expectThat(await cli.runs()).toHaveRefusedTool('Bash');
  expectThat(await cli.runs()).toHaveRefusedTool('Write');
});

test('reports the actual calls', () => {
  const { runs } = inMemoryCli(agent);
  assert.throws(() => expectThat(runs()).toHaveRunTool('Bash'), /Expected a run of Bash\.\n\nTool calls:\n {2}none/);
});
