import { script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { runFile, runScripted } from './run-file.ts';

describe('the code in the README', () => {
  it('[K-1] the query shows the tools and the answer', async () => {
    const agent = script().otherwise((turn) =>
      turn.useTool('Bash', { command: 'npm test' }, { result: '1 failed' }).say('The one about oars.'),
    );
    const { lines } = await runScripted(new URL('../readme/query.ts', import.meta.url), agent);
    expect(lines).toEqual(["Bash { command: 'npm test' }", 'The one about oars.']);
  });

  it('[K-1] text() gives the answer', async () => {
    const agent = script().otherwise((turn) => turn.say('It steers.'));
    const { lines } = await runScripted(new URL('../readme/text.ts', import.meta.url), agent);
    expect(lines).toEqual(['It steers.']);
  });

  it('[K-1] the text streams', async () => {
    const agent = script().otherwise((turn) => turn.say('First, it builds.'));
    const { lines } = await runScripted(new URL('../readme/streaming.ts', import.meta.url), agent);
    expect(lines).toEqual(['First, it builds.']);
  });

  it('[K-1] the session has a tool, a guard and a permission callback', async () => {
    const agent = script()
      .onPrompt('deployed', (turn) =>
        turn
          .useTool('mcp__ops__last_deploy', { service: 'api' })
          .useTool('Bash', { command: 'stat build' }, { permission: 'ask', result: 'older' })
          .useTool('Write', { file_path: 'a', content: 'b' }, { permission: 'ask' })
          .say('It is older.'),
      )
      .otherwise((turn) => turn.useTool('Bash', { command: 'rm -r build' }).say('I may not.'));
    const { lines, tools } = await runScripted(new URL('../readme/session.ts', import.meta.url), agent);
    expect(lines).toContain('result');
    expect(lines.at(-1)).toBe('I may not.');
    expect(tools).toEqual(['mcp__ops__last_deploy ran', 'Bash ran', 'Write refused', 'Bash refused']);
  });

  it('[A-2, A-4, K-1] a supervised session and a pool', async () => {
    const agent = script()
      .onPrompt(/this is (\w+)/, (turn) => turn.say('Hello.'))
      .otherwise((turn) => turn.say('Oars.'));
    const { lines } = await runScripted(new URL('../readme/staying-up.ts', import.meta.url), agent);
    expect(lines).toEqual(['Oars.', 'ann Hello.', 'bob Hello.', 'ann Hello.']);
  });

  it.each([
    ['auth', script().otherwise((turn) => turn.notLoggedIn())],
    ['rate-limit', script().otherwise((turn) => turn.apiError(429))],
    [
      'rate-limit: wait until 2031-02-03T04:05:06.000Z',
      script().otherwise((turn) => turn.rateLimited({ resetsAt: Date.UTC(2031, 1, 3, 4, 5, 6) })),
    ],
    ['  exitCode: 7,', script().otherwise((turn) => turn.exit(7))],
  ])('[K-1, A-3] an error is told apart, and nobody is asked to wait until undefined: %s', async (line, agent) => {
    const { lines } = await runScripted(new URL('../readme/errors.ts', import.meta.url), agent);
    expect(lines).toContain(line);
  });

  it('[K-1] the guarded agent passes its test in memory', async () => {
    const lines = await runFile(new URL('../readme/guarded-agent.test.ts', import.meta.url), 'none', TEST);
    expect(lines).toContain('# pass 1');
  });
});

const TEST = ['--test', '--test-reporter=tap'];
