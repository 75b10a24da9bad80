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

  it('[K-1] the text streams', async () => {
    const agent = script().otherwise((turn) => turn.say('First, it builds.'));
    const { lines } = await runScripted(new URL('../readme/streaming.ts', import.meta.url), agent);
    expect(lines).toEqual(['First, it builds.']);
  });

  it('[K-1] the session runs two turns of one conversation', async () => {
    const agent = script()
      .onPrompt('Which test', (turn) => turn.say('The one about oars.'))
      .otherwise((turn) => turn.say('Fixed.').result({ costUsd: 0.02 }));
    const { lines } = await runScripted(new URL('../readme/session.ts', import.meta.url), agent);
    expect(lines[0]).toBe('The one about oars.');
    expect(lines).toContain('result');
    expect(lines.at(-1)).toBe('completed 0.02');
  });

  it('[K-1] the guard refuses a command, and canUseTool decides about the rest', async () => {
    const agent = script().otherwise((turn) =>
      turn
        .useTool('Bash', { command: 'npm test' }, { permission: 'ask', result: 'ok' })
        .useTool('Write', { file_path: 'a', content: 'b' }, { permission: 'ask' })
        .useTool('Bash', { command: 'rm -r build' })
        .say('I may not.'),
    );
    const { lines, tools } = await runScripted(new URL('../readme/callbacks.ts', import.meta.url), agent);
    expect(lines).toEqual(['I may not.']);
    expect(tools).toEqual(['Bash ran', 'Write refused', 'Bash refused']);
  });

  it('[K-1] the tool is a function of the program', async () => {
    const agent = script().otherwise((turn) =>
      turn.useTool('mcp__ops__last_deploy', { service: 'api' }).say('At 17:04.'),
    );
    const { lines, tools } = await runScripted(new URL('../readme/tools.ts', import.meta.url), agent);
    expect(lines).toEqual(['At 17:04.']);
    expect(tools).toEqual(['mcp__ops__last_deploy ran']);
  });

  it('[A-4, K-1] the pool runs the jobs of several keys', async () => {
    const agent = script().otherwise((turn) => turn.say('Hello.'));
    const { lines } = await runScripted(new URL('../readme/pool.ts', import.meta.url), agent);
    expect(lines).toEqual(['ann Hello.', 'bob Hello.', 'ann Hello.']);
  });

  it.each([
    ['auth', script().otherwise((turn) => turn.notLoggedIn())],
    ['rate-limit', script().otherwise((turn) => turn.apiError(429))],
    [
      'rate-limit: wait until 2031-02-03T04:05:06.000Z',
      script().otherwise((turn) => turn.rateLimited({ resetsAt: Date.UTC(2031, 1, 3, 4, 5, 6) })),
    ],
    ['  exitCode: 7,', script().otherwise((turn) => turn.exit(7))],
  ])(
    '[K-1, A-3] the error is classified, with the end of a rate limit only where it is known: %s',
    async (line, agent) => {
      const { lines } = await runScripted(new URL('../readme/errors.ts', import.meta.url), agent);
      expect(lines).toContain(line);
    },
  );

  it('[K-1] the guarded agent passes its test in memory', async () => {
    const lines = await runFile(new URL('../readme/guarded-agent.test.ts', import.meta.url), 'none', TEST);
    expect(lines).toContain('# pass 1');
  });
});

const TEST = ['--test', '--test-reporter=tap'];
