import { script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { runFile, runScripted } from './run-file.ts';

describe('the code in the quick start', () => {
  it('[K-1] answers the first question', async () => {
    const agent = script().otherwise((turn) => turn.say('It steers.'));
    const { lines } = await runScripted(new URL('../quick-start/ask.ts', import.meta.url), agent);
    expect(lines).toEqual(['It steers.']);
  });

  it('[K-1] closes a session in plain JavaScript without await using, and the program ends', async () => {
    const agent = script().otherwise((turn) => turn.say('It steers.'));
    const { lines } = await runScripted(new URL('../quick-start/plain.ts', import.meta.url), agent);
    expect(lines).toEqual(['It steers.']);
  });

  it('[K-1] prints the calls of the agent, some of which its guard and its policy refuse', async () => {
    const agent = script().onPrompt('since v1.0.0', (turn) =>
      turn
        .useTool('Bash', { command: 'git log v1.0.0..' }, { result: 'fix: the rudder' })
        .useTool('Bash', { command: 'git push' })
        .useTool('Write', { file_path: 'NOTES.md', content: 'x' })
        .say('The rudder works again.'),
    );
    const { lines, tools } = await runScripted(new URL('../quick-start/main.ts', import.meta.url), agent);
    expect(lines).toEqual(['The rudder works again.', '· Bash git log v1.0.0..', '· Bash git push', '· Write']);
    expect(tools).toEqual(['Bash ran', 'Bash refused', 'Write refused']);
  });

  it('[K-1, K-4] includes a passing test', async () => {
    const flags = ['--import', 'tsx', '--test', '--test-reporter=tap'];
    const lines = await runFile(new URL('../quick-start/agent.test.ts', import.meta.url), 'none', flags);
    expect(lines).toContain('# pass 1');
  });
});

describe('the code in the migration guide', () => {
  it('[K-1] runs', async () => {
    const agent = script()
      .onPrompt('My boat', (turn) => turn.say('Aye.').result({ costUsd: 0.25 }))
      .onPrompt('called', (turn) => turn.say('Ariel.').result({ costUsd: 0.5 }))
      .onPrompt('Tidy', (turn) =>
        turn
          .useTool('Bash', { command: 'ls' })
          .useTool('Write', { file_path: 'a', content: 'b' }, { permission: 'ask' })
          .say('Tidy.'),
      )
      .onPrompt('2 + 3', (turn) => turn.useTool('mcp__sum__add', { a: 2, b: 3 }).say('Five.'))
      .onPrompt('boat', (turn) => turn.structuredOutput({ name: 'Ariel', seats: 8 }))
      .otherwise((turn) => turn.say('Hello.'));
    const { lines, tools } = await runScripted(new URL('../guides/migration.ts', import.meta.url), agent);
    expect(lines).toEqual([
      'Hello.',
      'Aye. 0.25',
      'Ariel. 0.5',
      'Tidy.',
      'Five.',
      'Ariel 8',
      'cli-not-found',
      'finished',
    ]);
    expect(tools).toEqual(['Bash refused', 'Write ran', 'mcp__sum__add ran', 'StructuredOutput ran']);
  });
});
