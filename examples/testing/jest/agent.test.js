import { inMemoryCli, script, scriptedCli } from '@coxswain/testkit';
import { expect, test } from '@jest/globals';
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
  expect(answer).toHaveCompleted('one oar');
  expect(answer).toHaveToolResult({ tool: 'mcp__shop__orders', text: 'one oar' });
  expect(runs()).toHaveRefusedTool('Bash', { command: expect.stringContaining('rm') });
  expect(runs()).toHaveRefusedTool('Write');
  expect(runs()).not.toHaveRunTool('Bash');
});

test('looks up orders and changes nothing as a process', async () => {
  const cli = await scriptedCli(agent);
  try {
    expect(await support('What did Ada order?', { cli: cli.path }).text()).toBe('Ada ordered one oar.');
    expect(await cli.runs()).toHaveRunTool('mcp__shop__orders', { customer: 'ada' });
    expect(await cli.runs()).toHaveRefusedTool('Bash');
    expect(await cli.runs()).toHaveRefusedTool('Write');
  } finally {
    await cli[Symbol.asyncDispose]();
  }
});

test('reports the actual calls', () => {
  const { runs } = inMemoryCli(agent);
  expect(() => expect(runs()).toHaveRunTool('Bash')).toThrow('Expected a run of Bash.\n\nTool calls:\n  none');
});
