import { script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { runScripted } from './run-file.ts';

describe('the code in the guides', () => {
  it('[K-1] runs as the guide to queries says', async () => {
    const agent = script()
      .onPrompt('background', (turn) =>
        turn
          .runInBackground('npm test', { runsMs: 50, permission: 'allow' }, (after) => after.say('They pass.'))
          .say('Started.'),
      )
      .onPrompt('next release', (turn) => turn.structuredOutput({ version: '2.0.0', breaking: true }))
      .onPrompt('Count', (turn) => turn.say('one two').silence())
      .onPrompt('bad exit', (turn) => turn.say('Bye.').result().exit(3))
      .onPrompt('too much', (turn) => turn.maxTurns(1))
      .otherwise((turn) => turn.say('None.'));
    const { lines } = await runScripted(new URL('../guides/queries.ts', import.meta.url), agent);
    expect(lines.slice(0, 3).map((line) => line.replace(/\d+$/, 'N'))).toEqual([
      '0 system N',
      '1 assistant N',
      '2 result N',
    ]);
    expect(lines.slice(3)).toEqual([
      'collected true, 0 warnings, no error',
      'They pass.',
      '2',
      '2.0.0 true',
      'abort no longer needed',
      'interrupted',
      'state closed',
      'None.',
      'refused: process',
      'refused: max-turns: Reached maximum number of turns (1)',
    ]);
  });

  it('[I-1, I-4] runs as the guide to the inspector says', async () => {
    const agent = script().otherwise((turn) => turn.say('Eight.'));
    const { lines } = await runScripted(new URL('../guides/inspector.ts', import.meta.url), agent);
    expect(lines[0]).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
    expect(lines.slice(1)).toEqual(['Eight.', 'function', expect.stringMatching(/^port \d+$/)]);
  });

  it('[K-1] runs as the guide to sessions says', async () => {
    const agent = script()
      .onPrompt('scripts', (turn) => turn.say('build and test'))
      .onPrompt('Which of them', (turn) => turn.say('Both.'))
      .onPrompt('Write the tests', (turn) => turn.say('Written.'))
      .onPrompt('Plan', (turn) => turn.say('First, look.'))
      .onPrompt('TODOs', (turn) => turn.structuredOutput({ todos: ['Paint the boat.'] }))
      .onPrompt('first one', (turn) => turn.say('Painted.'))
      .onPrompt('Run all tests', (turn) =>
        turn
          .useTool('Bash', { command: 'npm test' }, { durationMs: 2_000, result: 'ok', permission: 'allow' })
          .say('All fixed.'),
      )
      .onPrompt('slow ones', (turn) => turn.say('Without the slow ones.'))
      .onPrompt('Count', (turn) => turn.say('one two').silence())
      .onPrompt('background', (turn) =>
        turn
          .runInBackground('npm test', { runsMs: 50, permission: 'allow' }, (after) => after.say('They pass.'))
          .say('Started.'),
      )
      .otherwise((turn) => turn.say('Fine.'));
    const { lines, tools } = await runScripted(new URL('../guides/sessions.ts', import.meta.url), agent);
    expect(lines.map((line) => line.replace(/{.*/, '…'))).toEqual([
      'build and test',
      'Both.',
      'Written.completed',
      'First, look.',
      'Paint the boat.',
      'Painted.',
      'All fixed.',
      'interrupted',
      'Fine.',
      'Started.',
      'no turn: …',
      'stopped',
      'Fine.',
      'Fine.',
      'true',
      'true',
    ]);
    expect(tools).toEqual(['Bash ran', 'StructuredOutput ran']);
  });

  it('[K-1] runs as the guide to hooks says', async () => {
    const agent = script()
      .onPrompt('Write the file', (turn) => turn.useTool('Write', { file_path: 'a', content: 'b' }).say('No.'))
      .onPrompt('key', (turn) =>
        turn
          .useTool('Bash', { command: 'cat key' }, { result: 'PRIVATE KEY' })
          .say('Done.')
          .useTool('Bash', { command: 'npm test' }, { result: 'ok', permission: 'allow' })
          .say('The tests pass.'),
      )
      .otherwise((turn) => turn.useTool('WebFetch', { url: 'http://localhost', prompt: 'what' }).say('Never said.'));
    const { lines, tools } = await runScripted(new URL('../guides/hooks.ts', import.meta.url), agent);
    expect(lines).toEqual(['hook-failed throw block', 'permission-denied  ', 'The tests pass.', 'hook_stopped']);
    expect(tools).toEqual(['Write refused', 'Bash ran', 'Bash ran', 'WebFetch refused']);
  });

  it('[K-1] runs as the guide to permissions says', async () => {
    const agent = script()
      .onPrompt('changed', (turn) =>
        turn.useTool('Bash', { command: 'git log -3' }).useTool('Bash', { command: 'make' }).say('Little.'),
      )
      .onPrompt('Install', (turn) =>
        turn
          .useTool('Bash', { command: 'npm install' }, { result: 'done' })
          .useTool('Write', { file_path: 'note', content: 'x' })
          .say('Installed and noted.'),
      )
      .onPrompt('colour', (turn) =>
        turn
          .useTool(
            'AskUserQuestion',
            {
              questions: [
                {
                  question: 'Which?',
                  header: 'Colour',
                  options: [{ label: 'Red', description: '' }],
                  multiSelect: false,
                },
              ],
            },
            { permission: 'ask' },
          )
          .say('Red, then.'),
      )
      .otherwise((turn) => turn.useTool('Bash', { command: 'make deploy' }, { result: 'deployed' }).say('Deployed.'));
    const { lines, tools } = await runScripted(new URL('../guides/permissions.ts', import.meta.url), agent);
    expect(lines).toEqual(['Little.', 'Installed and noted.', 'Red, then.', 'Deployed.', 'inbox: Bash']);
    expect(tools).toEqual(['Bash ran', 'Bash refused', 'Bash ran', 'Write ran', 'AskUserQuestion ran', 'Bash ran']);
  });

  it('[K-1] runs as the guide to tools says', async () => {
    const agent = script()
      .onPrompt('Ada', (turn) => turn.useTool('mcp__shop__search_orders', { customer: 'ada' }).say('The shop is shut.'))
      .onPrompt('chart', (turn) =>
        turn
          .useTool('mcp__careful__ping', { host: 'db' }, { permission: 'ask' })
          .useTool('mcp__careful__chart', { title: 'Load' })
          .say('Drawn.'),
      )
      .onPrompt('time', (turn) => turn.useTool('mcp__clock__now', {}).say('1970.'))
      .otherwise((turn) => turn.useTool('mcp__echo__echo', {}).say('Echo.'));
    const { lines, tools } = await runScripted(new URL('../guides/tools.ts', import.meta.url), agent);
    expect(lines).toEqual(['The shop is shut.', 'Drawn.', '1970.', 'Echo.']);
    expect(tools).toEqual([
      'mcp__shop__search_orders ran',
      'mcp__careful__ping refused',
      'mcp__careful__chart ran',
      'mcp__clock__now ran',
      'mcp__echo__echo ran',
    ]);
  });

  it('[K-1] runs as the guide to control operations says', async () => {
    const agent = script().otherwise((turn) => turn.say('Renamed.'));
    const { lines } = await runScripted(new URL('../guides/control.ts', import.meta.url), agent);
    expect(lines).toEqual([expect.stringMatching(/^[\d.]+$/), 'object']);
  });

  it('[K-1] runs as the guide to errors says', async () => {
    const agent = script().otherwise((turn) => turn.stderr('no such luck\n').exit(7));
    const { lines } = await runScripted(new URL('../guides/errors.ts', import.meta.url), agent);
    expect(lines).toEqual([expect.stringMatching(/^7 null \w+/), 'no such luck']);
  });

  it('[K-1] runs as the guide to processes says', async () => {
    const agent = script().otherwise((turn) => turn.stderr('a debug line\n').say('Something.'));
    const { lines } = await runScripted(new URL('../guides/processes.ts', import.meta.url), agent);
    expect(lines).toEqual(['Something.', 'claude: a debug line']);
  });
});
