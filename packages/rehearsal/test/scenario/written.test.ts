import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { fromScript } from '../../src/scenario/from-script.ts';
import { fromText } from '../../src/scenario/from-text.ts';
import { readScenario } from '../../src/scenario/read-scenario.ts';
import { callsOf } from '../../src/scenario/scenario.ts';
import { inFile } from './transcript-lines.ts';

const TEXT = `# A release.
> Publish the release.
> Test it first.

Bash: npm test
  12 passed
  0 failed
Read: notes.txt
  one
Bash: npm publish => refused
Write {"file_path": "a.txt", "content": "a => b"}
It was not published.
> And now?
mcp__shop__orders {"customer": "ada"} => missing
`;

describe('fromText()', () => {
  it('[N-1] reads prompts, calls, what is expected of them, and their output', () => {
    const scenario = fromText('release.txt', TEXT);
    expect(scenario.turns.map(({ prompt }) => prompt)).toEqual([
      [{ type: 'text', text: 'Publish the release.\nTest it first.' }],
      [{ type: 'text', text: 'And now?' }],
    ]);
    expect(
      callsOf(scenario).map(({ call, turn }) => [turn, call.name, call.input, scenario.results[call.id]?.outcome]),
    ).toEqual([
      [1, 'Bash', { command: 'npm test' }, 'ran'],
      [1, 'Read', { file_path: 'notes.txt' }, 'ran'],
      [1, 'Bash', { command: 'npm publish' }, 'refused'],
      [1, 'Write', { file_path: 'a.txt', content: 'a => b' }, 'ran'],
      [2, 'mcp__shop__orders', { customer: 'ada' }, 'missing'],
    ]);
    expect(scenario.results.toolu_text_1).toMatchObject({ text: '12 passed\n0 failed' });
    expect(scenario.files).toEqual({ 'notes.txt': 'one\n' });
  });

  it('[N-6] refuses a line that it cannot read, with its number', async () => {
    expect(() => fromText('a', 'Bash: ls')).toThrow('a, line 1: a conversation begins with a prompt');
    expect(() => fromText('a', '> Go.\n  output')).toThrow('a, line 2: only calls have output.');
    expect(() => fromText('a', '> Go.\nBash: ls => denied')).toThrow('"denied" is none of ran, refused');
    expect(() => fromText('a', '> Go.\nWrite {"file_path')).toThrow('a, line 2: ');
    expect(() => fromText('a', '# nothing')).toThrow('a contains no prompt');
    expect((await readScenario(await inFile('x.txt', '> Go.\n'))).name).toBe('x.txt');
  });

  it('[N-6] does not wait for a pipe', async () => {
    const path = join(await inFile('x', '').then((file) => file.slice(0, -1)), 'pipe');
    for (const ending of ['json', 'txt', 'ndjson', 'jsonl']) {
      execFileSync('mkfifo', [`${path}.${ending}`]);
      await expect(readScenario(`${path}.${ending}`)).rejects.toThrow(/is not a regular file/);
    }
  });
});

describe('fromScript()', () => {
  it('[N-1] reads the replies of the rules that answer the prompts', () => {
    const agent = script()
      .onPrompt(
        'Tidy up',
        (turn) =>
          turn.say('Let me look.').useTool('Bash', { command: 'rm -rf build' }, { result: 'gone' }).say('Done.'),
        { times: 1 },
      )
      .otherwise((turn) => turn.useTool('Bash', { command: 'make deploy' }, { permission: 'deny' }).say('No.'));
    const scenario = fromScript(agent, { prompts: ['Tidy up, please.', 'Tidy up again.'], name: 'tidy' });
    expect(scenario.turns.map(({ replies }) => replies.map((reply) => reply.map(({ type }) => type)))).toEqual([
      [['text', 'tool_use'], ['text']],
      [['tool_use'], ['text']],
    ]);
    expect(Object.values(scenario.results)).toEqual([
      { outcome: 'ran', text: 'gone', isError: false },
      { outcome: 'refused', text: '', isError: true },
    ]);
    expect(scenario.gaps).toEqual([]);
  });

  it('[N-1, N-5] reads subagents, and lists prompts without a rule and steps of the CLI', () => {
    const agent = script().onPrompt('Count', (turn) =>
      turn
        .useAgent({ description: 'Count', prompt: 'Count the boats.' }, (inner) =>
          inner.useTool('Bash', { command: 'ls' }).say('One.'),
        )
        .compact(),
    );
    const scenario = fromScript(agent, { prompts: ['Count.', 'Else?'] });
    expect(scenario.agents).toMatchObject([{ prompt: 'Count the boats.' }]);
    expect(callsOf(scenario).map(({ call }) => call.name)).toEqual(['Agent', 'Bash']);
    expect(scenario.gaps).toEqual([
      { what: 'the step compact of the script', turn: 1 },
      { what: 'no rule of the script answers this prompt', turn: 2 },
    ]);
  });
});
