import { script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { runFile, runScripted } from './run-file.ts';

describe('the code in the README', () => {
  it('[K-1] prints the tools and the answer of a query', async () => {
    const agent = script().otherwise((turn) =>
      turn.useTool('Bash', { command: 'npm test' }, { result: '1 failed' }).say('The one about oars.'),
    );
    const { lines } = await runScripted(new URL('../readme/query.ts', import.meta.url), agent);
    expect(lines).toEqual(["Bash { command: 'npm test' }", 'The one about oars.']);
  });

  it('[K-1] streams text', async () => {
    const agent = script().otherwise((turn) => turn.say('First, it builds.'));
    const { lines } = await runScripted(new URL('../readme/streaming.ts', import.meta.url), agent);
    expect(lines).toEqual(['First, it builds.']);
  });

  it('[K-1] runs two turns of one conversation in a session', async () => {
    const agent = script()
      .onPrompt('Which test', (turn) => turn.say('The one about oars.'))
      .otherwise((turn) => turn.say('Fixed.').result({ costUsd: 0.02 }));
    const { lines } = await runScripted(new URL('../readme/session.ts', import.meta.url), agent);
    expect(lines[0]).toBe('The one about oars.');
    expect(lines).toContain('result');
    expect(lines.at(-1)).toBe('completed 0.02');
  });

  it('[K-1] refuses a command with a guard, and decides on the others with canUseTool', async () => {
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

  it('[K-1] calls a function of the program as a tool', async () => {
    const agent = script().otherwise((turn) =>
      turn.useTool('mcp__ops__last_deploy', { service: 'api' }).say('At 17:04.'),
    );
    const { lines, tools } = await runScripted(new URL('../readme/tools.ts', import.meta.url), agent);
    expect(lines).toEqual(['At 17:04.']);
    expect(tools).toEqual(['mcp__ops__last_deploy ran']);
  });

  it('[A-4, K-1] runs the jobs of several keys in a pool', async () => {
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

  it('[K-1] includes a guarded agent that passes its test in memory', async () => {
    const lines = await runFile(new URL('../readme/guarded-agent.test.ts', import.meta.url), 'none', TEST);
    expect(lines).toContain('# pass 1');
  });
});

const TEST = ['--test', '--test-reporter=tap'];
